/* ca_phases.h
 * How long each phase of a channel's connection took, and what became of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_PHASES_H
#define LATENCY_CA_PHASES_H

#include "ca_channel.h"

/* In nanoseconds; -1: there is none, or it is unknown. */
struct ca_phases {
    int64_t create_ns;
    int64_t waited_ns; /* of an unanswered one */
    int64_t search_ns;
    int64_t tcp_connect_ns; /* this and the next: of its circuit */
    int64_t hello_ns;
    int64_t first_value_ns;
    int64_t connect_ns;
};

/* As far as is known at `now_ns`; not of an orphan. */
struct ca_phases ca_phases_of(const struct ca_channels *channels, const struct ca_channel *channel, int64_t now_ns);

/* "ok", "failed", "error", "unanswered"; not of an orphan. */
const char *ca_outcome_name(enum ca_outcome outcome);

/* Why it is no channel, "" if it is one or nobody knows; of one that is, why it is another one of that name. */
const char *ca_channel_reason(const struct ca_channels *channels, const struct ca_channel *channel);

#endif
