/* calls_host.h
 * What the rules work on: a host, with the requests that came to it and the calls that it made. For calls_tell() alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_HOST_H
#define LATENCY_CALLS_HOST_H

#include "calls.h"
#include "calls_clocks.h"
#include "calls_ids.h"
#include "calls_threads.h"
#include "../util/hashed.h"
#include "../util/pool.h"

/* What is known of a connection that has requests. */
struct call_connection {
    uint32_t from, to;          /* numbers of the addresses, from 1; 0: nothing is known of the connection */
    uint32_t client, server;    /* numbers of their hosts, which are those of one of its addresses, by calls_tell() */
    int64_t begins_ns, ends_ns; /* of its requests, by calls_tell() */
    uint32_t login;             /* of its requests; 0: there is none, or another has followed */
    bool has_gaps;              /* the capture does not have all that was said */
    bool is_whole;              /* the capture has its beginning */
};

/* An address that is seen; or the first of those that the user has joined. */
struct call_address {
    struct endpoint end; /* port 0 */
    uint64_t named;      /* what requests have that name it: address_hash() */
    bool ipv6;
};

struct calls {
    const struct settings *settings;
    wmem_allocator_t *scope;
    struct pool records;     /* of struct call, by the numbers of requests */
    struct pool connections; /* of struct call_connection, by their numbers */
    struct pool operations;  /* of struct operation_record (calls.c) */
    struct hashed_table operations_by_key;
    struct operation_memo *memo; /* operations of late, by what was asked for */
    struct hashed_table hosts;
    struct pool addresses; /* of struct call_address, by their numbers */
    GArray *joins;         /* of struct call_join */
    struct calls_ids *ids; /* while causes are told */
    struct calls_threads threads;
    struct calls_clocks clocks;
    uint64_t told[CALL_RULES];
    uint32_t *by_cause; /* the calls with a cause, sorted by it, then by their beginning */
    uint32_t n_by_cause;
    bool is_told; /* nothing has been taken since calls_tell() */
};

/* What is known of the calls of one operation that a host makes. */
struct call_habit {
    uint32_t host;        /* whose this is; another's: it has made none yet */
    uint32_t calls;       /* how many there are of which the capture has all that may be the cause */
    uint32_t single;      /* with but one request that could be the cause */
    uint32_t alone;       /* while no request was outstanding that could be the cause, or when it had ended */
    uint32_t asked;       /* requests of this kind that came to the host */
    uint32_t opened;      /* connections that such logins opened, if it is told what caused the first use of them */
    uint32_t ahead;       /* of these, before that came */
    bool has_others;      /* the cause of one asks for something else, as far as that is known */
    bool may_have_others; /* so it is of one of which the capture may not have the cause */
};

/* How many requests of a kind were the only one that could be the cause of a call of a kind. */
struct call_pair {
    uint64_t kinds; /* operations: of the call in the higher half, of the request in the lower */
    uint32_t requests;
    uint32_t last_number; /* of these requests */
};

/* A host, while its calls' causes are told. Arrays of numbers of requests, sorted by when these began. */
struct calls_host {
    struct calls *calls;
    uint32_t number;
    uint32_t *asked; /* requests that came to it */
    uint32_t *made;  /* calls that it made */
    uint32_t n_asked, n_made;
    double idle;                 /* the part of the time in which nothing was outstanding; 0..1 */
    int64_t settled_ns;          /* before that, requests of which the capture has no beginning may be the cause */
    GHashTable *pairs;           /* of struct call_pair */
    struct call_habit *habits;   /* by operation */
    struct call_span *uncertain; /* when connections to it were open that the capture does not have all of */
    uint32_t n_uncertain;
    bool is_partial; /* the capture does not have all requests to it, by what it does on its own account */
};

struct call_span {
    int64_t begins_ns, ends_ns;
};

static inline struct call *
call_at(const struct calls *calls, uint32_t number)
{
    return pool_at(&calls->records, number);
}

/* The requests that may have caused a call, those that began last first. There were more if `is_cut`: then it is not
 * known whether the cause is among them. */
struct call_candidates {
    uint32_t number[CALL_CANDIDATES];
    uint32_t count;
    bool is_cut;
};

/* Whether the call may be one of the cause: it began later and ended earlier. */
bool call_is_within(const struct call *call, const struct call *cause);

/* Hands over each call that the host made and that `wants` returns true for (NULL: all), in the order in which they
 * began, with all requests that contain it; of one whose cause has been told, that alone. */
typedef bool call_wants(const struct calls_host *host, const struct call *call);
typedef void call_take(void *data, uint32_t number, struct call_candidates *candidates);
void calls_host_each(const struct calls_host *host, call_wants *wants, call_take *take, void *data);

/* Sorts numbers of requests by when these began. */
void calls_sort(const struct calls *calls, uint32_t *numbers, uint32_t n);

/* Makes the rest of a host of which `asked`, not empty, and `made` are there; `habits` stay the caller's. End with
 * calls_host_close(). */
void calls_host_open(struct calls_host *host);
void calls_host_close(struct calls_host *host);

/* What the host's habit is in what the call asks for. */
struct call_habit *calls_host_habit(const struct calls_host *host, const struct call *call);

/* The pair of a call and a request that may be its cause; a new one, of no requests, if there is none. */
struct call_pair *calls_host_pair(const struct calls_host *host, const struct call *call, const struct call *cause);

/* Whether the capture has all requests that were outstanding on the host when the call began. */
bool calls_host_knows(const struct calls_host *host, const struct call *call);

/* Tells the cause of a call. */
static inline void
call_tell(struct calls *calls, uint32_t number, uint32_t cause, enum call_rule rule, unsigned probability)
{
    struct call *call = call_at(calls, number);
    call->cause = cause;
    call->rule = (uint8_t)rule;
    call->probability = (uint8_t)probability;
    if (cause > 0 && rule != CALL_WORKER)
        call->candidates = 1;
}

#endif
