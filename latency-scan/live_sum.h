/* live_sum.h
 * What the requests that ended within some time come to, for the live view: counts, times, and the slowest of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_SUM_H
#define SCAN_LIVE_SUM_H

#include <stdbool.h>

#include "core/stats/statistic.h"
#include "core/tcp/segment.h"

enum { LIVE_SLOWEST = 5 };

/* A request that has ended. Its texts are borrowed where it is told. */
struct live_request {
    struct endpoint client, server;
    bool ipv6, is_udp;
    bool is_answered, has_failed;
    bool has_wait; /* its client waited for it: it is answered, and no long poll */
    int64_t wait_ns, ended_ns;
    uint32_t number, frame, connection;
    const char *operation;
};

/* All zero for none. Call live_sum_clear() when done with it. */
struct live_sum {
    uint64_t requests, errors, unanswered;
    struct statistic wait;
    struct live_request *slowest[LIVE_SLOWEST]; /* the first has the longest wait; NULL behind the last */
};

void live_sum_clear(struct live_sum *sum);
void live_sum_add(struct live_sum *sum, const struct live_request *request);
void live_sum_merge(struct live_sum *sum, const struct live_sum *other);

/* Adds another's counts and sum of times alone: percentiles and single requests are then not those of both. */
void live_sum_merge_counts(struct live_sum *sum, const struct live_sum *other);

#endif
