/* table_column.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table_column.h"

#include <glib.h>

unsigned
table_columns_count(const struct table_column *columns)
{
    unsigned count = 0;
    while (columns[count].name)
        count++;
    return count;
}

const char *
table_column_head(const struct table_column *column)
{
    return column->head ? column->head : column->name;
}

void
description_cells_fill(union table_cell *cells, const struct description *description)
{
    const double values[] = {
        description->mean, description->std, description->min, description->p25, description->p50,
        description->p75,  description->p95, description->p99, description->max,
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
        cells[i].number = values[i];
        cells[i].of = description->count;
    }
}
