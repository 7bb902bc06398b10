/* channels.h
 * Channels of Channel Access and pvAccess: those that were slow to connect, phase by phase, and those that never did.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_CHANNELS_H
#define REPORT_CHANNELS_H

#include <glib.h>

#include "heap.h"
#include "json/record.h"

/* What a channel waits for, one after the other, from the first SEARCH on, or from the request to create it if its
 * search is unknown or nothing answered. Before it connects, and before it asks for the channel, it waits for its own
 * client. */
enum phase {
    PHASE_SEARCH,
    PHASE_BEFORE_CONNECT,
    PHASE_TCP_CONNECT,
    PHASE_HELLO,
    PHASE_BEFORE_CREATE,
    PHASE_CREATE, /* until the answer, or as long as it was awaited */
    PHASE_FIRST_VALUE,
    PHASES
};
/* How many are shown of those that connected, and of the others. */
enum { CHANNELS_MOST = 100 };

extern const char *const phase_names[PHASES];

struct slow_channel {
    struct slow slow;          /* all but the first value, and when that began */
    int64_t phases_ns[PHASES]; /* 0 of those that were none of this channel's, or are unknown */
    unsigned file;
    uint32_t frame; /* CREATE_CHAN's */
    char *type, *pv, *client, *server, *reason;
    const char *outcome;
};

struct channels {
    GPtrArray *slowest, *never; /* of struct slow_channel: connected, and never */
    unsigned file;
};

void channels_init(struct channels *channels);
void channels_clear(struct channels *channels);

/* Adds a line "channel" or "pva_channel". */
void channels_take(struct channels *channels, struct record *record);

void channels_sort(struct channels *channels);

#endif
