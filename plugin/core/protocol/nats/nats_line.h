/* nats_line.h
 * What lines of NATS look like: docs.nats.io/reference/reference-protocols/nats-protocol, and server/parser.go of
 * github.com/nats-io/nats-server.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NATS_LINE_H
#define LATENCY_NATS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct operation_writer;

enum nats_verb {
    NATS_NONE,
    NATS_CONNECT,
    NATS_PUB,
    NATS_HPUB,
    NATS_SUB,
    NATS_UNSUB,
    NATS_INFO,
    NATS_MSG,
    NATS_HMSG,
    NATS_OK,
    NATS_ERR,
    NATS_PING,
    NATS_PONG
};

enum { NATS_LINE_END = 2, NATS_LEAST = 6 /* PING, with the line's end */ };

struct nats_word {
    const uint8_t *at;
    size_t length;
};

/* A line without its end. Behind one that has a payload so many bytes follow, and a line's end. */
struct nats_line {
    enum nats_verb verb;
    struct nats_word subject, sid, reply; /* no bytes: it has none */
    struct nats_word rest;                /* all behind the verb */
    bool has_payload;
    uint32_t header, payload; /* bytes; the header is the payload's beginning */
};

/* Reads a line of that side; false if it is none. */
bool nats_line_read(const uint8_t *bytes, size_t length, bool from_client, struct nats_line *line);

/* Returns whether a line of that side may begin with these bytes, which have no line's end. */
bool nats_line_may_begin(const uint8_t *bytes, size_t length, bool from_client);

bool nats_word_begins(struct nats_word word, const char *text);

/* Puts a subject with the tokens that are numbers, and with an inbox' own, as {n}. */
void nats_put_subject(struct operation_writer *writer, struct nats_word subject);

/* Returns where a text stands in a word; NULL if it does not. */
const uint8_t *nats_find(struct nats_word word, const char *text);

/* Returns the decimal number at the beginning, behind spaces; 0 if there is none. */
uint32_t nats_number(struct nats_word word);

#endif
