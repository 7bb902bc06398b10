/* group_table.h
 * Tables whose rows are groups (core/stats/groups.h), and what they have in common.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_GROUP_TABLE_H
#define LATENCY_GROUP_TABLE_H

#include "../core/stats/groups.h"
#include "notes.h"
#include "table_source.h"

/* The sums of a row. */
struct group_values {
    size_t bytes;
    void (*clear)(void *value);                    /* NULL: they have allocated nothing */
    void (*merge)(void *value, const void *other); /* NULL: they are not added up */
};

/* What the rows of such a table begin with; the functions below take them. */
struct group_table {
    struct table_source *source;
    const struct group_values *values;
    struct groups *groups;
    struct omitted omitted;
    struct one_sided sides;
};

/* Allocates `bytes` for the rows, all zero but for their beginning. The source and `values` are borrowed until
 * group_table_free(). */
void *group_table_new(size_t bytes, struct table_source *source, const struct group_values *values);

/* As struct table_definition has them. */
void group_table_free(void *rows);
void *group_table_at(void *rows, const struct group_key *key);
unsigned group_table_count(void *rows);
void group_table_merge(void *rows, void *const *others, unsigned n);

/* Returns the sums of a row. */
void *group_table_value(const void *rows, unsigned row);

#endif
