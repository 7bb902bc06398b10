/* http2-talk.h
 * What both sides of an HTTP/2 connection say, frame by frame; fields are compressed by libnghttp2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP2_TALK_H
#define LATENCY_HTTP2_TALK_H

#include <glib.h>
#include <nghttp2/nghttp2.h>

#include "core/protocol/http2/http2_frame.h"

struct talk {
    GByteArray *said[2];              /* by the server, by the client */
    nghttp2_hd_deflater *deflater[2]; /* likewise */
};

void talk_open(struct talk *talk);
void talk_close(struct talk *talk);

/* A side begins anew: what it said before is gone, but not from the tables. */
void talk_turn(struct talk *talk);

void talk_frame(struct talk *talk, bool from_client, unsigned type, unsigned flags, uint32_t stream,
                const char *content, size_t length);

/* A block of fields "NAME VALUE, NAME VALUE …" in HEADERS. */
void talk_fields(struct talk *talk, bool from_client, unsigned flags, uint32_t stream, const char *fields);
/* The same of a GET. */
void talk_get(struct talk *talk, uint32_t stream, const char *path);
void talk_promise(struct talk *talk, uint32_t stream, uint32_t promised, const char *path);
/* The same in HEADERS with padding and priority, and two CONTINUATIONs. */
void talk_long_fields(struct talk *talk, bool from_client, unsigned flags, uint32_t stream, const char *fields);

void talk_data(struct talk *talk, bool from_client, uint32_t stream, const char *content, bool ends);
/* A number: an error of RST_STREAM, GOAWAY's last stream. */
void talk_number(struct talk *talk, bool from_client, unsigned type, uint32_t stream, uint32_t number);

/* The preface and SETTINGS of both. */
void talk_greet(struct talk *talk);

#endif
