/* heap.h
 * The slowest of many: as many as whoever keeps them names each time, `most`.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_HEAP_H
#define REPORT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/* What each of them begins with: how long it took, and when it began, since 1970. */
struct slow {
    int64_t ns, begin_ns;
};

/* To be freed with g_ptr_array_free(). */
GPtrArray *heap_new(GDestroyNotify free_one);

/* Whether one that took so long is among the slowest so far. */
bool heap_wants(const GPtrArray *heap, unsigned most, int64_t ns);

/* Adds one that is wanted, which is the heap's then, instead of the fastest if there are enough. */
void heap_add(GPtrArray *heap, unsigned most, struct slow *slow);

/* The slowest first, of equal ones the earliest; it is no heap any more. */
void heap_sort(GPtrArray *heap);

#endif
