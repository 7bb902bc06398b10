/* description_cells.h
 * The columns of a sample's statistics, in the order of pandas' describe().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DESCRIPTION_CELLS_H
#define LATENCY_DESCRIPTION_CELLS_H

#include "../core/stats/describe.h"
#include "text_table.h"

enum { DESCRIPTION_CELLS = 9 };

#define COLUMNS_OF_A_DESCRIPTION COLUMNS_OF_DESCRIBED(CELL_TIME)
#define COLUMNS_OF_DESCRIBED(kind)                                                                                     \
    { "Mean", kind, NULL }, { "Std", kind, NULL }, { "Min", kind, NULL }, { "p25", kind, NULL },                       \
        { "p50", kind, NULL }, { "p75", kind, NULL }, { "p95", kind, NULL }, { "p99", kind, NULL },                    \
    {                                                                                                                  \
        "Max", kind, NULL                                                                                              \
    }

void description_cells_fill(union table_cell *cells, const struct description *description);

#endif
