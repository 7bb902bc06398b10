/* table_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table_rows.h"

#include <math.h>

enum { TEXT_BLOCK = 4096 };

void *
table_open(const struct table_definition *definition, struct table_source *source)
{
    struct table_rows *rows = g_malloc0(definition->bytes);
    rows->definition = definition;
    rows->source = source;
    rows->most = definition->most;
    rows->sides.source = source;
    if (definition->sums)
        rows->groups = groups_new(definition->sums->bytes, definition->sums->clear);
    if (definition->row_bytes) {
        rows->list = g_array_new(FALSE, FALSE, (unsigned)definition->row_bytes);
        rows->texts = g_string_chunk_new(TEXT_BLOCK);
    }
    if (definition->open)
        definition->open(rows);
    return rows;
}

void
table_set_most(void *data, unsigned most)
{
    struct table_rows *rows = data;
    rows->most = most > 0 ? most : rows->definition->most;
}

void
table_close(void *data)
{
    struct table_rows *rows = data;
    if (rows->definition->close)
        rows->definition->close(rows);
    omitted_clear(&rows->omitted);
    if (rows->groups)
        groups_free(rows->groups);
    if (rows->list) {
        g_array_free(rows->list, TRUE);
        g_string_chunk_free(rows->texts);
    }
    g_free(rows);
}

unsigned
table_count(void *data)
{
    const struct table_rows *rows = data;
    if (rows->definition->count)
        return rows->definition->count(data);
    return rows->groups ? groups_count(rows->groups) : rows->list->len;
}

void
table_add_up_shares(void *data)
{
    struct table_rows *rows = data;
    if (!rows->definition->amount)
        return;
    rows->amounts = 0;
    for (unsigned row = 0; row < table_count(data); row++)
        rows->amounts += rows->definition->amount(data, row);
}

double
table_share(void *data, unsigned row)
{
    const struct table_rows *rows = data;
    return rows->amounts > 0 ? rows->definition->amount(data, row) / rows->amounts * 100 : NAN;
}

void *
table_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct table_rows *)rows)->groups, key);
}

void *
table_row(const void *data, unsigned row)
{
    const struct table_rows *rows = data;
    return rows->groups ? groups_value(rows->groups, row) : rows->list->data + row * rows->definition->row_bytes;
}

void *
table_row_numbered(void *data, uint32_t *number)
{
    struct table_rows *rows = data;
    if (*number == 0) {
        g_array_set_size(rows->list, rows->list->len + 1);
        *number = rows->list->len;
    }
    return table_row(rows, *number - 1);
}

void
table_merge_groups(void *data, void *const *others, unsigned n)
{
    struct table_rows *rows = data;
    for (unsigned i = 0; i < n; i++) {
        const struct table_rows *other = others[i];
        groups_merge(rows->groups, other->groups, rows->definition->sums->merge);
        omitted_merge(&rows->omitted, &other->omitted);
    }
}
