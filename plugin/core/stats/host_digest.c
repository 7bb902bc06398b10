/* host_digest.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "host_digest.h"

void
host_digest_take_handshake(struct host_digest *digest, enum tls_result result, int64_t time_ns)
{
    digest->handshakes[result]++;
    if (time_ns >= 0)
        statistic_add(&digest->handshake, time_ns);
}

void
host_digest_merge(struct host_digest *digest, const struct host_digest *other)
{
    connect_digest_merge(&digest->connects, &other->connects);
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        digest->handshakes[i] += other->handshakes[i];
    statistic_merge(&digest->handshake, &other->handshake);
    digest_merge(&digest->requests, &other->requests);
}

void
host_digest_clear(struct host_digest *digest)
{
    connect_digest_clear(&digest->connects);
    statistic_clear(&digest->handshake);
    digest_clear(&digest->requests);
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        digest->handshakes[i] = 0;
}
