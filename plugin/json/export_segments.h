/* export_segments.h
 * The headers of connections that may go on in another capture: the objects `segments` of docs/json-internal.md.
 *
 * Its memory is bounded but for some 100 bytes a connection that is not forgotten, or may go on before or after the
 * capture; see spill_buffer.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_SEGMENTS_H
#define LATENCY_EXPORT_SEGMENTS_H

#include "../core/request/event.h"
#include "export_line.h"
#include "../core/util/spill_buffer.h"

struct segment_log;

struct segment_log *segment_log_new(struct spill_buffer *spill_buffer);
void segment_log_free(struct segment_log *log);

/* What an observer is told; `connection` is NULL only for a quoted segment. */
void segment_log_take(struct segment_log *log, const struct segment *segment, const struct connection *connection,
                      bool quoted);

/* Takes an event of a connection's messages, which was told with the segment's bytes at the sequence number `seq`. */
void segment_log_take_event(struct segment_log *log, const struct connection *connection, const struct event *event,
                            uint32_t seq);

/* Nothing more will come of the connection, which is about to vanish. */
void segment_log_forget(struct segment_log *log, const struct connection *connection, int64_t now_ns);

/* What came before in the same file: connections and frames are numbered on. */
struct numbered {
    uint32_t connections;
    uint64_t frames;
};

/* Writes the connections that may go on before or after a capture from `first_ns` to `last_ns`, and forgets all. */
void segment_log_write(struct segment_log *log, int64_t first_ns, int64_t last_ns, struct numbered before,
                       const struct settings *settings, struct line *line);

#endif
