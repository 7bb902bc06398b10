/* ca_latency.h
 * Shows what the pairing of Channel Access messages found: names, latencies, links from requests to answers; and of a
 * frame the one message that its columns are about: what went wrong, else the slowest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_LATENCY_H
#define LATENCY_CA_LATENCY_H

#include <epan/packet.h>

#include "../../core/ca/ca_event.h"

void ca_latency_register(int proto, const struct circuit_protocol *protocol);

/* `item` is the message's, above `tree`. */
void ca_latency_show(proto_tree *tree, proto_item *item, tvbuff_t *tvb, packet_info *pinfo,
                     const struct ca_event *event);

/* Likewise of one of several channels that a message is about, in a tree of its own below `tree`. */
void ca_latency_show_one(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct ca_event *event);

/* Shows the one message of the frame, with values that all belong to it: behind all that was shown of the frame. */
void ca_latency_show_frame(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo);

#endif
