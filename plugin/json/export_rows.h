/* export_rows.h
 * The objects of -z latency,json about one thing: request, tls, open; and of a connection attempt, handshake,
 * unmatched.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_ROWS_H
#define LATENCY_EXPORT_ROWS_H

#include "../core/points/stage_times.h"
#include "../core/protocol/tls/tls_handshake.h"
#include "../core/request/pending.h"
#include "export_head.h"
#include "export_late.h"
#include "export_tallies.h"

/* `connection`: its number in the file; `stay`: what is known of the request's stages, or NULL; `trace`: in what trace
 * it stands, or NULL. */

void request_row_write(struct line *line, struct spill_buffer *spill_buffer, const struct pending_request *pending,
                       const struct stay *stay, const struct trace_context *trace, enum outcome outcome,
                       uint32_t connection, const struct settings *settings);

/* A turn that is none of requests, but TLS's own. */
void tls_row_write(struct line *line, const struct pending_request *pending, enum tls_turn role, uint32_t connection);

/* A request that waits for its response when the capture ends. */
void open_row_write(struct line *line, const struct pending_request *pending, uint32_t connection,
                    const struct settings *settings);

/* Writes the lines of which a connection has one. What becomes of them can turn out late: so a connection is noted, and
 * read when its records vanish. */
struct connection_rows;

/* All is borrowed. `before`: how many connections were in the captures before. */
struct connection_rows *connection_rows_new(const struct table_source *source, struct export_head *head,
                                            struct tallies *tallies, struct late_rows *late, const uint32_t *before);
void connection_rows_free(struct connection_rows *rows);

/* An item of the frame. */
void connection_rows_take(struct connection_rows *rows, const struct item *item, uint32_t frame);

/* The connection's records are about to vanish, or those of all. */
void connection_rows_forget(struct connection_rows *rows, const struct connection *connection);
void connection_rows_end_capture(struct connection_rows *rows);

#endif
