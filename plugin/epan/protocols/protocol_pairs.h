/* protocol_pairs.h
 * Requests and responses that Wireshark pairs, frame by frame: a tap of what its fields say (protocol_fields.h), with
 * the times of the frames.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROTOCOL_PAIRS_H
#define LATENCY_PROTOCOL_PAIRS_H

#include <epan/packet.h>

#include "../../core/tcp/segment.h"

#define PROTOCOLS_TAP "latency.protocols"

/* What the tap's listeners are given, in the answer's frame; and in one that may ask. */
struct protocol_pair {
    const char *protocol;
    struct endpoint server; /* port 0 without one */
    bool ipv6;
    bool is_answered; /* else it may ask: nothing in it answers */
    bool failed;      /* a status that is known is an error */
    uint32_t request; /* frame */
    int64_t elapsed_ns;
};

/* To be called once, when Wireshark registers protocols. */
void protocol_pairs_register(void);

/* Somebody listens to the tap: from now on, for as long as the program runs, fields are looked for. */
void protocol_pairs_want(void);

/* To be called for each frame that has been dissected. */
void protocol_pairs_take(packet_info *pinfo, proto_tree *tree);

#endif
