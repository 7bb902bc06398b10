/* framer.h
 * Protocols whose messages are told apart by their bytes. To add one: a file that defines a struct framer, and a line
 * in framers[] (reading.c).
 *
 * A framer is given the bytes of each direction in order and in pieces: lines, or blocks of a size that it has asked
 * for. It says what a piece means: a message begins, so many bytes may pass unread, the message ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMER_H
#define LATENCY_FRAMER_H

#include "framing.h"

/* Of a longer piece only so much is given. */
enum { PIECE_BYTES = 512 };

enum { FLOW_UNTIL_CLOSED = INT64_MAX };

/* One direction of a connection. What is the framer's is zeroed before each message. */
struct flow {
    int64_t at;           /* offset of the next byte */
    uint64_t skip;        /* for the framer to set: so many bytes pass unread before the next piece */
    uint64_t bytes;       /* of the message so far */
    uint64_t missing;     /* of them, in holes */
    uint64_t least, most; /* bytes of a message so far; 0 before the first */
    uint64_t largest;     /* segment */
    uint64_t before;      /* bytes of the segment before, or of the hole */
    bool after_hole;      /* nothing has been read since one */
    /* Since the order was known last: bytes that were not read, and whether they began in a message. */
    uint64_t unread;
    bool unread_in_message;
    bool placed;      /* `at` is known to lie in a message or between two */
    bool has_message; /* which asks or answers */
    bool is_told;
    bool is_adrift; /* the message's end is lost: it lasts until the client asks again */
    struct message message;
    /* The framer's: */
    bool ends;                    /* with the bytes to be skipped */
    bool divides;                 /* its rest looks like a request of its own */
    bool may_end;                 /* here, if what follows is recognised as an answer */
    uint64_t if_ends, if_goes_on; /* the likeness of the answer, when that shows */
    uint8_t state;                /* 0 at the beginning of a message */
    uint8_t marks;
    uint32_t block; /* bytes of the next piece; 0 for a line */
    uint64_t left;
    /* What there is of a piece. */
    uint32_t held;
    uint8_t piece[PIECE_BYTES];
    char text[STATUS_ROOM];
};

struct reading;

enum verdict {
    FRAMER_GOES_ON,
    FRAMER_WANTS_MORE, /* the same piece again, with flow->block bytes */
    FRAMER_IS_LOST,    /* nonsense: turns, until a message is recognised */
    FRAMER_IS_OVER     /* what follows is another protocol */
};

struct framer {
    enum framing_kind kind;
    uint32_t block; /* bytes of each message's first piece; 0 for a line */
    /* Whether a request, and an answer, may begin with these bytes, which may be cut. */
    bool (*recognise)(const uint8_t *bytes, size_t length);
    bool (*recognise_answer)(const uint8_t *bytes, size_t length);
    /* A piece: a line without its end, or a block. */
    enum verdict (*take)(struct reading *reading, bool from_client, const uint8_t *piece, size_t length);
    /* The beginning of a request's first piece, of which the segment does not have the end; NULL if it tells nothing.
     */
    void (*glimpse)(struct reading *reading, const uint8_t *piece, size_t length);
};

extern const struct framer framer_http, framer_memcached, framer_memcached_binary, framer_redis;

struct flow *reading_flow(struct reading *reading, bool from_client);

/* The framer's own, for the connection; 0 at first. */
uint8_t *reading_mode(struct reading *reading);

/* The part of a note that says which answers there can be to a request: some of 16 kinds, and the name of what is
 * asked for, if the answer has it (NULL: it does not). 0 stands for all. The other bits of notes are the framer's. */
uint64_t framer_likeness(uint16_t kinds, const uint8_t *name, size_t length);

/* The message being read asks for an answer, to be found in order. `note`: for reading_first(). */
void reading_asks(struct reading *reading, const char *operation, uint64_t note);
void reading_notes(struct reading *reading, uint64_t note);

/* Whether it is not known which request the next answer belongs to. The answer being read, or about to be told, is like
 * this then: that may tell it. */
bool reading_is_in_doubt(const struct reading *reading);
void reading_compare(struct reading *reading, uint64_t likeness);

/* It answers what has asked first; `status`: "" for nothing to say. */
void reading_answers(struct reading *reading, const char *status, bool failed);

/* What reading_answers() would answer; NULL if there is nothing, or the order is not known. */
const struct request *reading_first(struct reading *reading);

/* Of those that may be reading_first(), whether one is like this, and one is not. */
void reading_candidates(struct reading *reading, uint64_t likeness, bool *some, bool *others);

/* Makes it what has asked with that note, lower 32 bits, if these tell requests apart. False if there is no such. */
bool reading_finds(struct reading *reading, uint32_t note);

/* From here on, which answer is whose is not certain. */
void reading_lose_answers(struct reading *reading);

#endif
