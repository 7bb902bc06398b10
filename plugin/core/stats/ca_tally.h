/* ca_tally.h
 * What the channels of a server come to.
 *
 * A channel counts as soon as it is asked for, and adds what else becomes known of it: whoever tallies keeps its share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_TALLY_H
#define LATENCY_CA_TALLY_H

#include "../ca/ca_channel.h"
#include "describe.h"

/* All zero for none. */
struct ca_tally {
    uint64_t channels;
    uint64_t created;
    uint64_t failed;                    /* those that the server refused: CREATE_CH_FAIL or ERROR */
    uint64_t waiting;                   /* those whose answer may still come */
    wide asked_ns;                      /* sum of the times to an answer, of whatever kind */
    struct moments search, first_value; /* of channels */
    struct moments tcp_connect, hello;  /* of circuits */
};

/* What a channel, or a circuit, has added so far; zeroed before the first call. */
struct ca_share {
    uint8_t counted : 1;
    uint8_t answered : 1;
    uint8_t waiting : 1;
    uint8_t has_first_value : 1;
    uint8_t has_tcp_connect : 1;
    uint8_t has_hello : 1;
};

/* Each takes the record as it is at `now_ns`. `search`: the one that found the channel's server; NULL if unknown.
 * Returns the create latency in nanoseconds, for the caller to keep, if that adds a channel created; -1 if not. */
int64_t ca_tally_take_channel(struct ca_tally *tally, struct ca_share *share, const struct ca_channel *channel,
                              const struct ca_search *search, int64_t now_ns);

/* Takes again a channel that was waiting: that its circuit has ended, or that it has timed out, comes with no message
 * about it. */
void ca_tally_settle(struct ca_tally *tally, struct ca_share *share, const struct ca_channel *channel, int64_t now_ns);

void ca_tally_take_circuit(struct ca_tally *tally, struct ca_share *share, const struct ca_circuit *circuit);

uint64_t ca_tally_unanswered(const struct ca_tally *tally);

void ca_tally_merge(struct ca_tally *tally, const struct ca_tally *other);

#endif
