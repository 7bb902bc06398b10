/* request_figures.h
 * Requests, added up by server, by operation and by when they began; and the slowest of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_REQUEST_FIGURES_H
#define REPORT_REQUEST_FIGURES_H

#include <glib.h>

#include "call_map.h"
#include "core/stats/groups.h"
#include "core/stats/tally.h"
#include "heap.h"
#include "json/line_members.h"
#include "nesting.h"
#include "time_axis.h"
#include "waterfall.h"

/* The sums of stages of some requests. */
struct stage_sums {
    uint64_t requests;
    wide parts_ns[PARTS];
};

/* A server, or an operation of one. */
struct gathered {
    struct tally tally;
    bool is_server;
    uint8_t framing;           /* enum protocol, of the first request whose protocol is known */
    struct stage_sums *stages; /* by moment; NULL of an operation, and where the capture has none */
    GArray *cells;             /* of an operation, of uint16_t: one of the map for each of the tally's durations */
    const struct gathered *waits_for; /* an operation that is certain to be what this one waits for; NULL: none */
};

/* A host of the captures. */
struct host {
    wide waited_ns;     /* how long it waited as a client */
    bool serves;        /* requests were sent to it */
    unsigned serves_in; /* the latest file in which it does, from 1; 0: none */
};

/* Requests that are listed; and addresses that count as one host's. */
enum { SLOWEST = 100, JOINS_SHOWN = 10 };

/* Times that are not known are -1. */
struct slow_request {
    struct slow slow; /* how long its client waited */
    int64_t first_byte_ns, service_ns, server_time_ns, request_spread_ns, transfer_ns;
    int64_t connect_ns, handshake_ns; /* of the connection's first request: how long it waited for these before */
    bool is_stream;                   /* the rest of its response is none of what its client waited for */
    struct member_stages stages;
    unsigned file; /* from 0 */
    uint32_t connection, number, frame;
    char *client, *server, *operation, *status;
    const char *outcome;
};

struct request_figures {
    struct time_axis time;
    struct groups *servers, *operations; /* of struct gathered */
    struct groups *hosts;                /* of struct host, each the key's client */
    GPtrArray *slowest;                  /* of struct slow_request: a heap, until they are sorted */
    GPtrArray *lasting;                  /* what nesting.h keeps, whose operations are struct gathered */
    unsigned file;
    GHashTable *first;       /* number of the first request, by connection; of the file */
    struct call_links links; /* of the file */
    struct call_map map;
    GPtrArray *joined; /* of char *: which addresses count as one host's, the first JOINS_SHOWN */
    unsigned more_joined;
    GPtrArray *waterfalls; /* of struct waterfall */
};

void request_figures_init(struct request_figures *requests, int64_t first_ns, int64_t last_ns);
void request_figures_clear(struct request_figures *requests);
void request_figures_begin_file(struct request_figures *requests, unsigned file);

/* Adds a line "request". */
void request_figures_take(struct request_figures *requests, struct record *record);

/* Adds a line "attempt" or "handshake", which stand behind those of the requests: how long a connection's took. */
void request_figures_take_attempt(struct request_figures *requests, struct record *record);
void request_figures_take_handshake(struct request_figures *requests, struct record *record);

/* Adds what the line "capture" has of addresses that count as one host's. */
void request_figures_take_joined(struct request_figures *requests, struct record *record);

/* Adds a line "call", which stand behind those of the requests. */
void request_figures_take_call(struct request_figures *requests, struct record *record);

/* Sorts the slowest, and finds which operation waits for which. To be called last. */
void request_figures_finish(struct request_figures *requests);

/* Returns how long clients waited that are no servers in these captures: what they waited for contains what servers
 * waited for meanwhile. */
wide request_figures_outermost(const struct request_figures *requests);

/* Numbers of the rows of struct gathered, of unsigned: those that kept their clients waiting longest come first. */
GArray *gathered_in_order(struct groups *groups);

#endif
