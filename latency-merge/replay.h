/* replay.h
 * Connections that may cross the ends of captures, taken through the analysis again, as if the captures were one.
 * Memory: of connections that may still go on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPLAY_H
#define LATENCY_MERGE_REPLAY_H

#include "json/record.h"
#include "totals.h"

struct replay;

/* As struct settings has them. */
struct replay *replay_new(struct totals *totals, int64_t timeout_ns, bool fold_numbers);
void replay_free(struct replay *replay);

/* A capture follows, before which the others had so many frames. */
void replay_begin_capture(struct replay *replay, uint64_t frames_before);

/* It ended then: counts the connections that nothing more is awaited of, and forgets them. */
void replay_end_capture(struct replay *replay, int64_t last_ns);

/* The object `segments` of a connection. */
void replay_take(struct replay *replay, struct record *record);

/* How many connections have been cut by a capture's end while a message was under way, and gone on in a later one. */
uint64_t replay_cut(const struct replay *replay);

/* Nothing more will come: counts what has not been counted yet. */
void replay_finish(struct replay *replay);

#endif
