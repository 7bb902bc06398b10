/* connect_digest.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connect_digest.h"

void
connect_digest_clear(struct connect_digest *digest)
{
    statistic_clear(&digest->time);
    *digest = (struct connect_digest){ 0 };
}

void
connect_digest_take(struct connect_digest *digest, enum connect_result result, int64_t time_ns, uint32_t syn_retries)
{
    digest->attempts++;
    digest->results[result]++;
    digest->syn_retries += syn_retries;
    if (time_ns >= 0)
        statistic_add(&digest->time, time_ns);
}

void
connect_digest_merge(struct connect_digest *digest, const struct connect_digest *other)
{
    digest->attempts += other->attempts;
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        digest->results[i] += other->results[i];
    digest->syn_retries += other->syn_retries;
    statistic_merge(&digest->time, &other->time);
}
