/* ca_digest.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_digest.h"

void
ca_digest_clear(struct ca_digest *digest)
{
    statistic_clear(&digest->create);
    *digest = (struct ca_digest){ 0 };
}

void
ca_digest_take_channel(struct ca_digest *digest, const struct ca_channel *channel, const struct ca_search *search,
                       int64_t now_ns)
{
    struct ca_share share = { 0 };
    int64_t create_ns = ca_tally_take_channel(&digest->tally, &share, channel, search, now_ns);
    if (create_ns >= 0)
        statistic_add(&digest->create, create_ns);
}

void
ca_digest_merge(struct ca_digest *digest, const struct ca_digest *other)
{
    ca_tally_merge(&digest->tally, &other->tally);
    statistic_merge(&digest->create, &other->create);
}
