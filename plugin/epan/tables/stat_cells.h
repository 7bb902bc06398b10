/* stat_cells.h
 * Rows of a table as Wireshark's windows and sharkd take them.
 *
 * A window sorts by its first column when it opens, so that is the row's rank, where weight() has one. Its times and
 * bytes are texts, filled up on the left: only so what there is not is blank, stands below all times, and leaves no gap
 * in a CSV. sharkd has numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_CELLS_H
#define LATENCY_STAT_CELLS_H

#include <glib.h>

#include <epan/stat_tap_ui.h>

#include "../../table/table.h"

/* A rank, for stat_cells_set_rank(), of what has none: it stands first. */
enum { RANK_NONE };

/* For a window or not: asked before anything else. */
void stat_cells_set_graphical(bool graphical);

/* Whether late columns stand last in rows: as in the heads of their table. At first they do. */
void stat_cells_set_late(bool late);

unsigned stat_cells_count(const struct table_definition *definition);

/* The columns' heads, stat_cells_count() of them, for as long as Wireshark runs. `late`: late columns stand last. */
stat_tap_table_item *stat_cells_heads(const struct table_definition *definition, bool late);

/* A row without content, in one block, to be freed with g_free(). */
stat_tap_table_item_type *stat_cells_new(const struct table_definition *definition);

/* `texts` keeps the texts of cells; `start_ns`: when the capture starts. */
void stat_cells_write(const struct table_definition *definition, stat_tap_table_item_type *items,
                      const union table_cell *cells, GStringChunk *texts, int64_t start_ns);

/* Writes the row's share of all rows, in percent, where there is a column for it. */
void stat_cells_set_share(const struct table_definition *definition, stat_tap_table_item_type *items, double share);

/* Only `text`, in the first column of texts; false if there is none. The text is borrowed. */
bool stat_cells_write_note(const struct table_definition *definition, stat_tap_table_item_type *items,
                           const char *text);

/* Has a row of a window say only `text`, which is borrowed: that there are no others, and why. */
void stat_cells_write_absence(const struct table_definition *definition, stat_tap_table_item_type *items,
                              const char *text);

/* Does nothing where there is no column for it. */
void stat_cells_set_rank(const struct table_definition *definition, stat_tap_table_item_type *items, unsigned rank);

/* Adds the counts and bytes of a row, in a window, to those of another. */
void stat_cells_add(const struct table_definition *definition, stat_tap_table_item_type *sum,
                    const stat_tap_table_item_type *items);

#endif
