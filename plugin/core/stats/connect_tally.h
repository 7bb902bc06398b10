/* connect_tally.h
 * What a group of attempts to connect comes to: those of a client to a server.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONNECT_TALLY_H
#define LATENCY_CONNECT_TALLY_H

#include "../tcp/connection.h"
#include "push_tally.h"
#include "sample.h"

/* All zero for none. */
struct connect_tally {
    uint64_t attempts;
    uint64_t results[CONNECT_RESULTS]; /* by enum connect_result */
    uint64_t syn_retries;
    struct push_tally pushes; /* of these connections */
    struct sample time;       /* of those that have one */
};

/* What an attempt has added so far; zeroed before the first call. */
struct connect_share {
    int64_t time_ns; /* -1 if it has none */
    uint32_t syn_retries;
    uint8_t result;
    bool counted;
};

/* Call connect_tally_clear() when done with it. Takes the attempt as it is now, with what it has come to so far. */
void connect_tally_take(struct connect_tally *tally, struct connect_share *share, const struct connect *connect,
                        enum connect_result result);

/* Adds an attempt that is taken once, without a share. `time_ns`: -1 without an answer. */
void connect_tally_add(struct connect_tally *tally, enum connect_result result, int64_t time_ns, uint32_t syn_retries);

/* Keeps the tally's samples in outline, as sample_outline() does. */
void connect_tally_outline(struct connect_tally *tally);

/* Takes what the other has, too: of other attempts. */
void connect_tally_merge(struct connect_tally *tally, const struct connect_tally *other);

/* Frees what the tally has allocated: it is empty then. */
void connect_tally_clear(void *tally);

#endif
