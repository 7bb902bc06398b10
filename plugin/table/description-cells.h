/* description-cells.h
 * The columns of a sample's statistics, in the order of pandas' describe().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DESCRIPTION_CELLS_H
#define LATENCY_DESCRIPTION_CELLS_H

#include "../core/describe.h"
#include "text-table.h"

enum { DESCRIPTION_CELLS = 9 };

#define COLUMNS_OF_A_DESCRIPTION                                                                                       \
    { "Mean", CELL_TIME, NULL }, { "Std", CELL_TIME, NULL }, { "Min", CELL_TIME, NULL }, { "25%", CELL_TIME, NULL },   \
        { "50%", CELL_TIME, NULL }, { "75%", CELL_TIME, NULL }, { "95%", CELL_TIME, NULL },                            \
        { "99%", CELL_TIME, NULL },                                                                                    \
    {                                                                                                                  \
        "Max", CELL_TIME, NULL                                                                                         \
    }

void description_cells_fill(union table_cell *cells, const struct description *description);

#endif
