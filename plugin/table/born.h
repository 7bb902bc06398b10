/* born.h
 * When each row of a table began: so rows of several readers, of which each had some of the connections,
 * stand in the order in which one reader would have had them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_BORN_H
#define LATENCY_BORN_H

#include <stdint.h>

#include <glib.h>

#include "../core/stats/groups.h"
#include "table_source.h"

struct born {
    GArray *births; /* by row */
};

void born_init(struct born *born);
void born_clear(struct born *born);

/* A row has changed; a new one is the last. */
void born_note(struct born *born, unsigned row, struct birth birth);

/* A row of one of several tables. */
struct born_row {
    struct birth birth;
    unsigned table, row;
};

/* All rows of `n` tables, in that order; to be freed with g_array_free(). */
GArray *born_order(const struct born *const *tables, unsigned n);

/* Adds the groups of `n` tables, whose rows these are, to others, which have none yet, in that order. `merge` adds a
 * value to another. */
void born_merge_groups(struct groups *groups, const struct born *const *tables, struct groups *const *others,
                       unsigned n, void (*merge)(void *value, const void *other));

#endif
