/* http3.h
 * HTTP/3 over a connection of QUIC whose packets Wireshark has decrypted: RFC 9114. A stream is a request, as in
 * HTTP/2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP3_H
#define LATENCY_HTTP3_H

#include "../request/exchanges.h"

/* Bounds how many streams of a connection are under way at once: of more, the oldest is given up. */
enum { HTTP3_STREAMS_MOST = 4096 };

struct http3;

/* Returns whether the connection's client offers HTTP/3 by ALPN, and the server has chosen it if that is known. */
bool http3_is_offered(const struct connection *connection);

struct http3 *http3_new(struct connection *connection);
void http3_free(struct http3 *http3);
struct connection *http3_connection(const struct http3 *http3);

/* Takes a packet's frames, which the segment has carried. */
void http3_take(struct http3 *http3, struct requests *requests, struct connection *connection,
                const struct segment *segment, const uint8_t *frames, size_t length);

/* A packet of the server was not decrypted: what waits may have been answered in it. */
void http3_miss(struct http3 *http3, int64_t time_ns);

/* Nothing more comes: reads what waits for bytes that are missing. */
void http3_end(struct http3 *http3, struct requests *requests);

#endif
