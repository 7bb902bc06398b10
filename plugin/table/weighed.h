/* weighed.h
 * In which order a table's rows are shown.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WEIGHED_H
#define LATENCY_WEIGHED_H

#include "text_table.h"

struct weighed {
    double weight;
    unsigned row;
};

/* The rows, the heaviest first; without a weight as they are. Those of the same weight: of ranked rows by their texts,
 * from the first column on, so that the order does not depend on which was counted first; else as they are. To be freed
 * with g_free(). */
struct weighed *weighed_rows(const struct text_table *table);

#endif
