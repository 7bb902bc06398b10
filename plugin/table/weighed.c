/* weighed.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "weighed.h"

#include <stdlib.h>

#include <glib.h>

static int
compare(const void *a, const void *b)
{
    const struct weighed *x = a;
    const struct weighed *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

struct weighed *
weighed_rows(double (*weight)(void *rows, unsigned row), void *rows, unsigned n)
{
    struct weighed *order = g_new(struct weighed, n);
    for (unsigned row = 0; row < n; row++)
        order[row] = (struct weighed){ weight ? weight(rows, row) : 0, row };
    if (weight && n > 0)
        qsort(order, n, sizeof *order, compare);
    return order;
}
