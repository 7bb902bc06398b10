/* host_digest.h
 * What a host comes to (host_tally.h), in numbers that merge by adding.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HOST_DIGEST_H
#define LATENCY_HOST_DIGEST_H

#include "connect_digest.h"
#include "digest.h"
#include "host_tally.h"

/* All zero when empty. Call host_digest_clear() when done with it. */
struct host_digest {
    struct connect_digest connects;
    uint64_t handshakes[TLS_RESULTS]; /* by enum tls_result */
    struct statistic handshake;       /* of those that are complete */
    struct digest requests;
};

/* `time_ns`: -1 if it is not complete. */
void host_digest_take_handshake(struct host_digest *digest, enum tls_result result, int64_t time_ns);
void host_digest_merge(struct host_digest *digest, const struct host_digest *other);
void host_digest_clear(struct host_digest *digest);

#endif
