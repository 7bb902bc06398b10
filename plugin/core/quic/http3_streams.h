/* http3_streams.h
 * The streams of a connection of HTTP/3 that are under way, by id and by age.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP3_STREAMS_H
#define LATENCY_HTTP3_STREAMS_H

#include "http3.h"
#include "http3_fields.h"
#include "http3_frames.h"
#include "quic_initial.h"
#include "quic_stream.h"

/* Types of streams in one direction: RFC 9114 §6.2, RFC 9204 §4.2. */
enum http3_stream_type {
    HTTP3_CONTROL = 0x0,
    HTTP3_PUSH = 0x1,
    HTTP3_ENCODER = 0x2,
    HTTP3_DECODER = 0x3,
    HTTP3_NOT_KNOWN = 0xff
};

/* Keys of what is pushed, so that they are no stream's. */
#define HTTP3_PUSHED (UINT64_C(1) << 62)

struct http3_stream {
    struct hashed hashed;
    uint64_t id;
    uint64_t key;                /* of its request */
    enum http3_stream_type type; /* of one direction alone */
    struct quic_stream order[2]; /* by QUIC_CLIENT and QUIC_SERVER, as the next two */
    struct http3_frames frames[2];
    bool has_ended[2];
    struct request_reference request; /* meaningful if `is_asked` */
    bool is_asked, is_named, is_answered, has_status;
    bool is_grpc, is_tunnel;
    bool is_unwanted;                    /* the server wants no more of what is asked */
    bool is_unknown;                     /* the capture lacks where it begins to ask, or to answer */
    struct http3_stream *before, *after; /* by age */
};

struct http3 {
    struct connection *connection;
    struct hashed_table by_id;
    struct http3_stream *oldest, *newest;
    struct http3_decoder decoder[2];       /* of the fields of QUIC_CLIENT and QUIC_SERVER */
    uint64_t begun[4];                     /* the next id of each of the four kinds of streams (RFC 9000 §2.1) */
    uint32_t packet_frame[2];              /* whose packet has got an item */
    bool has_stream[2][HTTP3_DECODER + 1]; /* of a side, in one direction, of this type */
    uint64_t refused;                      /* the server takes no requests from this stream on */
    int64_t hole_ns;     /* since when a stream has waited for missing bytes at most; INT64_MAX: none does */
    int64_t missed_ns;   /* when the server's last packet came that was not decrypted; INT64_MIN: none did */
    struct segment last; /* that has carried frames; without its payload */
};

/* Adds a stream that begins. */
struct http3_stream *http3_stream_add(struct http3 *http3, uint64_t id);

/* Returns the stream with this id; NULL if there is none, or it is over. */
struct http3_stream *http3_stream_find(const struct http3 *http3, uint64_t id);

/* Forgets a stream, and frees it. */
void http3_stream_remove(struct http3 *http3, struct http3_stream *stream);

#endif
