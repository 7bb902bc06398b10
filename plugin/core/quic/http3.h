/* http3.h
 * HTTP/3 over a connection of QUIC whose packets Wireshark has decrypted: RFC 9114. A stream is a request, as in
 * HTTP/2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP3_H
#define LATENCY_HTTP3_H

#include "../request/framing.h"

/* Bounds how many streams of a connection are under way at once: of more, the oldest is given up. */
enum { HTTP3_STREAMS_MOST = 4096 };

struct http3;

/* Returns whether the connection's client offers HTTP/3 by ALPN. */
bool http3_is_offered(const struct connection *connection);

struct http3 *http3_new(void);
void http3_free(struct http3 *http3);

/* Takes a packet's frames, which the segment has carried. */
void http3_take(struct http3 *http3, struct requests *requests, struct connection *connection,
                const struct segment *segment, const uint8_t *frames, size_t length);

#endif
