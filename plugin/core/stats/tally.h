/* tally.h
 * What a group of requests comes to: those of a server, of an operation, of a second.
 *
 * A request counts as soon as it begins, and adds the difference as it goes on: whoever tallies keeps its share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TALLY_H
#define LATENCY_TALLY_H

#include "../request/request.h"
#include "sample.h"

/* All zero for none. */
struct tally {
    uint64_t requests;
    uint64_t errors;       /* answers that are one */
    uint64_t by_messages;  /* from others by their messages */
    uint64_t in_tls;       /* the others, where nobody has decrypted them */
    uint64_t farewells;    /* requests without response that await none */
    uint64_t waiting;      /* requests whose response may still come */
    uint64_t server_times; /* requests that have one */
    wide server_time_ns;   /* sums */
    uint64_t response_bytes;
    uint64_t streams; /* of the answered; clients wait for their first bytes: */
    wide streams_wait_ns;
    uint64_t long_polls;      /* of the answered; they await an event */
    struct sample first_byte; /* of the answered */
    bool has_durations;       /* false: each is the time to first byte, and `duration` is empty */
    struct sample duration;   /* of those that are neither streams nor long polls: to the last byte */
};

/* What a request has added so far; zeroed before the first call. */
struct share {
    int64_t first_byte_ns;
    int64_t server_ns; /* 0 if there is none */
    int64_t wait_ns;   /* as it has been added; see `wait` */
    int64_t latest_ns; /* as it is now, to the last byte, if `is_under_way` */
    uint64_t response_bytes : 52;
    uint64_t wait : 2;         /* enum wait: as what `wait_ns` was added; WAIT_NONE if it has not been */
    uint64_t is_under_way : 1; /* the response goes on: `latest_ns` has not been added */
    uint64_t farewell : 1;
    uint64_t waiting : 1;
    uint64_t tls : 3; /* enum tls_turn: not counted, but as that */
    uint64_t failed : 1;
    uint64_t counted : 1;
    uint64_t has_server_time : 1;
    uint64_t answered : 1;
};

/* Call tally_clear() when done with it. Takes the request as it is now. `is_known`: all that the capture has of it is
 * known; otherwise a response that goes on has its duration once it has ended, or with tally_settle_wait(). */
void tally_take(struct tally *tally, struct share *share, const struct requests *requests,
                const struct request *request, bool is_known);

/* Takes of a request, none of whose packets has come since, whether it still waits for its response. */
void tally_settle(struct tally *tally, struct share *share, const struct requests *requests,
                  const struct request *request);

/* Takes how long the response of a request, which may be forgotten by now, has taken so far. */
void tally_settle_wait(struct tally *tally, struct share *share);

/* Returns the durations, in the tally's own sample; of responses in a single packet that is the one of first bytes. */
struct sample *tally_durations(struct tally *tally);

/* Returns how long clients waited for servers, in all. */
wide tally_wait_ns(const struct tally *tally);

/* Returns how many requests will have no response, of those that await one. */
uint64_t tally_unanswered(const struct tally *tally);

/* Takes what the other has, too: of other requests. */
void tally_merge(struct tally *tally, const struct tally *other);

/* Frees what the tally has allocated: it is empty then. */
void tally_clear(void *tally);

/* Keeps the tally's samples in outline, as sample_outline() does. */
void tally_outline(struct tally *tally);

/* What a request has come to, when nothing more will. */
struct measured {
    bool by_messages; /* from others by its messages */
    bool in_tls;      /* not, for nobody has decrypted it */
    bool farewell;    /* it awaits no answer */
    bool waiting;     /* its answer may still come */
    bool answered;    /* the rest is meaningful only then */
    bool failed;      /* by an error */
    enum wait wait;
    int64_t first_byte_ns;
    int64_t server_time_ns; /* -1 if unknown */
    int64_t last_byte_ns;
    uint64_t response_bytes;
};

/* Returns how long the client of an answered request waited for the server, as request_wait_ns() does. */
int64_t measured_wait_ns(const struct measured *measured);

struct measured request_measure(const struct requests *requests, const struct request *request);

/* Returns the measures of a request of which only the outcome is known, and whether its response is `an_error`: its
 * times and bytes are left to the caller. */
struct measured outcome_measure(enum outcome outcome, bool an_error);

/* Adds a request that is taken once, without a share. */
void tally_add(struct tally *tally, const struct measured *measured);

/* Adds the response to one that was waiting when it was added; it may still be if a damaged file says that none was. */
void tally_add_answer(struct tally *tally, const struct measured *measured);

/* A tally's figures, in nanoseconds; NAN where there is nothing to say. */
struct tally_summary {
    uint64_t requests, unanswered, errors, response_bytes;
    struct description first_byte, duration;
    double wait;           /* the sum */
    double server_time;    /* the mean */
    uint64_t server_times; /* of how many requests that is */
};

void tally_summarize(struct tally *tally, struct tally_summary *summary);

#endif
