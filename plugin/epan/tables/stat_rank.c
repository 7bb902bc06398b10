/* stat_rank.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_rank.h"

#include "stat_cells.h"

void
stat_rank_rows(const struct table_definition *definition, void *rows, const stat_tap_table *stock, unsigned n)
{
    const struct text_table table = {
        .columns = definition->columns,
        .n_rows = n,
        .fill = definition->fill,
        .weight = definition->weight,
        .is_ranked = true,
        .rows = rows,
    };
    struct weighed *order = text_table_order(&table);
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
