/* analysis.h
 * One capture: takes its segments in capture order and keeps what they mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ANALYSIS_H
#define LATENCY_ANALYSIS_H

#include "connection.h"
#include "item.h"
#include "request.h"

struct analysis {
    struct requests requests;
    struct items *items;
    struct connection_table *connections;
    uint32_t attempts; /* to connect */
};

/* Records live in `scope` until it is freed; `settings` is borrowed as long as segments are taken.
 * End with analysis_free(). */
struct analysis *analysis_new(wmem_allocator_t *scope, const struct settings *settings);
void analysis_free(struct analysis *analysis);

/* Takes the next segment of the capture and returns its connection. What it means is then in the items of its frame. */
struct connection *analysis_take(struct analysis *analysis, const struct segment *segment);

/* After that, and after whoever wants the segment has seen it: reads its payload for messages that are told apart
 * (framing.h). */
void analysis_read(struct analysis *analysis, const struct segment *segment);

/* Takes what an ICMP error quotes of a segment: of it only frame, time, addresses, ports and seq are looked at.
 * Returns its connection; NULL if the capture has none. */
struct connection *analysis_take_quoted(struct analysis *analysis, const struct segment *quoted);

/* Frees a connection of which nothing more will come, and its requests. Only where frames are not kept. */
void analysis_forget(struct analysis *analysis, struct connection *connection);

#endif
