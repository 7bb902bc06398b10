/* heap.h
 * The slowest requests of many: as many as are shown.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_HEAP_H
#define REPORT_HEAP_H

#include "gather.h"

/* Of struct slow_request, to be freed with g_ptr_array_free(). */
GPtrArray *heap_new(void);

/* Whether a request with this time to first byte is among the slowest so far. */
bool heap_wants(const GPtrArray *heap, int64_t first_byte_ns);

/* Adds one that is wanted, which is the heap's then, instead of the fastest if there are enough. */
void heap_add(GPtrArray *heap, struct slow_request *slow);

/* The slowest first; it is no heap any more. */
void heap_sort(GPtrArray *heap);

#endif
