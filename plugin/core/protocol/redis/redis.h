/* redis.h
 * What the two directions of Redis share: redis.c reads commands, redis_answer.c answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REDIS_H
#define LATENCY_REDIS_H

#include "../parser.h"
#include "../../request/operation.h"

/* The kinds of Redis' answers, a bit for each: what an answer looks like (looks.h). */
enum kind { SIMPLE = 1, BULK = 2, NIL = 4, INTEGER = 8, AGGREGATE = 16 };

enum state {
    START,
    SIZE,    /* of the next word of a command */
    WORD,    /* one that says what the command is */
    ELEMENT, /* of an answer */
    TOPIC,   /* size of the first element of what may be a push */
    TOPIC_WORD
};

enum { WORD_BYTES = 24, ELEMENTS_MOST = 1 << 30, LINE_END = 2 };

/* Of the connection. A REPLICA has asked for all changes, and what it says from then on has no answer. */
enum { SUBSCRIBED = 1, SILENT = 2 /* CLIENT REPLY OFF */, SILENT_ONCE = 4, PUSHES = 8 /* RESP3 */, REPLICA = 16 };

/* Say what is known of a command that is being read: WORDS counts its words so far; CLIENT and REPLCONF: it asks only once
 * its next words are known; STREAMS: MONITOR, behind which nobody knows what answers; SYNCS: it becomes a replica with
 * its end; MAY_BLOCK: whether it waits for something is known once BLOCK, or STREAMS, has come. */
enum { WORDS = 3, CLIENT = 4, CLIENT_REPLY = 8, STREAMS = 16, MAY_BLOCK = 32, REPLCONF = 64, SYNCS = 128 };

/* Of an answer */
enum { PUSHED = 1, ATTRIBUTES = 2 };

/* The confirmations that are asked for stand above ASKED_TO_SUBSCRIBE. */
enum note { ASKED, ASKED_TO_PING, ASKED_TO_SUBSCRIBE, ASKED_TO_SYNC, NOTE_KINDS = 4, NOTE_CONFIRMATIONS = 1 << 13 };

bool redis_is_word(const uint8_t *word, size_t length, const char *name);
bool redis_is_one_of(const uint8_t *word, size_t length, const char *const *names, size_t count);
bool redis_is_subscription(const uint8_t *word, size_t length);

/* Returns whether the command waits until another client has done something, if that has not been done yet; and not
 * those that do so with BLOCK alone (redis.io/docs/latest/commands). */
bool redis_is_blocking(const uint8_t *word, size_t length);

/* The number after a line's type; false if it is none, or above `most`. */
bool redis_read_size(const uint8_t *line, size_t length, int64_t most, int64_t *size);

/* See struct parser. */
bool redis_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer);

/* For reading_asks(), of a command's name in upper case; and for reading_sees(). */
uint64_t redis_looks_of_command(const char *command);
uint64_t redis_looks_of_answer(const uint8_t *line, size_t length);

/* See struct parser. Tells what Redis answers to PING from what a server of NATS says, to which that is a line, too:
 * +OK and -ERR '…'. */
enum agreement redis_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);

/* A unit of what a server says. */
enum verdict redis_take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length);

#endif
