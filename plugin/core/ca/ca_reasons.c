/* ca_reasons.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_reasons.h"

#include <string.h>

void
ca_reasons_init(struct ca_reasons *reasons, wmem_allocator_t *scope)
{
    *reasons = (struct ca_reasons){ .numbers = wmem_map_new(scope, wmem_str_hash, g_str_equal) };
    texts_init(&reasons->room, scope);
}

uint16_t
ca_reasons_add(struct ca_reasons *reasons, const uint8_t *text, size_t bytes)
{
    char key[REASON_BYTES_MOST + 1];
    size_t length = 0;
    while (length < bytes && length < REASON_BYTES_MOST && text[length] != '\0') {
        key[length] = (char)text[length];
        length++;
    }
    key[length] = '\0';
    unsigned number = GPOINTER_TO_UINT(wmem_map_lookup(reasons->numbers, key));
    if (number > 0 || length == 0 || reasons->count == REASONS_MOST)
        return (uint16_t)number;
    if (!reasons->texts)
        reasons->texts = wmem_alloc_array(reasons->room.scope, const char *, REASONS_MOST);
    const char *kept = texts_add(&reasons->room, key, length);
    reasons->texts[reasons->count++] = kept;
    wmem_map_insert(reasons->numbers, kept, GUINT_TO_POINTER(reasons->count));
    return (uint16_t)reasons->count;
}

const char *
ca_reason(const struct ca_reasons *reasons, uint16_t number)
{
    return number > 0 && number <= reasons->count ? reasons->texts[number - 1] : "";
}
