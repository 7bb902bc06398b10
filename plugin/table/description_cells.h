/* description_cells.h
 * The columns of a sample's statistics, in the order of pandas' describe().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DESCRIPTION_CELLS_H
#define LATENCY_DESCRIPTION_CELLS_H

#include "../core/stats/describe.h"
#include "text_table.h"

#define DESCRIPTION_COLUMNS(X, KIND)                                                                                   \
    X(MEAN, KIND, "Mean", "mean")                                                                                      \
    X(STD, KIND, "Std", "std", .leaves = 1)                                                                            \
    X(MIN_TIME, KIND, "Min", "min", .leaves = 2)                                                                       \
    X(P25, KIND, "p25", "p25", .leaves = 3)                                                                            \
    X(P50, KIND, "p50", "p50")                                                                                         \
    X(P75, KIND, "p75", "p75", .leaves = 4)                                                                            \
    X(P95, KIND, "p95", "p95", .leaves = 13)                                                                           \
    X(P99, KIND, "p99", "p99")                                                                                         \
    X(MAX_TIME, KIND, "Max", "max")

/* `cells`: from MEAN on. */
void description_cells_fill(union table_cell *cells, const struct description *description);

#endif
