/* continuity.h
 * Whether the packets of one sender on one connection follow each other: IP IDs and filled segments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONTINUITY_H
#define LATENCY_CONTINUITY_H

#include "segment.h"
#include "../util/settings.h"
#include "../util/vocabulary.h"

/* Steps from one packet's IP ID to the next's, by what they look like. */
struct ipid_steps {
    uint32_t total;
    uint32_t constant, swapped, random; /* of them */
};

/* One of them. */
struct ipid_step {
    int16_t delta; /* the ID less the expected one */
    enum ipid_behaviour kind;
};

struct continuity {
    struct ipid_steps steps;
    uint32_t largest_payload;
    uint16_t mss; /* negotiated; 0 if unknown */
    uint16_t last_id;
    uint16_t last_packets; /* on the wire, that the last frame stands for */
    bool has_last;
};

void ipid_steps_add(struct ipid_steps *steps, enum ipid_behaviour kind);

/* By majority. */
enum ipid_behaviour ipid_steps_behaviour(const struct ipid_steps *steps);

/* Whether the segment is filled: docs/measuring.md, "full size". */
bool continuity_is_full(const struct continuity *continuity, const struct segment *segment,
                        const struct settings *settings);

/* Takes the sender's next segment but SYN and RST. True if its IP ID could be foreseen: `step` is then how it follows.
 */
bool continuity_take(struct continuity *continuity, const struct segment *segment, const struct settings *settings,
                     struct ipid_step *step);

#endif
