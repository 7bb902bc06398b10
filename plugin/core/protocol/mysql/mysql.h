/* mysql.h
 * What the two directions of MySQL share: mysql.c reads what a client says, mysql_answer.c what a server does,
 * mysql_packets.c tells packets from other bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MYSQL_H
#define LATENCY_MYSQL_H

#include "../parser.h"
#include "../sql/sql.h"
#include "../sql/sql_ids.h"
#include "../../request/operation.h"

/* A packet: its payload's bytes (3, the lowest first), its number in the exchange, its payload. Of a longer message
 * each packet but the last is full. */
enum { HEADER = 4, FULL = 0xffffff };

/* What answers, in a request's note. */
enum answer {
    ANSWER_UNKNOWN,
    ANSWER_LOGIN,    /* maybe after questions: OK */
    ANSWER_ONE,      /* packet */
    ANSWER_RESULTS,  /* each an OK, or rows behind what describes their columns */
    ANSWER_ROWS,     /* up to an EOF */
    ANSWER_PREPARED, /* a statement, behind it what describes parameters and columns */
    ANSWER_STREAM,   /* of which the first packet answers */
    ANSWER_NONE,
    ANSWERS = 7
};

/* Above it in the note: the number of the answer's first packet. */
enum { NOTE_NUMBER = 1 << 3 };

/* What an answer begins with, for looks.h; an error may be any of them. */
enum kind { KIND_OK = 1, KIND_RESULT = 2, KIND_PREPARED = 4, KIND_TEXT = 8, KIND_LOGIN = 16, KIND_EOF = 32 };

/* Of a message, in flow->state. */
enum state { START, WITHIN };

/* Of the answer that is read: what the next packet is. */
enum phase {
    PHASE_FIRST, /* of an answer, or of a result */
    PHASE_LOGIN,
    PHASE_ONE,
    PHASE_COLUMNS,  /* of a result: `left` more, then an EOF or none */
    PHASE_PREPARED, /* likewise, parameters first */
    PHASE_ROWS
};

/* Whether an EOF follows what describes columns (CLIENT_DEPRECATE_EOF). */
enum eofs { EOFS_UNKNOWN, EOFS_SENT, EOFS_LEFT_OUT };

/* A connection's. */
struct mysql {
    int64_t next; /* offset behind what was read last of the client */
    bool is_begun;
    bool is_compressed; /* after the login */
    bool may_wrap;      /* the client's last packet had the number 255, and something in it */
    uint16_t note;      /* of the client's message, and of the request whose answer is read */
    uint16_t answered;
    bool is_full[2]; /* the packet before, of the server, of the client */
    enum phase phase;
    enum eofs eofs;
    uint8_t expects;    /* number of the server's next packet */
    bool expects_later; /* or a later one: the client answers before it */
    uint32_t left, parameters;
    uint8_t groups;                 /* with an EOF behind them, if there are any: parameters, columns */
    char prepared[OPERATION_ROOM];  /* the statement that the client prepared last; "": not known */
    char preparing[OPERATION_ROOM]; /* the one whose answer is read */
    struct sql_names statements;    /* by their 4 bytes of number */
    struct sql_ids *ids;            /* of the client's message; NULL if nobody has looked for them */
};

struct mysql *mysql_own(struct reading *reading);

static inline uint32_t
mysql_size(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

struct mysql_command {
    uint8_t code;
    uint32_t least, most; /* bytes of its payload */
    const char *name;     /* the server's general log's */
    enum answer answer;
    bool has_text;
};

/* NULL if there is none of that code and size. */
const struct mysql_command *mysql_command(uint8_t code, uint32_t size);

/* Flags of a client, at the beginning of its login's payload. */
enum { CLIENT_COMPRESS = 0x20, CLIENT_PROTOCOL_41 = 0x200, CLIENT_SSL = 0x800, SSL_REQUEST_BYTES = 32 };
enum { CLIENT_ZSTD = 1 << 26, CLIENT_DEPRECATE_EOF = 1 << 24 };

bool mysql_is_login(const uint8_t *bytes, size_t length);

/* The text of a query, behind its attributes, up to `end`; `end` if these are cut before it, NULL if they can be none.
 */
const uint8_t *mysql_query_text(const uint8_t *at, const uint8_t *end);

/* A number of 1 to 9 bytes; false if it is cut, or none. */
bool mysql_number(const uint8_t **at, const uint8_t *end, uint64_t *number);

/* Of an OK and an EOF, whose payload begins at `body` and has `size` bytes up to `end` or beyond it: the server's
 * status; -1 if it is cut, or none. */
int32_t mysql_status(const uint8_t *body, const uint8_t *end, uint32_t size);
/* Whether it describes a parameter or a column. */
bool mysql_is_definition(const uint8_t *body, const uint8_t *end);
bool mysql_is_eof(const uint8_t *body, const uint8_t *end, uint32_t size);

/* The kinds that an answer which begins so has; 0 if none begins so. */
unsigned mysql_kinds(const uint8_t *bytes, size_t length);

/* struct parser's */
bool mysql_recognise(const uint8_t *bytes, size_t length);
bool mysql_recognise_answer(const uint8_t *bytes, size_t length);
/* A login, or commands one of which is a statement of SQL. */
bool mysql_is_certain(const uint8_t *bytes, size_t length, uint64_t whole);
enum agreement mysql_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);
bool mysql_recognise_greeting(const uint8_t *bytes, size_t length);
/* After bytes that are missing: an answer's first packet is whole, and each behind it has the next number or the first
 * one. */
bool mysql_resumes(const uint8_t *bytes, size_t length, bool from_client);
bool mysql_may_begin(const uint8_t *bytes, size_t length);
size_t mysql_find(const uint8_t *bytes, size_t length);
bool mysql_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer);
bool mysql_ends_before(struct reading *reading, const uint8_t *bytes, size_t length);

enum verdict mysql_take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length);

#endif
