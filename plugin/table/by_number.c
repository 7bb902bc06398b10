/* by_number.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "by_number.h"

void
by_number_init(struct by_number *by_number, const struct table_source *source, unsigned bytes)
{
    *by_number = (struct by_number){ .source = source, .entries = g_array_new(FALSE, TRUE, bytes), .bytes = bytes };
}

void
by_number_clear(struct by_number *by_number)
{
    g_array_free(by_number->entries, TRUE);
}

uint32_t
by_number_count(const struct by_number *by_number)
{
    return by_number->entries->len;
}

void
by_number_forget(struct by_number *by_number)
{
    g_array_set_size(by_number->entries, 0);
}

inline void *
by_number_at(struct by_number *by_number, uint32_t number)
{
    GArray *entries = by_number->entries;
    if (by_number->capture != by_number->source->number)
        g_array_set_size(entries, 0);
    by_number->capture = by_number->source->number;
    if (entries->len <= number)
        g_array_set_size(entries, number + 1);
    return entries->data + (size_t)number * by_number->bytes;
}
