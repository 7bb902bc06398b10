/* export_rows.h
 * The objects of -z latency,json about one thing: request, tls, handshake, attempt, open, unmatched.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_ROWS_H
#define LATENCY_EXPORT_ROWS_H

#include "export_line.h"
#include "../core/points/stage_times.h"
#include "../core/protocol/tls/tls_handshake.h"
#include "../core/request/pending.h"

/* `connection`: its number in the file; `stay`: what is known of the request's stages, or NULL. */

void request_row_write(struct line *line, struct spill_buffer *spill_buffer, const struct pending_request *pending,
                       const struct stay *stay, enum outcome outcome, uint32_t connection,
                       const struct settings *settings);

/* A turn that is none of requests, but TLS's own. */
void tls_row_write(struct line *line, const struct pending_request *pending, enum tls_turn role, uint32_t connection);

/* The handshake that the connection has, as far as its records show it. */
void handshake_row_write(struct line *line, const struct connection *connection, uint32_t number);

void attempt_row_write(struct line *line, const struct connection *attempt, uint32_t connection,
                       enum connect_result result);

/* A request that waits for its response when the capture ends. */
void open_row_write(struct line *line, const struct pending_request *pending, uint32_t connection,
                    const struct settings *settings);

/* Whether the connection begins with a response to what was not captured, and if so that. */
bool unmatched_row_is_due(const struct connection *connection);
void unmatched_row_write(struct line *line, const struct connection *unmatched, uint32_t connection);

#endif
