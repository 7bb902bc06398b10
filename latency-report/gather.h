/* gather.h
 * What a report is made of, added up while its files are read: a million requests come to some hundred figures each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include <glib.h>

#include "core/stats/tally.h"

/* Latencies are counted in BUCKETS_OF_TEN buckets from each power of ten (of ns) to the next. */
enum { MOMENTS_MOST = 120, BUCKETS_OF_TEN = 10, BUCKETS = 13 * BUCKETS_OF_TEN, SLOWEST = 100 };

/* A server, or an operation of one. Texts are as they stand in JSON, escaped. */
struct gathered {
    char *server, *kind; /* `kind` NULL of a server */
    struct tally tally;
    GArray *times; /* to first byte, of int64_t; ascending in the end. NULL of an operation */
};

/* A stretch of time of the report. */
struct moment {
    uint64_t requests, errors, unanswered, bytes;
    uint64_t buckets[BUCKETS]; /* of the answered */
};

struct slow_request {
    int64_t time_ns, first_byte_ns, service_ns, server_time_ns, request_spread_ns, response_spread_ns;
    uint32_t file; /* from 0 */
    uint32_t number, frame;
    char *client, *server, *operation, *status, *outcome;
};

/* Attempts to connect to a server, by result. */
struct attempted {
    char *server;
    uint64_t attempts, accepted, refused, unreachable, unanswered;
};

/* Packets from a host to or from a server. */
struct sent {
    char *sender, *server;
    uint64_t frames, gaps, out_of_order, retransmitted;
};

struct gathering {
    int64_t first_ns, last_ns;
    int64_t moment_ns; /* how long one is */
    unsigned n_moments;
    struct moment *moments;
    GPtrArray *servers, *operations; /* of struct gathered */
    GPtrArray *attempted, *sent;
    GHashTable *by_name; /* of all four, by what they are and their names */
    GPtrArray *slowest;  /* of struct slow_request: a heap, the fastest first */
    uint32_t file;
};

/* Of captures from `first_ns` to `last_ns`. */
struct gathering *gathering_new(int64_t first_ns, int64_t last_ns);
void gathering_free(struct gathering *gathering);

/* Adds a line of docs/json.md, of whatever type. */
void gathering_take(struct gathering *gathering, const char *line);

/* The bucket of a latency, and where one begins. */
unsigned gathering_bucket(int64_t ns);
double gathering_bucket_start(unsigned bucket);

/* Sorts all: what kept its clients waiting longest comes first, and the slowest request. To be called last. */
void gathering_finish(struct gathering *gathering);

#endif
