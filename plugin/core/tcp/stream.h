/* stream.h
 * The bytes of a connection in causal order: what each side sends in the order of its sequence numbers, and nothing
 * before the other side's bytes that it acknowledges.
 *
 * In order nothing is copied. A segment beyond a hole is held, and so is one that acknowledges what its receiver has
 * not been seen to send. When the hole is filled (the packet was sent again, or captured late) all of it is
 * delivered as if it had come in order. A hole that the receiver has acknowledged and that is still there
 * STREAM_WAIT_NS or STREAM_WAIT_SEGMENTS later is a gap: the capture does not have these bytes, and the stream goes on
 * behind them. So is one with more than STREAM_HELD_BYTES behind it, or whose connection ends. Zeek
 * (TCP_Reassembler.cc) and Suricata (stream-tcp-list.c) do likewise.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STREAM_H
#define LATENCY_STREAM_H

#include "payload.h"

#define STREAM_WAIT_NS INT64_C(300000000)
enum { STREAM_WAIT_SEGMENTS = 64 };

/* Memory of held segments: of one direction, and of a capture. */
enum { STREAM_HELD_BYTES = 1 << 20, STREAMS_HELD_BYTES = 64 << 20 };

struct stream;
struct streams;

/* Called for each piece, in causal order, while a segment is taken or a stream ended. */
typedef void (*stream_deliver)(void *data, const struct piece *piece);

/* Per capture. Streams live in `scope`, what they hold until streams_free(). */
struct streams *streams_new(stream_deliver deliver, void *data, wmem_allocator_t *scope);
void streams_free(struct streams *streams);

/* Takes a segment with payload that has become a packet (payload_take()). */
void stream_take(struct streams *streams, const struct payload *payload);

/* The segment has no payload that counts: only what it acknowledges, and that time has passed. */
void stream_pass(struct streams *streams, struct connection *connection, const struct segment *segment);

/* Nothing will fill the connection's holes: delivers all that is held. */
void stream_end(struct streams *streams, struct connection *connection);

/* The segment resets the connection: the same, and both directions end. */
void stream_reset(struct streams *streams, struct connection *connection, const struct segment *segment);

/* Adds the connections that are to be ended so when the capture ends. */
void streams_add_waiting(const struct streams *streams, GPtrArray *connections);

/* Whether something of the connection is held, or the bytes before its end are awaited. */
bool stream_is_waiting(const struct connection *connection);

/* Frees what is held, undelivered. */
void stream_forget(struct streams *streams, struct connection *connection);

#endif
