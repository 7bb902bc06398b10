/* edges.h
 * Requests that were open when a capture ended, until a later one begins with their response. For captures whose
 * segments are not known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_EDGES_H
#define LATENCY_MERGE_EDGES_H

#include "json/record.h"
#include "totals.h"

struct edges;

struct edges *edges_new(void);
void edges_free(struct edges *edges);

/* The objects `open` and `unmatched` of a capture. */
void edges_take_open(struct edges *edges, struct record *record);
void edges_take_unmatched(struct edges *edges, struct record *record, struct totals *totals);

/* What that capture left open waits for the captures to come. */
void edges_end_capture(struct edges *edges);

/* How many requests have got their response. */
uint64_t edges_joined(const struct edges *edges);

#endif
