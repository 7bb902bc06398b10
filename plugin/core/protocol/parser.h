/* parser.h
 * Parsers of protocols: each finds the messages in a connection's bytes. To add one: a file that defines a struct
 * parser, and a line in parsers[] (reading_recognition.c).
 *
 * A parser is given the bytes of each direction in order and in pieces: lines, or blocks of a size that it has asked
 * for. It says what a piece means: a message begins, a number of bytes is skipped, the message ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PARSER_H
#define LATENCY_PARSER_H

#include "../request/framing.h"

/* Of a longer piece only so much is given. */
enum { PIECE_BYTES = 528 };

enum { FLOW_UNTIL_CLOSED = INT64_MAX };

struct operation_writer;
struct parser;
struct reading;

/* Whether what a server says answers what its client asked. */
enum agreement {
    AGREEMENT_OPEN, /* it may be the answer to something else, or more of it must be seen */
    AGREEMENT_IS_ONE,
    AGREEMENT_IS_NONE /* it is no answer of the protocol */
};

/* Bounds how often agrees() compares an answer with a request: both sides may have said thousands of messages. */
enum { AGREEMENT_TRIES = 128 };

/* One direction of a connection. What is the parser's is zeroed before each message. */
struct flow {
    int64_t at;       /* offset of the next byte */
    uint64_t skip;    /* for the parser to set: bytes to skip before the next piece */
    uint64_t bytes;   /* of the message so far */
    uint64_t missing; /* of them, in holes */
    bool placed;      /* `at` is known to lie in a message or between two */
    bool has_message; /* which asks or answers */
    bool is_told;
    bool has_begun;     /* that has been told of a message that is none yet */
    bool is_open_ended; /* the message's end is lost: it lasts until the client asks again */
    struct message message;
    int64_t arrived_ns; /* the latest time of any bytes of the message, and their frame */
    uint32_t arrived_frame;
    /* The parser's: */
    bool ends;                    /* with the bytes to be skipped */
    bool may_end;                 /* here, if what follows is recognised as an answer */
    bool awaits_client;           /* here: who has been asked may leave instead, and nothing follows */
    uint64_t if_ends, if_goes_on; /* what the answer looks like, when that shows */
    bool is_cut;                  /* the snap length cut the piece: there is no more of it */
    bool after_gap;               /* or the rest of it is missing */
    uint8_t state;                /* 0 at the beginning of a message */
    uint8_t marks;
    uint32_t block; /* bytes of the next piece; 0 for a line */
    uint64_t left;
    const struct parser *upgrade; /* with PARSER_IS_UPGRADED: of what follows of both sides */
    /* What there is of a piece; NULL before the first that a segment has cut. */
    uint32_t held;
    uint8_t *piece;
    char text[STATUS_ROOM];
};

enum verdict {
    PARSER_GOES_ON,
    PARSER_WANTS_MORE, /* the same piece again, with flow->block bytes */
    PARSER_IS_LOST,    /* nonsense: turns, until a message is recognised */
    PARSER_IS_OVER,    /* what follows is another protocol */
    PARSER_IS_UPGRADED /* what follows of both sides is read by flow->upgrade, with what reading_first() would answer */
};

