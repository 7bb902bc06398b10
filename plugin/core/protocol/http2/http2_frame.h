/* http2_frame.h
 * Frames of HTTP/2: RFC 9113 §4.1 and §6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP2_FRAME_H
#define LATENCY_HTTP2_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP2_FRAME_BYTES = 9, HTTP2_PREFACE_BYTES = 24 };

/* An error, RFC 9113 §7: the server has not looked at the request. */
enum { HTTP2_REFUSED = 7 };

enum http2_type {
    HTTP2_DATA,
    HTTP2_HEADERS,
    HTTP2_PRIORITY,
    HTTP2_RST_STREAM,
    HTTP2_SETTINGS,
    HTTP2_PUSH_PROMISE,
    HTTP2_PING,
    HTTP2_GOAWAY,
    HTTP2_WINDOW_UPDATE,
    HTTP2_CONTINUATION,
    HTTP2_TYPES
};

/* ACK is of SETTINGS and PING. */
enum { HTTP2_END_STREAM = 1, HTTP2_ACK = 1, HTTP2_END_HEADERS = 4, HTTP2_PADDED = 8, HTTP2_HAS_PRIORITY = 32 };

struct http2_frame {
    uint32_t length; /* of the payload */
    uint32_t stream;
    uint8_t type;
    uint8_t flags;
};

/* What the client says first, RFC 9113 §3.4. */
extern const char http2_preface[];

/* Of HTTP2_FRAME_BYTES. */
struct http2_frame http2_frame_read(const uint8_t *bytes);

/* Whether length and stream suit the type; those of extensions always do. */
bool http2_frame_is_valid(const struct http2_frame *frame, bool from_client);

/* Bytes before the content: of padding's length, priority, the promised stream. */
uint32_t http2_frame_prefix(const struct http2_frame *frame);

/* Whether these bytes, in the middle of a connection, are frames from the first on, which ends in the `whole` that they
 * are the first of: so that nothing else is. `is_head`: that one is not DATA. */
bool http2_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client, bool is_head);

/* Whether these bytes, be it in the middle of a connection, say for certain which side's they are. */
bool http2_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);

/* Of an error, RFC 9113 §7. */
const char *http2_error_name(uint32_t code);

#endif
