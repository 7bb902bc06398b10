/* causes.h
 * What all requests of a capture come to as causes of waiting: how long each operation took itself, without what it
 * waited for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CAUSES_H
#define LATENCY_CAUSES_H

#include <glib.h>

#include "calls.h"
#include "served.h"

/* The first are those that are named. A server is looked at if it takes a tenth of all time or more; and it is said
 * that it serves one request at a time if requests wait there for others for a third of their time or more. */
enum { CAUSES_FIRST = 3, CAUSES_SERVER_PART = 10, CAUSES_QUEUED_PART = 3 };

/* What the requests of an operation come to. Times are sums in nanoseconds, of answered requests; of a stream until its
 * first byte, and 0 of those that await an event. */
struct cause {
    uint32_t operation; /* for calls_operation() */
    uint64_t requests, answered;
    uint64_t errors;     /* answers that are one */
    uint64_t unanswered; /* no answer will come */
    uint64_t lost;       /* of these: bytes are missing in the capture, and with them which answer is whose */
    uint64_t waiting;    /* whose answer may still come */
    double duration_ns;  /* how long clients waited */
    double own_ns;       /* the same without the calls of these requests */
    double queued_ns;    /* of own_ns: while the server, which serves one at a time, served another; see served.h */
};

/* One of those that took longest themselves. */
struct first_cause {
    uint32_t operation;
    uint32_t caller; /* the operation whose requests wait longest for this one; meaningful if caller_ns > 0 */
    double caller_ns;
};

/* A server that serves one request at a time. */
struct served_server {
    struct served served;
    double queued_ns; /* how long requests waited there while one of served.blocking was being served */
};

struct causes {
    const struct calls *calls;
    struct cause *operations; /* by their numbers */
    uint32_t n_operations;
    struct cause all;
    double busy_ns;  /* while some request was outstanding whose client waited for its answer */
    uint64_t told;   /* requests that are calls: it is told whose */
    uint64_t untold; /* requests that one of several may have caused */
    struct first_cause first[CAUSES_FIRST];
    unsigned n_first;
    GArray *servers; /* of struct served_server: those that serve one request at a time */
};

/* Finds them, after calls_tell(), of those requests that count. `calls` are borrowed until causes_clear(). */
void causes_find(struct causes *causes, const struct calls *calls, bool (*counts)(void *data, uint32_t number),
                 void *data);
void causes_clear(struct causes *causes);

#endif
