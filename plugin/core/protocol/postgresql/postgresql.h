/* postgresql.h
 * What the two directions of PostgreSQL share: postgresql.c reads what a client says, postgresql_answer.c what a server
 * does, postgresql_messages.c tells messages from other bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_POSTGRESQL_H
#define LATENCY_POSTGRESQL_H

#include "../parser.h"
#include "../sql/sql.h"
#include "../sql/sql_ids.h"
#include "../../request/operation.h"

enum { HEADER = 5 /* type and length */, SIZE_LEAST = 4 /* the length's own */, SIZE_MOST = 1 << 30 };

/* What ends an answer, in a request's note. */
enum ends {
    ENDS_UNKNOWN,
    ENDS_READY,    /* ReadyForQuery: of a Query, a Sync, startup */
    ENDS_COMPLETE, /* of an Execute: CommandComplete, EmptyQueryResponse, PortalSuspended */
    /* of what a Flush ends: the last of so many */
    ENDS_PARSED,
    ENDS_BOUND,
    ENDS_DESCRIBED,
    ENDS_CLOSED,
    ENDS_ENCRYPTION, /* a byte: of SSLRequest, GSSENCRequest */
    ENDS = 7,
};

/* Above it in the note. LONE: a Sync alone. AFTER_GAP: it may belong to the Sync of what was asked before. */
enum note {
    NOTE_COUNT = 1 << 3,
    NOTE_COUNTS = 15 * NOTE_COUNT,
    NOTE_GROUP = 1 << 7,
    NOTE_GROUPS = 15 * NOTE_GROUP,
    NOTE_LONE = 1 << 11,
    NOTE_AFTER_GAP = 1 << 12
};

/* What an answer begins with, for looks.h: the first after a ReadyForQuery, and LATER ones. */
enum kind {
    PARSED = 1,
    BOUND = 2,
    CLOSED = 4,
    DESCRIBED = 8,
    DATA = 16,
    NO_DATA = 32,
    STARTED = 64,
    LATER = 7,
    NOTHING = 1 << 15,
    FIRST_KINDS = (1 << LATER) - 1
};

/* Of the server's message, in flow->state and flow->marks. */
enum state { START, WITHIN };
enum { MAY_END = 1, IS_AMBIGUOUS = 2, IS_EXTENDED = 4, HAS_TAG = 8 };

/* A connection's. */
struct postgresql {
    int64_t next[2];  /* offset behind what was read last, of the server, of the client */
    uint8_t group;    /* of requests that a Sync ends, counted */
    uint8_t unsure;   /* 1 + the last that may have ended in a gap, mod 16 */
    bool is_group;    /* its beginning is not missing */
    bool has_asked;   /* in the group */
    bool has_copied;  /* the next Sync ends a COPY, as the one that was sent with it did not */
    bool has_flushed; /* ever: an answer's end may not show */
    bool has_synced;  /* ever, alone: a ReadyForQuery may be an answer */
    bool is_whole;    /* the client's message: nothing is missing before it */
    char first, last; /* types of what it consists of */
    uint8_t count;    /* of the last type, in a row */
    bool awaits_encryption;
    struct {            /* of the answer that is read */
        uint16_t note;  /* its request's */
        uint8_t left;   /* to its end */
        bool is_placed; /* an answer, and none's rest, begins next; */
        bool is_ready;  /* it is the first since ReadyForQuery */
        bool has_failed;
    } answer;
    char unnamed[OPERATION_ROOM]; /* statement; "": not known */
    char portal[OPERATION_ROOM];
    char operation[OPERATION_ROOM]; /* of the client's message */
    struct sql_names statements, portals;
    struct sql_ids *ids; /* of the client's message; NULL if nobody has looked for them */
};

struct postgresql *postgresql_own(struct reading *reading);

/* For reading_asks(): a CommandComplete's first word, where it follows from the statement's. */
uint64_t postgresql_looks_of_statement(const char *operation);

/* Whether there can be such a message: its type and length, and, if there are more bytes, these. */
bool postgresql_is_message(bool from_client, const uint8_t *bytes, size_t length);

/* struct parser's */
bool postgresql_recognise(const uint8_t *bytes, size_t length);
bool postgresql_recognise_answer(const uint8_t *bytes, size_t length);
bool postgresql_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
bool postgresql_is_certain(const uint8_t *bytes, size_t length, uint64_t whole);
enum agreement postgresql_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered,
                                 size_t answered_bytes);
bool postgresql_may_begin(const uint8_t *bytes, size_t length);
size_t postgresql_find(const uint8_t *bytes, size_t length);
bool postgresql_ends_before(struct reading *reading, const uint8_t *bytes, size_t length);

/* Startup, SSLRequest, GSSENCRequest, CancelRequest: what has no type. */
enum { VERSION_3 = 3, CANCEL_REQUEST = 80877102, SSL_REQUEST = 80877103, GSSENC_REQUEST = 80877104 };
bool postgresql_is_untyped(const uint8_t *bytes, size_t length);

enum verdict postgresql_take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length);

#endif
