/* group_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "group_table.h"

void *
group_table_new(size_t bytes, struct table_source *source, const struct group_values *values)
{
    struct group_table *table = g_malloc0(bytes);
    table->source = source;
    table->values = values;
    table->groups = groups_new(values->bytes, values->clear);
    table->sides.source = source;
    return table;
}

void
group_table_free(void *rows)
{
    struct group_table *table = rows;
    groups_free(table->groups);
    g_free(table);
}

void *
group_table_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct group_table *)rows)->groups, key);
}

unsigned
group_table_count(void *rows)
{
    return groups_count(((struct group_table *)rows)->groups);
}

void
group_table_merge(void *rows, void *const *others, unsigned n)
{
    struct group_table *table = rows;
    for (unsigned i = 0; i < n; i++) {
        const struct group_table *other = others[i];
        groups_merge(table->groups, other->groups, table->values->merge);
        omitted_merge(&table->omitted, &other->omitted);
    }
}

void *
group_table_value(const void *rows, unsigned row)
{
    return groups_value(((const struct group_table *)rows)->groups, row);
}
