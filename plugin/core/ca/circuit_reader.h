/* circuit_reader.h
 * A piece of a circuit's stream as it is read: the message under way, which may end in it or go on. A message that is
 * there is taken (circuit_protocol.h), told (framing.h) and noted (ca_circuit.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_READER_H
#define LATENCY_CIRCUIT_READER_H

#include "circuit_protocol.h"

/* A piece being read. */
struct circuit_reader {
    struct requests *requests;
    struct ca_channels *channels;
    struct connection *connection;
    struct ca_circuit *circuit;
    const struct circuit_protocol *protocol; /* its */
    struct ca_flow *flow;
    bool from_client;
    const struct segment *segment; /* the piece's */
    uint32_t offset;               /* bytes of it that have been read */
    const uint8_t *bytes;          /* the message's first `n` bytes; `n` can be less than its header */
    size_t n;
    uint32_t reference; /* what the message that was taken is about, first of all */
    unsigned n_references;
};

/* No message is known to begin or to go on here. */
void circuit_reader_lose_place(const struct circuit_reader *reader);

/* How many bytes of the message, with its header, say what it is about. */
uint64_t circuit_reader_telling_bytes(const struct circuit_reader *reader);

/* Finds the message's first bytes: in the piece, or kept and in the piece. */
void circuit_reader_look(struct circuit_reader *reader);

/* The message has bytes in the piece: it arrives with the latest of them. */
void circuit_reader_note_arrival(const struct circuit_reader *reader);

/* More of the message comes with the next piece. */
void circuit_reader_wait_for_more(const struct circuit_reader *reader);

/* The bytes that its headers told so far have passed: it ends, or goes on in another part. */
void circuit_reader_end_of_bytes(struct circuit_reader *reader);

#endif
