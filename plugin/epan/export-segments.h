/* export-segments.h
 * The headers of connections that may go on in another capture: the objects `segments` of docs/json.md.
 *
 * Its memory is bounded but for some 100 bytes a connection; see spool.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_SEGMENTS_H
#define LATENCY_EXPORT_SEGMENTS_H

#include "../core/framing.h"
#include "export-line.h"
#include "../core/spool.h"

/* The columns of a segment, of which the last are absent where there is nothing to say, and of its messages. */
extern const char *const segment_columns[];
extern const unsigned n_segment_columns;
extern const char *const message_columns[];
extern const unsigned n_message_columns;

struct segment_log;

struct segment_log *segment_log_new(struct spool *spool);
void segment_log_free(struct segment_log *log);

/* What an observer is told; `connection` is NULL only for a quoted segment. */
void segment_log_take(struct segment_log *log, const struct segment *segment, const struct connection *connection,
                      bool quoted);

/* A message in the connection's last segment. */
void segment_log_take_message(struct segment_log *log, const struct connection *connection,
                              const struct message *message);

/* What came before in the same file: connections and frames are numbered on. */
struct numbered {
    uint32_t connections;
    uint64_t frames;
};

/* Writes the connections that may go on before or after a capture from `first_ns` to `last_ns`, and forgets all. */
void segment_log_write(struct segment_log *log, int64_t first_ns, int64_t last_ns, struct numbered before,
                       const struct settings *settings, struct line *line);

#endif
