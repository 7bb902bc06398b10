/* ca_server_tally.h
 * What the channels of a server come to, and the times in which it created them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_SERVER_TALLY_H
#define LATENCY_CA_SERVER_TALLY_H

#include "ca_tally.h"
#include "sample.h"

/* All zero for none. Call ca_server_tally_clear() when done with it. */
struct ca_server_tally {
    struct ca_tally counts;
    struct sample create; /* of the channels created */
};

void ca_server_tally_clear(void *tally);

/* Keeps the tally's samples in outline, as sample_outline() does. */
void ca_server_tally_outline(struct ca_server_tally *tally);

/* Takes a channel as ca_tally_take_channel() does, and its create latency into the sample. */
void ca_server_tally_take_channel(struct ca_server_tally *tally, struct ca_share *share,
                                  const struct ca_channel *channel, const struct ca_search *search, int64_t now_ns);

#endif
