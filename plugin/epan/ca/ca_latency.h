/* ca_latency.h
 * Shows what the pairing of Channel Access messages found: names, latencies, links from requests to answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_LATENCY_H
#define LATENCY_CA_LATENCY_H

#include <epan/packet.h>

#include "../../core/ca/ca_event.h"

void ca_latency_register(int proto);

/* `item` is the message's, above `tree`. */
void ca_latency_show(proto_tree *tree, proto_item *item, tvbuff_t *tvb, packet_info *pinfo,
                     const struct ca_event *event);

#endif
