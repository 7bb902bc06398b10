/* totals.h
 * The rows of the merged tables: servers, operations, connections, servers of Channel Access.
 *
 * Rows stand in the order of their first request or attempt in the merged captures, its *position*; UINT64_MAX if that
 * does not matter. Percentiles are exact for rows of which all values were seen.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_TOTALS_H
#define LATENCY_MERGE_TOTALS_H

#include <glib.h>

#include "core/stats/ca_digest.h"
#include "core/stats/connect_digest.h"
#include "core/stats/digest.h"
#include "core/stats/groups.h"
#include "values.h"

/* What every row begins with. */
struct row {
    uint64_t position;
    uint32_t number; /* of the row in its table, from 0 */
    bool begun;
    bool approximate; /* some of its values are known from a histogram only */
};

struct request_row {
    struct row row;
    struct digest digest;
};

struct attempt_row {
    struct row row;
    struct connect_digest digest;
};

struct ca_row {
    struct row row;
    struct ca_digest digest;
};

/* A table, and the values of its rows. */
struct total {
    struct groups *rows;
    struct values *values;
};

/* By host; all three have the same rows (host_totals.h). */
struct host_totals {
    struct total connects, handshakes, requests;
};

struct totals {
    struct total servers, operations; /* of struct request_row */
    struct total connections;         /* of struct attempt_row */
    struct host_totals hosts;
    struct total ca_servers, pva_servers;          /* of struct ca_row */
    struct groups *ca_names, *pva_names;           /* searched_names.h */
    struct groups *ca_commands, *pva_commands;     /* commands.h */
    uint64_t tls_handshakes, tls_alerts;           /* which the tables of requests leave out */
    uint64_t orphan_channels, orphan_pva_channels; /* which these leave out */
};

/* The value, which begins with a struct row, of the row with that key, which counts from `position` on. */
void *total_row(struct total *total, const struct group_key *key, uint64_t position);

/* NULL if there can be no temporary file; errno then says why. */
struct totals *totals_new(void);
void totals_free(struct totals *totals);

/* `key`: of the operation. It counts as soon as it is noted; taken once. */
void totals_note_request(struct totals *totals, const struct group_key *key, uint64_t position);
void totals_take_request(struct totals *totals, const struct group_key *key, const struct measured *measured,
                         uint64_t position);

/* The response to a request that has been taken as waiting. */
void totals_answer_request(struct totals *totals, const struct group_key *key, const struct measured *measured);

void totals_note_attempt(struct totals *totals, const struct group_key *key, uint64_t position);
void totals_take_attempt(struct totals *totals, const struct group_key *key, enum connect_result result,
                         int64_t time_ns, uint32_t syn_retries, uint64_t position);

/* Rows of which only sums are known. */
void total_merge_requests(struct total *total, const struct group_key *key, const struct digest *digest,
                          uint64_t position);
void total_merge_attempts(struct total *total, const struct group_key *key, const struct connect_digest *digest,
                          uint64_t position);

/* Sums are what rows of Channel Access are made of. `approximate`: the create latencies do not come one by one too. */
void total_merge_ca(struct total *total, const struct group_key *key, const struct ca_digest *digest, bool approximate,
                    uint64_t position);
void total_take_create(struct total *total, const struct group_key *key, int64_t create_ns);

#endif
