/* ca_digest.h
 * What the channels of a server come to, in numbers that merge by adding; its memory does not grow with channels.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_DIGEST_H
#define LATENCY_CA_DIGEST_H

#include "ca_tally.h"
#include "statistic.h"

/* All zero when empty. Call ca_digest_clear() when done with it. */
struct ca_digest {
    struct ca_tally tally;
    struct statistic create; /* of those created */
};

void ca_digest_clear(struct ca_digest *digest);

/* As ca_tally_take_channel(), once for each channel when nothing more will come of it. */
void ca_digest_take_channel(struct ca_digest *digest, const struct ca_channel *channel, const struct ca_search *search,
                            int64_t now_ns);
void ca_digest_merge(struct ca_digest *digest, const struct ca_digest *other);

#endif
