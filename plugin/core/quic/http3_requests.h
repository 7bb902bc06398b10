/* http3_requests.h
 * The requests on HTTP/3's streams: what their pieces, ends and resets tell the core.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP3_REQUESTS_H
#define LATENCY_HTTP3_REQUESTS_H

#include "http3_streams.h"

/* Frames of a packet that are being taken. */
struct http3_taking {
    struct http3 *http3;
    struct requests *requests;
    struct connection *connection;
    const struct segment *segment;
    unsigned side; /* who sent it */
    struct http3_stream *stream;
};

/* Has items shown with the earlier frame that what is being taken came with, until http3_end_late(); without such a
 * frame both do nothing. */
void http3_begin_late(const struct http3_taking *taking);
void http3_end_late(const struct http3_taking *taking);

/* Tells that the stream's request, if it has one, ends for this reason. */
void http3_tell_stop(struct http3_taking *taking, const struct http3_stream *stream, enum stop why);

/* Tells that the stream's request, if it has one, ends for this reason, and forgets the stream. */
void http3_stop(struct http3_taking *taking, struct http3_stream *stream, enum stop why);

/* Returns whether the end of what the stream is answered may be in a packet that was not decrypted. */
bool http3_may_have_ended(const struct http3 *http3, const struct http3_stream *stream);

/* Ends a stream of whose answer nothing, or not the end, is known: then it is not known when that was. */
void http3_lose_answer(struct http3_taking *taking, struct http3_stream *stream);

/* Forgets the stream if both sides have ended, and stops its request if the server takes none from there on. */
void http3_settle(struct http3_taking *taking);

/* Takes a piece of a request's stream, or of a push's, which is the server's alone. */
void http3_take_piece(struct http3_taking *taking, const uint8_t *bytes, size_t length, bool ends);

/* Reads what could not be before, for it refers to fields that are known now. */
void http3_read_blocked(struct http3_taking *taking);

/* The side that sent the packet breaks its side of the stream off. */
void http3_take_reset(struct http3_taking *taking, uint64_t error);

/* The side that sent the packet wants no more of the stream. */
void http3_take_stop_sending(struct http3_taking *taking);

#endif
