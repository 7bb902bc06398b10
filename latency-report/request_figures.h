/* request_figures.h
 * Requests, added up by server, by operation and by when they began; and the slowest of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_REQUEST_FIGURES_H
#define REPORT_REQUEST_FIGURES_H

#include <glib.h>

#include "core/stats/tally.h"
#include "heap.h"
#include "time_axis.h"
#include "stages.h"

/* A server, or an operation of one. */
struct gathered {
    char *server, *kind; /* `kind` NULL of a server */
    struct tally tally;
    GArray *times;             /* to first byte, of int64_t; ascending in the end. NULL of an operation */
    struct stage_sums *stages; /* by moment; NULL of an operation, and where the capture has none */
};

/* Times that are not known are -1. */
struct slow_request {
    struct slow slow; /* the time to first byte */
    int64_t service_ns, server_time_ns, request_spread_ns, response_spread_ns;
    int64_t connect_ns, handshake_ns; /* of the connection's first request: how long it waited for these before */
    int64_t stages_ns[PARTS];
    unsigned file; /* from 0 */
    uint32_t connection, number, frame;
    char *client, *server, *operation, *status, *outcome;
};

struct request_figures {
    struct time_axis time;
    GPtrArray *servers, *operations; /* of struct gathered */
    GHashTable *by_name;             /* of both */
    GPtrArray *slowest;              /* of struct slow_request: a heap, until they are sorted */
    unsigned file;
    GHashTable *first; /* number of the first request, by connection; of the file */
    GString *name;     /* for a while */
};

void request_figures_init(struct request_figures *requests, int64_t first_ns, int64_t last_ns);
void request_figures_clear(struct request_figures *requests);
void request_figures_begin_file(struct request_figures *requests, unsigned file);

/* Adds a line "request". */
void request_figures_take(struct request_figures *requests, const char *line);

/* A line "attempt" or "handshake", which stand behind those of the requests: how long a connection's took. */
void request_figures_take_setup(struct request_figures *requests, const char *line);

void request_figures_sort(struct request_figures *requests);

#endif
