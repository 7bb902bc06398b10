/* description_cells.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "description_cells.h"

#include <glib.h>

void
description_cells_fill(union table_cell *cells, const struct description *description)
{
    const double values[] = {
        description->mean, description->std, description->min, description->p25, description->p50,
        description->p75,  description->p95, description->p99, description->max,
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++)
        cells[i].number = values[i];
}
