/* reading.h
 * Reads the messages of connections whose protocol it recognises from their bytes as they pass, and tells them
 * (exchanges.h).
 *
 * Nothing is kept but the unit (parser.h) of a message that a segment has cut. After bytes that the capture does not
 * have, a message goes on where its length is known. Otherwise the next message is found where a segment begins with
 * one; which request an answer then belongs to is found out by what follows (resync.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_READING_H
#define LATENCY_READING_H

#include "../request/request.h"
#include "../tcp/payload.h"

/* Whether no protocol is known of the connection, and one may show with more than these bytes with which its client may
 * begin a request. None does with these. */
bool reading_may_begin(const struct requests *requests, const struct connection *connection, const uint8_t *bytes,
                       size_t length);

struct parser;

/* Returns the parser whose request these bytes of a client look like, of `whole` that were sent together, where only
 * the server's answer can tell that they are one; NULL if they look like none, or are one for certain. Notes whether
 * they look like any. */
const struct parser *reading_looks_like(const struct requests *requests, const struct connection *connection,
                                        const uint8_t *bytes, size_t length, uint64_t whole, bool *is_known);

/* Returns whether the piece's bytes, which have not been taken, say that the connection's client is the other side.
 * It is so from the next piece on that is taken, be it one that was held. */
bool reading_reverses_roles(const struct requests *requests, const struct piece *piece);

/* Returns what is known now of the client's piece. */
struct standing reading_standing(struct connection *connection, const struct piece *piece);

/* Notes that the server has answered what looked like the parser's request: by an answer to it (`agrees`), or by
 * something else. */
void reading_note_agreement(struct connection *connection, const struct parser *parser, bool agrees);

/* From this piece on, which has not been taken, its connection speaks what the parser reads, whatever the bytes look
 * like. `decrypted`: in what is decrypted of it; both sides' bytes begin there. */
void reading_claim(struct requests *requests, const struct parser *parser, struct carrier *carrier, bool from_client,
                   bool decrypted);

/* The offset of the message under way on that side, or of the next one; -1 where it is not known. */
int64_t reading_place(const struct connection *connection, bool from_client);

/* What Wireshark has decrypted of the TLS records that end in a segment. */
struct decrypted {
    const uint8_t *bytes; /* in a row; borrowed for the call, as the next */
    size_t length;
    const uint32_t *lengths; /* of each record of application data */
    unsigned records;
    bool any; /* records, be they the handshake's */
};

/* Notes what the server acknowledges with a segment, before its piece is read. */
void reading_take_ack(struct connection *connection, const struct segment *segment);

/* A piece is read in two steps, between which turns_take() takes it: what has ended before its bytes, or begins to be
 * read with them, and the bytes. */
void reading_arrives(struct requests *requests, struct carrier *carrier);
void reading_take(struct requests *requests, struct carrier *carrier);

/* Whether what is decrypted of the connection's next segment, be it nothing, matters: it costs to find. */
bool reading_wants_decrypted(const struct requests *requests, const struct connection *connection);

/* That, before the segment's pieces are taken. */
void reading_note_decrypted(struct requests *requests, const struct payload *payload,
                            const struct decrypted *decrypted);

/* What of it the stream has not got to; good until a piece is taken. */
struct decrypted reading_hidden(const struct connection *connection, uint8_t sender);

/* The server's stream ends with this piece, which has no bytes. */
void reading_take_end(struct requests *requests, struct carrier *carrier);

/* Frees the room for what segments cut, where nothing of the kind is kept. */
void reading_shed(const struct requests *requests, struct connection *connection);

void reading_forget(struct requests *requests, struct connection *connection);

#endif
