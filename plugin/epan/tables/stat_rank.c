/* stat_rank.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_rank.h"

#include <stdlib.h>

#include "stat_cells.h"

struct ranked {
    double weight;
    unsigned row;
};

static int
compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

void
stat_rank_rows(const struct table_definition *definition, void *rows, const stat_tap_table *stock, unsigned n)
{
    struct ranked *order = g_new(struct ranked, n);
    for (unsigned row = 0; row < n; row++)
        order[row] = (struct ranked){ definition->weight(rows, row), row };
    qsort(order, n, sizeof *order, compare_ranked);
    for (unsigned i = 0; i < n; i++)
        stat_cells_set_rank(definition, stock->elements[order[i].row], i + 1);
    g_free(order);
}

void
stat_rank_total(const struct table_definition *definition, const stat_tap_table *stock, unsigned n,
                stat_tap_table_item_type *sum)
{
    stat_cells_write_note(definition, sum, "Total");
    stat_cells_set_rank(definition, sum, RANK_NONE);
    for (unsigned row = 0; row < n; row++)
        stat_cells_add(definition, sum, stock->elements[row]);
}
