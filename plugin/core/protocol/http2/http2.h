/* http2.h
 * What the files of the parser of HTTP/2 share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP2_H
#define LATENCY_HTTP2_H

#include "../parser.h"
#include "http2_fields.h"
#include "http2_frame.h"
#include "http2_streams.h"

/* One direction's. */
struct http2_side {
    struct http2_decoder decoder;
    struct http2_frame frame; /* being read */
    uint32_t fragment;        /* bytes of its content that have not been read */
    uint32_t promised;        /* by PUSH_PROMISE; 0: it is none */
    uint8_t padding;
    bool ends_stream; /* END_STREAM of the frame with which the block began */
    bool lost;        /* bytes: where gRPC's messages of streams that began before begin is not known */
};

/* A connection's. */
struct http2 {
    nghttp2_mem memory;
    struct http2_streams streams;
    struct http2_side side[2]; /* of the server, of the client */
    bool from_beginning;       /* the capture has the client's preface, or the upgrade */
    bool has_greeted;          /* and the server's first frame */
    bool is_upgraded;          /* stream 1 is a request of HTTP/1.1: */
    uint64_t first_id;
    uint32_t last_accepted; /* stream, by GOAWAY */
    uint32_t refused;       /* stream above, that has been asked since; 0 for none */
};

struct http2 *http2_of(struct reading *reading);

/* The capture has the connection's beginning: all fields are known. */
void http2_begin(struct http2 *http2);

/* For struct parser. */
enum verdict http2_take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length);
bool http2_take_cut(struct reading *reading, bool from_client, const uint8_t *unit, size_t length);

/* What its exchanges know the stream by. */
uint64_t http2_id(const struct http2 *http2, uint32_t stream);

/* The fields of a block are known: the message that they begin, or go on with. */
void http2_take_fields(struct reading *reading, bool from_client);

/* A frame of DATA begins, of a stream that is under way: the message. Returns the stream; NULL if it is nobody's. */
struct http2_stream *http2_take_data(struct reading *reading, bool from_client);

void http2_take_reset(struct reading *reading, bool from_client, uint32_t code);
void http2_take_goaway(struct reading *reading, uint32_t last_stream);

/* If nothing more comes of the stream, it is no longer under way. */
void http2_settle(struct reading *reading, struct http2_stream *stream);

#endif
