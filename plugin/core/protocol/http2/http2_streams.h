/* http2_streams.h
 * The streams of an HTTP/2 connection that are under way: asked, and not ended on both sides.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP2_STREAMS_H
#define LATENCY_HTTP2_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../util/hashed.h"

/* Of a connection. The oldest of more is given up. */
enum { HTTP2_STREAMS_MOST = 4096 };

/* gRPC's messages in one direction: each has a byte, its length in four, and so many bytes. */
struct http2_content {
    uint32_t messages; /* that have begun */
    uint32_t left;     /* bytes of the message that has */
    bool is_lost;      /* where the next one begins */
    uint8_t n_prefix;  /* bytes of its prefix, if it has not */
    uint8_t prefix[5];
};

struct http2_stream {
    struct hashed hashed;
    uint32_t id;
    bool is_answered; /* the response has begun */
    bool is_pushed;
    bool is_grpc;
    bool is_tunnel;                      /* if it is accepted: CONNECT */
    bool may_be_grpc;                    /* or not: what would say it is not known */
    bool has_ended[2];                   /* on the side of the server, of the client */
    struct http2_content content[2];     /* likewise */
    struct http2_stream *before, *after; /* by age */
};

struct http2_streams {
    wmem_allocator_t *scope;
    struct hashed_table by_id; /* without chains before the first */
    struct http2_stream *oldest, *newest;
};

/* NULL if there is none. */
struct http2_stream *http2_stream_find(const struct http2_streams *streams, uint32_t id);

struct http2_stream *http2_stream_add(struct http2_streams *streams, uint32_t id);
void http2_stream_remove(struct http2_streams *streams, struct http2_stream *stream);
void http2_streams_clear(struct http2_streams *streams);

#endif
