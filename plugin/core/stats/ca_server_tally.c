/* ca_server_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_server_tally.h"

void
ca_server_tally_clear(void *value)
{
    struct ca_server_tally *tally = value;
    sample_clear(&tally->create);
    *tally = (struct ca_server_tally){ 0 };
}

void
ca_server_tally_outline(struct ca_server_tally *tally)
{
    sample_outline(&tally->create);
}

void
ca_server_tally_take_channel(struct ca_server_tally *tally, struct ca_share *share, const struct ca_channel *channel,
                             const struct ca_search *search, int64_t now_ns)
{
    int64_t create_ns = ca_tally_take_channel(&tally->counts, share, channel, search, now_ns);
    if (create_ns >= 0)
        sample_add(&tally->create, create_ns);
}
