/* call_pairs.h
 * What the calls of one operation by the requests of another come to: the rows of -z latency,calls.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_PAIRS_H
#define LATENCY_CALL_PAIRS_H

#include <glib.h>

#include "../core/stats/groups.h"
#include "../core/stats/sample.h"
#include "../core/util/hashed.h"
#include "../core/util/vocabulary.h"
#include "call_name.h"

/* What the requests of an operation come to. */
struct caller {
    uint64_t requests;
    wide wait_ns; /* how long clients waited for them */
};

/* A row. Both operations are numbers of struct call_pairs' operations. */
struct call_pair {
    struct hashed hashed; /* by the pair */
    unsigned operation, called;
    uint64_t calls, errors, unanswered, retries;
    uint64_t by_rule[CALL_RULES];
    struct sample durations;
    wide time_ns;   /* of the requests' time, that when one of the calls was under way */
    uint64_t asked; /* how many requests there were with the latest, of which this has been counted until then: */
    int64_t counted_ns;
};

/* A request, or a call. */
struct pair_request {
    int64_t begins_ns, until_ns; /* how long its client waited for it */
    uint8_t rule, outcome;       /* enum call_rule, enum outcome */
    bool failed, is_retry;
    bool has_duration; /* it is part of the sample */
};

struct call_pairs {
    struct groups *operations;   /* of struct caller */
    GPtrArray *rows;             /* of struct call_pair */
    struct hashed_table by_pair; /* the same */
    uint64_t requests, calling;  /* all, and those that have calls */
    uint64_t called_by;          /* how many there were with the last of these */
    uint64_t told[CALL_RULES];   /* calls in rows, by rule */
    struct untold_calls untold;
    /* The request that was taken last: */
    struct pair_request request;
    unsigned operation;
};

void call_pairs_init(struct call_pairs *pairs);
void call_pairs_clear(struct call_pairs *pairs);

/* Returns the number of the operation of this server and kind. */
unsigned call_pairs_operation(struct call_pairs *pairs, const struct group_key *key);

/* Takes a request; then its calls follow, in the order in which they began. */
void call_pairs_take_request(struct call_pairs *pairs, unsigned operation, const struct pair_request *request);
void call_pairs_take_call(struct call_pairs *pairs, unsigned operation, const struct pair_request *call);

/* Returns how much of the time of all requests of its operation the row's calls take, in percent; NAN if that is 0. */
double call_pairs_share(const struct call_pairs *pairs, const struct call_pair *row);

/* Writes how many requests there are and how many calls by which rule, as whole lines. */
void call_pairs_write(const struct call_pairs *pairs, GString *text);

#endif
