/* line_members.h
 * The members of a line of docs/json.md, as a structure has their values: written and read by one table.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINE_MEMBERS_H
#define LATENCY_LINE_MEMBERS_H

#include <stddef.h>

#include "../core/points/stage_times.h"
#include "../core/tcp/segment.h"
#include "export_line.h"
#include "record.h"

/* Of what type a member is, and its value in the structure. A type's value for none is named; where none is named, the
 * member is ALWAYS there. */
enum member_type {
    MEMBER_UINT16,         /* a port: never none */
    MEMBER_UINT32,         /* 0 is none, also of the next */
    MEMBER_UINT64,         /* in the file at most INT64_MAX */
    MEMBER_AMOUNT,         /* from 0 on; -1 is none */
    MEMBER_TIME,           /* since 1970, within 2^62: a difference of two never overflows; NO_TIME is none */
    MEMBER_DIFFERENCE,     /* of times; NO_TIME is none */
    MEMBER_TRUE,           /* false is none */
    MEMBER_TEXT,           /* "" is none; in the structure borrowed, also the next */
    MEMBER_PRINTED,        /* printed as it stands: a control character, which a terminal would obey, is refused */
    MEMBER_ENDPOINT,       /* two members: an address, and a port of the same name with _port behind it */
    MEMBER_ADDRESS,        /* without a port; `is_none` */
    MEMBER_STATISTIC,      /* of values, none of 0; borrowed when it is written; whoever has read it clears it */
    MEMBER_MEAN,           /* of how many, and their sum; none of 0 */
    MEMBER_OUTCOME,        /* an enum outcome; and so on: words for the values of an enumeration */
    MEMBER_FRAMING,        /* enum protocol */
    MEMBER_CONNECT_RESULT, /* enum connect_result */
    MEMBER_TLS_RESULT,     /* enum tls_result */
    MEMBER_TLS_TURN,       /* enum tls_turn */
    MEMBER_CHANNEL_RESULT, /* enum ca_result */
    MEMBER_CONTENT,        /* enum json_content */
    MEMBER_IPID_BEHAVIOUR, /* enum ipid_behaviour */
    MEMBER_SETTINGS,       /* an object of members of its own, as the next two */
    MEMBER_IPID_STEPS,     /* from one IP ID to the next: of how many, and how many of a kind */
    MEMBER_HISTOGRAM,      /* the rule of histograms */
    MEMBER_STAGES,         /* an object; the first -1 is none */
    MEMBER_ELEMENTS        /* an array, whose elements are written and read by hand; NULL, who writes them, is none */
};

#define NO_TIME INT64_MIN

struct member_endpoint {
    struct endpoint endpoint;
    bool ipv6, is_none;
};

struct member_mean {
    uint64_t count;
    wide sum;
};

struct member_stages {
    int64_t parts_ns[PARTS];
};

struct member_elements {
    void (*write)(struct line *line, const void *data);
    const void *data;
    struct elements read;
};

#define MEMBER_UINT16_FIELD         uint16_t
#define MEMBER_ADDRESS_FIELD        struct member_endpoint
#define MEMBER_STATISTIC_FIELD      struct statistic
#define MEMBER_MEAN_FIELD           struct member_mean
#define MEMBER_UINT32_FIELD         uint32_t
#define MEMBER_UINT64_FIELD         uint64_t
#define MEMBER_AMOUNT_FIELD         int64_t
#define MEMBER_TIME_FIELD           int64_t
#define MEMBER_DIFFERENCE_FIELD     int64_t
#define MEMBER_TRUE_FIELD           bool
#define MEMBER_TEXT_FIELD           const char *
#define MEMBER_PRINTED_FIELD        const char *
#define MEMBER_ENDPOINT_FIELD       struct member_endpoint
#define MEMBER_OUTCOME_FIELD        unsigned
#define MEMBER_FRAMING_FIELD        unsigned
#define MEMBER_CONNECT_RESULT_FIELD unsigned
#define MEMBER_TLS_RESULT_FIELD     unsigned
#define MEMBER_TLS_TURN_FIELD       unsigned
#define MEMBER_CHANNEL_RESULT_FIELD unsigned
#define MEMBER_CONTENT_FIELD        unsigned
#define MEMBER_IPID_BEHAVIOUR_FIELD unsigned
#define MEMBER_SETTINGS_FIELD       struct settings_line
#define MEMBER_IPID_STEPS_FIELD     struct ipid_steps_line
#define MEMBER_HISTOGRAM_FIELD      struct histogram_line
#define MEMBER_STAGES_FIELD         struct member_stages
#define MEMBER_ELEMENTS_FIELD       struct member_elements

