/* id_texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "id_texts.h"

#include <string.h>

#include <glib.h>

/* FNV-1a; its bits are then mixed, for who takes some of them alone. */
static uint64_t
hash_of(const uint8_t *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (g_ascii_isupper((char)text[i]) ? text[i] | 0x20U : text[i])) * UINT64_C(0x100000001b3);
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 33;
}

static void
add(struct found_ids *found, const struct found_id *id)
{
    for (unsigned i = 0; i < found->count; i++)
        if (found->all[i].hash == id->hash)
            return;
    if (found->count < IDS_OF_REQUEST)
        found->all[found->count++] = *id;
}

void
id_found(struct found_ids *found, enum id_kind kind, const uint8_t *text, size_t length)
{
    if (length < ID_LEAST || length > ID_MOST)
        return;
    for (size_t i = 0; i < length; i++)
        if (!g_ascii_isgraph((char)text[i]))
            return;
    add(found, &(struct found_id){ hash_of(text, length), kind });
}

void
ids_found(struct found_ids *found, const struct found_ids *more)
{
    for (unsigned i = 0; i < more->count; i++)
        add(found, &more->all[i]);
}

bool
id_is_hex(const uint8_t *text, size_t length, size_t least, size_t most)
{
    size_t zeros = 0;
    if (length < least || length > most)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!g_ascii_isxdigit((char)text[i]))
            return false;
        zeros += text[i] == '0';
    }
    return zeros < length;
}

bool
id_found_traceparent(struct found_ids *found, const uint8_t *text, size_t length)
{
    enum { VERSION = 2, TRACE_AT = 3, TRACE = 32, SPAN_AT = 36, SPAN = 16, FLAGS_AT = 53, FLAGS = 2, ALL = 55 };
    static const char first[] = "00", invalid[] = "ff";
    const bool is_whole = length >= ALL && text[TRACE_AT - 1] == '-' && text[SPAN_AT - 1] == '-' &&
                          text[FLAGS_AT - 1] == '-' && g_ascii_isxdigit((char)text[0]) &&
                          g_ascii_isxdigit((char)text[1]) && g_ascii_isxdigit((char)text[FLAGS_AT]) &&
                          g_ascii_isxdigit((char)text[FLAGS_AT + FLAGS - 1]);
    if (!is_whole || g_ascii_strncasecmp((const char *)text, invalid, VERSION) == 0)
        return false;
    /* later versions may have more behind it */
    if (length > ALL && (memcmp(text, first, VERSION) == 0 || text[ALL] != '-'))
        return false;
    if (!id_is_hex(text + TRACE_AT, TRACE, TRACE, TRACE) || !id_is_hex(text + SPAN_AT, SPAN, SPAN, SPAN))
        return false;
    id_found(found, ID_TRACE, text + TRACE_AT, TRACE);
    id_found(found, ID_SPAN, text + SPAN_AT, SPAN);
    return true;
}
