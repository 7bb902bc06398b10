/* worker_span.h
 * A part of what happens on a host: the moments at which a worker may go on, and those at which one went on.
 *
 * A *trigger* is a moment after which a worker may go on: a request has arrived, a call has been answered, a response
 * has been sent. A *start* is a moment at which one went on: a call begins, a response begins. A *link* is the guess
 * that a start follows from a trigger: each start does from one, and from a trigger follows one at most.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WORKER_SPAN_H
#define LATENCY_WORKER_SPAN_H

#include "calls_host.h"
#include "worker_model.h"
#include "worker_pins.h"

#define NO_PLACE UINT32_MAX

/* What came to the host. Places are in the span's arrays; NO_PLACE: there is none. */
struct span_request {
    uint32_t asked;     /* its place in what the host was asked */
    uint32_t response;  /* place of the start of its response */
    float is_unstarted; /* how likely none of its calls has begun, while these are gone through in their order */
};

/* What the host asked, and who may have caused it: `n` of the span's candidates. */
struct span_call {
    uint32_t number;
    uint32_t first, n; /* candidates */
    uint32_t worker;   /* whose connection it is; 0: its connection is not pinned to one */
    uint32_t before;   /* the call before it, by the same worker, or else on the same connection */
    uint32_t behind;   /* likewise, the next */
    float forward;     /* the sum of its candidates' in the span */
    uint32_t start;    /* its own */
    uint32_t answered; /* place of its trigger */
    uint32_t set_free; /* likewise, of a pinned connection */
};

/* Says what has happened. After TRIGGER_SENT and TRIGGER_FREE the worker is free: what it does then is for another
 * request. */
enum trigger_type {
    TRIGGER_ARRIVED,  /* a request is there */
    TRIGGER_ANSWERED, /* a call has its response */
    TRIGGER_SENT,     /* a response has been sent */
    TRIGGER_FREE      /* a call of a pinned connection has its response, and its request needs nothing more */
};

struct trigger {
    int64_t ns;
    uint32_t of;         /* place of its request, or of its call */
    uint32_t connection; /* number */
    uint32_t kind;
    enum trigger_type type;
};

struct start {
    int64_t ns;
    uint32_t of;
    uint32_t connection;
    uint32_t kind;
    uint32_t first_link, n_links;
    bool is_response;
};

struct link {
    uint32_t trigger, start;
    struct worker_pair *pair;
    struct worker_tie *tie; /* NULL: what the connections are says nothing */
    float odds;             /* that the start follows from it, to that nothing does */
    float p;                /* how likely the start follows from it */
    uint8_t gap;
    bool is_left;                /* when links were hardened last: see worker.c */
    uint32_t last;               /* a connection of which the tie is known: see worker.c */
    struct worker_tie *last_tie; /* NULL: there is none */
};

/* A call from which a response follows, as far as that is likely. */
struct last_call {
    uint32_t connection;
    float p;
};

struct worker_span {
    const struct calls_host *host;
    struct worker_model *model;
    const struct worker_pins *pins;
    uint32_t *noted;         /* of each request to the host; all 0 but in worker_span_link() */
    GArray *requests, *made; /* of struct span_request, struct span_call: in the order in which they began */
    GArray *candidates;      /* places of requests, ascending for each call */
    float *forward, *backward, *waiting; /* of each candidate: see worker_causes.h */
    uint16_t *places;                    /* of each request: see worker_causes.c */
    GArray *triggers, *starts;           /* in the order of time */
    GArray *links;                       /* by start */
    uint32_t *by_trigger;                /* places of links, by trigger */
    uint32_t *trigger_links;             /* where each trigger's begin there; one more than there are triggers */
    GArray *last_calls;                  /* of struct last_call, by the requests whose responses follow: see worker.c */
    uint32_t *last_ends;                 /* where those of each request end there */
    uint32_t connections[2 * WORKER_OPERATIONS]; /* how many have starts of a kind */
};

/* Begins a span without anything. All is borrowed until worker_span_free(). `noted`: 0 of each request to the host. */
struct worker_span *worker_span_new(const struct calls_host *host, struct worker_model *model,
                                    const struct worker_pins *pins, uint32_t *noted);
void worker_span_free(struct worker_span *span);

/* Adds a call, in the order in which they began, with those who may have caused it. */
void worker_span_add(struct worker_span *span, uint32_t number, const struct call_candidates *candidates);

/* Makes triggers, starts and links of what has been added. */
void worker_span_link(struct worker_span *span);

#define span_at(array, type, place) (&g_array_index(array, type, place))

#endif
