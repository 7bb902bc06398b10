/* connect_digest.h
 * What a group of attempts to connect comes to, in numbers that merge by adding.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONNECT_DIGEST_H
#define LATENCY_CONNECT_DIGEST_H

#include "../tcp/connection.h"
#include "statistic.h"

/* All zero when empty. Call connect_digest_clear() when done with it. */
struct connect_digest {
    uint64_t attempts;
    uint64_t results[CONNECT_RESULTS]; /* by enum connect_result */
    uint64_t syn_retries;
    struct statistic time; /* of those that have one */
};

void connect_digest_clear(struct connect_digest *digest);

/* `time_ns`: -1 without an answer. */
void connect_digest_take(struct connect_digest *digest, enum connect_result result, int64_t time_ns,
                         uint32_t syn_retries);
void connect_digest_merge(struct connect_digest *digest, const struct connect_digest *other);

#endif