struct parser {
    enum framing_kind kind;
    uint32_t block;   /* bytes of each message's first piece; 0 for a line */
    uint8_t least;    /* bytes of a request */
    bool has_short;   /* requests as short as that stand beside long ones: those before tell nothing of the next */
    bool has_ids;     /* asks and answers by reading_asks_as() and reading_answers_to() alone */
    bool interleaves; /* and by reading_goes_on(): several messages of a direction are under way at once */
    /* Whether a request, and an answer, may begin with these bytes, which may be cut. */
    bool (*recognise)(const uint8_t *bytes, size_t length);
    bool (*recognise_answer)(const uint8_t *bytes, size_t length);
    /* Whether recognise() may know a request by more than these few bytes; NULL if it is not in parsers[]. */
    bool (*may_begin)(const uint8_t *bytes, size_t length);
    /* Whether the server's bytes, from the first that can answer them, have an answer to a request that begins among
     * the client's; of bytes that the capture cut, what is missing is 0. NULL where no other protocol's requests look
     * alike: then recognise() is believed. */
    enum agreement (*agrees)(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);
    /* Whether a request with these bytes, of `whole` that the client has said, is the protocol's for certain, whatever
     * the answer; NULL: none is. */
    bool (*is_certain)(const uint8_t *bytes, size_t length, uint64_t whole);
    /* A piece: a line without its end, or a block. */
    enum verdict (*take)(struct reading *reading, bool from_client, const uint8_t *piece, size_t length);
    /* Before the end of a message is told; flow->piece still has the piece that take() was given last, if it asked for
     * more. NULL if there is nothing to do. */
    void (*end)(struct reading *reading, bool from_client);
    /* The rest may be NULL, too. Whether the server, before the client has said anything, may say this. */
    bool (*recognise_greeting)(const uint8_t *bytes, size_t length);
    /* Whether it ends with these bytes. NULL where the client waits for it before it asks. */
    bool (*greeting_ends)(const uint8_t *bytes, size_t length);
    /* Whether these bytes, with which a segment of `whole` begins, say for certain which side's they are, whichever
     * protocol it is, and wherever in the connection they stand: asked where nobody has seen a handshake. NULL: none
     * do. */
    bool (*tells_client)(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
    /* Whether a segment with these bytes, after some that were not read, begins with a
     * message, and with nothing else; then recognise() and recognise_answer() are not asked. */
    bool (*resumes)(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client);
    /* For recognise(), of a segment that the snap length has cut: of `whole` bytes, as in the two above, there are
     * these. NULL: as if they were all. */
    bool (*recognise_cut)(const uint8_t *bytes, size_t length, uint64_t whole);
    /* A piece of which the snap length has cut all but these bytes; false if nobody knows how long the message is. */
    bool (*take_cut)(struct reading *reading, bool from_client, const uint8_t *piece, size_t length);
    /* Bytes of that side are missing, among them whole messages. */
    void (*lose)(struct reading *reading, bool from_client);
    /* With ids: the server has acknowledged bytes of the client that are not there, and may answer them. */
    void (*lack)(struct reading *reading);
    /* Frees what reading_own() has. */
    void (*forget)(struct reading *reading);
    /* A request of another protocol, which is this to reading_answers_to(), has asked for the parser's (see
     * flow->upgrade). */
    void (*begin_upgraded)(struct reading *reading, uint64_t id);
    /* Whether an answer that may end does, if these bytes follow what is skipped; NULL: before that, if they are
     * recognised as an answer. */
    bool (*ends_before)(struct reading *reading, const uint8_t *bytes, size_t length);
    /* The parser of both sides from here on, if the server answers what waits with these bytes of another protocol (see
     * flow->upgrade); NULL if it does not. */
    const struct parser *(*answered_by)(struct reading *reading, const uint8_t *bytes, size_t length);
    /* Whether a message of that side may begin with these bytes, which stand behind another. NULL: anything may be one.
     * Else, where nothing is missing and the client waits for each answer, what is none is surplus, up to the segment's
     * end. */
    bool (*may_follow)(const uint8_t *bytes, size_t length, bool from_client);
    /* Whether a request begins with these bytes of a segment, and not with those kept of the one before. */
    bool (*begins_anew)(const uint8_t *kept, size_t n_kept, const uint8_t *bytes, size_t length);
    /* Where in a segment that begins with the rest of a request the next one begins; 0: nowhere. NULL: after a line, if
     * it is one of lines. */
    size_t (*find)(const uint8_t *bytes, size_t length);
    /* Writes what a request that begins with these bytes asks for (operation.h), and returns true; false, and nothing is
     * written, if it is none of this protocol. Asked where a connection is read by turns, of whatever is said there. NULL:
     * then such a request has no operation. */
    bool (*operation)(const uint8_t *bytes, size_t length, struct operation_writer *writer);
};

#define PARSER_DECLARED(name) extern const struct parser parser_##name;
PROTOCOLS(NO_PROTOCOL, PARSER_DECLARED)
#undef PARSER_DECLARED

struct flow *reading_flow(struct reading *reading, bool from_client);
const struct connection *reading_connection(const struct reading *reading);

/* The parser's own, for the connection; 0 at first. */
uint8_t *reading_mode(struct reading *reading);

/* The same, allocated by the parser in the scope; NULL at first. */
void **reading_own(struct reading *reading);

/* Whether the server has spoken first. */
bool reading_is_greeted(const struct reading *reading);
wmem_allocator_t *reading_scope(const struct reading *reading);

/* See looks.h: the kinds of answers that there can be to a request, and the name of what is asked for, if the
 * answer has it (NULL: it does not). Bits 0 to 15 of a note are the parser's. */
uint64_t parser_looks(uint16_t kinds, const uint8_t *name, size_t length);

/* The message being read asks for an answer, to be found in order. `note`: for reading_first(). */
void reading_asks(struct reading *reading, const char *operation, uint64_t note);
void reading_notes(struct reading *reading, uint64_t note);

/* What has just asked may be many requests, or none. */
void reading_blurs(struct reading *reading);

/* Whether it is known which request the next answer belongs to. If not, that the answer being read, or about to be
 * told, looks like this may tell. */
bool reading_knows_next(const struct reading *reading);
void reading_sees(struct reading *reading, uint64_t looks);

/* The same in any case, of looks whose number is an id. */
void reading_identifies(struct reading *reading, uint64_t looks);

/* It answers what has asked first; `status`: "" for nothing to say. */
void reading_answers(struct reading *reading, const char *status, bool failed);

/* The answer being read ends here, and so is what has asked next answered, with no bytes of its own. */
void reading_answers_also(struct reading *reading, const char *status, bool failed);

/* Some of what has asked may have no answer: nobody knows what the next one belongs to. */
void reading_misses(struct reading *reading);

/* Bytes of that side pass unread. With ids, what waits for an answer is lost unless one comes yet. */
void reading_miss_answers(struct reading *reading, bool from_client);

/* No answer will come to what has asked: the capture does not have it. */
void reading_loses(struct reading *reading);

/* Whether all that has asked has been answered. */
bool reading_is_idle(const struct reading *reading);

/* Where requests have ids (`has_ids`), in whatever order they are answered: it asks, or answers what has asked first
 * with that id. No two messages of a direction overlap, but by the functions below. */
void reading_asks_as(struct reading *reading, uint64_t id, const char *operation);
void reading_answers_to(struct reading *reading, uint64_t id, const char *status, bool failed);

/* Where they `interleave`: each message is a part, `last` in struct message that of its side. It goes on with what
 * asks, or answers, with that id. */
void reading_goes_on(struct reading *reading, bool from_client, uint64_t id);

/* Of what answers, known only now. */
void reading_says(struct reading *reading, const char *status, bool failed);

/* The server's message being read asks in the client's place (a push). */
void reading_promises(struct reading *reading, uint64_t id, const char *operation);

/* At once, not with the message being read: nothing more comes of what has that id. */
void reading_stops(struct reading *reading, uint64_t id, enum stop how);

/* What reading_answers() would answer; NULL if there is nothing, or the order is not known. */
const struct request *reading_first(struct reading *reading);

/* The same where what is read may answer nothing. */
const struct request *reading_waiting(struct reading *reading);

/* See resync_repeat(). */
void reading_repeats(struct reading *reading);

#endif
