/* stat_page.h
 * What windows show of a table: rows, and texts of their cells.
 *
 * A page outlives the table's next reset as long as another window may still show it, and sort and save it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_PAGE_H
#define LATENCY_STAT_PAGE_H

#include <glib.h>

#include <epan/stat_tap_ui.h>

#include "../../table/table.h"

struct stat_page {
    GPtrArray *elements;      /* by row */
    GStringChunk *texts;      /* each once */
    char omitted[80];         /* what stands in the last row if there are too many */
    struct stat_page *before; /* of those that are kept */
};

struct stat_page *stat_page_new(void);

/* A row there is, or the next one, made anew. */
stat_tap_table_item_type *stat_page_row(struct stat_page *page, const struct table_definition *definition,
                                        unsigned row);

/* `taken`: how many of its rows somebody else frees. */
void stat_page_free(struct stat_page *page, unsigned taken);

/* Puts a page before those that are kept. */
void stat_page_keep(struct stat_page **kept, struct stat_page *page);

/* Frees those that are kept. */
void stat_page_free_all(struct stat_page **kept);

#endif
