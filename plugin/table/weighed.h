/* weighed.h
 * In which order a table's rows are shown.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WEIGHED_H
#define LATENCY_WEIGHED_H

struct weighed {
    double weight;
    unsigned row;
};

/* The `n` rows, the heaviest first, equal ones as they are; without `weight` as they are. To be freed with g_free(). */
struct weighed *weighed_rows(double (*weight)(void *rows, unsigned row), void *rows, unsigned n);

#endif
