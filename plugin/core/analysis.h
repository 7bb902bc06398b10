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
#include "sighting.h"

struct decrypted;

struct analysis {
    struct requests requests;
    struct items *items;
    struct connection_table *connections;
    uint32_t attempts; /* to connect */
    struct points *points;
    struct process_table *processes;
    struct sightings *sightings;
};

/* Records live in `scope` until it is freed; `settings` is borrowed as long as segments are taken.
 * End with analysis_free(). */
struct analysis *analysis_new(wmem_allocator_t *scope, const struct settings *settings);
void analysis_free(struct analysis *analysis);

/* Takes a frame of a capture with several points; `segment`: NULL without TCP. True if the frame is the one sighting of
 * its packet that is to be analysed. */
bool analysis_sight(struct analysis *analysis, const struct evidence *evidence, const struct segment *segment);

/* The process that a sighting belongs to: that its frame names; else that of the host where it was seen, the sender's
 * if that is unknown; else that of the other end. NULL if none is known. */
const struct process *analysis_process(const struct sighting *sighting);

/* Takes the next segment of the capture and returns its connection. What it means is then in the items of its frame. */
struct connection *analysis_take(struct analysis *analysis, const struct segment *segment);

/* After that, and after whoever wants the segment has seen it: reads its payload for messages that are told apart
 * (framing.h). */
void analysis_read(struct analysis *analysis, const struct segment *segment);

/* The same for what is decrypted of it (reading.h), once Wireshark has dissected it: only where that is wanted, and
 * then for each segment. */
bool analysis_wants_decrypted(const struct analysis *analysis, const struct connection *connection);
void analysis_read_decrypted(struct analysis *analysis, const struct segment *segment,
                             const struct decrypted *decrypted);

/* Takes what an ICMP error quotes of a segment: of it only frame, time, addresses, ports and seq are looked at.
 * Returns its connection; NULL if the capture has none. */
struct connection *analysis_take_quoted(struct analysis *analysis, const struct segment *quoted);

/* Frees a connection of which nothing more will come, and its requests. Only where frames are not kept. */
void analysis_forget(struct analysis *analysis, struct connection *connection);

#endif