/* For the lists of line_kinds.h. */
#define MEMBER_FIELD(S, TYPE, WANTED, ...) MEMBER_##TYPE##_FIELD MEMBER_FIRST(__VA_ARGS__, );
#define MEMBER_FIRST(first, ...)           first
#define MEMBER_ENTRY(S, TYPE, WANTED, ...)                                                                             \
    MEMBER_ENTRY_AS(S, MEMBER_##TYPE, MEMBER_##WANTED, __VA_ARGS__, __VA_ARGS__, )
#define MEMBER_ENTRY_AS(S, type, wanted, field, name, ...)                                                             \
    { #name, #name "_port", type, wanted, offsetof(struct S, field) },

/* Objects within a line. */
#define SETTINGS_MEMBERS(X, S)                                                                                         \
    X(S, TEXT, ALWAYS, server_ports)                                                                                   \
    X(S, TEXT, ALWAYS, full_sizes)                                                                                     \
    X(S, UINT32, ALWAYS, chunk_size)                                                                                   \
    X(S, AMOUNT, ALWAYS, timeout)                                                                                      \
    X(S, TEXT, ALWAYS, requests)                                                                                       \
    X(S, TRUE, KNOWN, fold_numbers)

#define IPID_STEPS_MEMBERS(X, S)                                                                                       \
    X(S, UINT64, ALWAYS, total)                                                                                        \
    X(S, UINT64, ALWAYS, constant)                                                                                     \
    X(S, UINT64, ALWAYS, swapped)                                                                                      \
    X(S, UINT64, ALWAYS, random)

#define HISTOGRAM_MEMBERS(X, S)                                                                                        \
    X(S, TEXT, ALWAYS, rule)                                                                                           \
    X(S, UINT32, ALWAYS, bits)

struct settings_line {
    SETTINGS_MEMBERS(MEMBER_FIELD, )
};
struct ipid_steps_line {
    IPID_STEPS_MEMBERS(MEMBER_FIELD, )
};
struct histogram_line {
    HISTOGRAM_MEMBERS(MEMBER_FIELD, )
};

enum { MEMBER_KNOWN, MEMBER_ALWAYS };

struct member {
    const char *name, *port_name;
    enum member_type type;
    int wanted;
    size_t offset;
};

struct members {
    const struct member *all;
    unsigned count;
    size_t bytes; /* of the structure */
};

/* The word of a number, "" if it has none. */
typedef const char *member_word(unsigned number);

/* Returns the words of such a type's enumeration; NULL of another type. */
member_word *member_words(enum member_type type);

/* Returns the members of such a type's object; NULL of another type. */
const struct members *member_members(enum member_type type);

/* Sets all members to none. */
void members_clear(const struct members *members, void *values);

/* Writes a line of the type `type`, with what `values`, a structure of line_kinds.h, has. */
void line_write(struct line *line, const char *type, const struct members *members, const void *values);

/* Reads a line's members into `values`; what is not there is none. False if one is wrong, or missing: record->wrong;
 * then nothing is left to be cleared. */
bool line_read(struct record *record, const struct members *members, void *values);

/* Clears what a line that was read has allocated: its statistics. */
void line_clear(const struct members *members, void *values);

#endif
