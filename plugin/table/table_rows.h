/* table_rows.h
 * What a table has been told so far: what the rows of every table begin with, and how they are made, counted, added up
 * and freed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TABLE_ROWS_H
#define LATENCY_TABLE_ROWS_H

#include "../core/stats/groups.h"
#include "notes.h"
#include "table.h"

struct table_rows {
    const struct table_definition *definition;
    struct table_source *source;
    struct groups *groups; /* if the definition has `sums` */
    GArray *list;          /* if it has `row_bytes` */
    GStringChunk *texts;   /* likewise: those of the list's rows */
    struct omitted omitted;
    struct one_sided sides;
    unsigned most;  /* as table_set_most() has it */
    double amounts; /* of all rows, as they were last added up; 0 before */
};

/* The sums of a group. */
struct table_sums {
    size_t bytes;
    void (*clear)(void *sums);                    /* NULL: they have allocated nothing */
    void (*merge)(void *sums, const void *other); /* NULL: they are not added up */
};

/* Returns a group's sums, or a row of the list. */
void *table_row(const void *rows, unsigned row);

/* Returns the row of the list that `number`, plus one, says: a new one, which then has that number, if it is 0. */
void *table_row_numbered(void *rows, uint32_t *number);

/* Adds the groups of others, and what they have omitted, as struct table_definition has it. */
void table_merge_groups(void *rows, void *const *others, unsigned n);

#endif
