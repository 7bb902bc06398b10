/* host_totals.h
 * The rows of the merged table of hosts, with three times each; positions as in totals.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_HOST_TOTALS_H
#define LATENCY_MERGE_HOST_TOTALS_H

#include "core/stats/host_digest.h"
#include "totals.h"

struct host_row {
    struct row row;
    struct host_digest digest;
};

/* False if there can be no temporary file; errno then says why. Call host_totals_clear() in both cases. */
bool host_totals_init(struct host_totals *hosts);
void host_totals_clear(struct host_totals *hosts);

/* `key`: of the host, as group_of_named_host() has it. */
void host_totals_note(struct host_totals *hosts, const struct group_key *key, uint64_t position);
void host_totals_take_attempt(struct host_totals *hosts, const struct group_key *key, enum connect_result result,
                              int64_t time_ns, uint32_t syn_retries, uint64_t position);
void host_totals_take_handshake(struct host_totals *hosts, const struct group_key *key, enum tls_result result,
                                int64_t time_ns, uint64_t position);
void host_totals_take_request(struct host_totals *hosts, const struct group_key *key, const struct measured *measured,
                              uint64_t position);

/* The response to a request that has been taken as waiting. */
void host_totals_answer_request(struct host_totals *hosts, const struct group_key *key,
                                const struct measured *measured);

/* A row of which only sums are known. */
void host_totals_merge(struct host_totals *hosts, const struct group_key *key, const struct host_digest *digest,
                       uint64_t position);

#endif
