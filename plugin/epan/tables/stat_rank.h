/* stat_rank.h
 * What a window's table shows of all its rows together: the rank of each, the worst first, and their total.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_RANK_H
#define LATENCY_STAT_RANK_H

#include <glib.h>

#include <epan/stat_tap_ui.h>

#include "../../table/table.h"

/* Writes the ranks of the first `n` rows, in the order in which a text shows them. */
void stat_rank_rows(const struct table_definition *definition, void *rows, const stat_tap_table *stock, unsigned n);

/* `sum` becomes the total of the first `n` rows: of what is counted, and of bytes. */
void stat_rank_total(const struct table_definition *definition, const stat_tap_table *stock, unsigned n,
                     stat_tap_table_item_type *sum);

#endif
