/* ca_undelivered.h
 * Shows messages of Channel Access and pvAccess that the core has read in a frame, and that Wireshark's TCP has handed
 * over in none: what fills a gap late, and what stands behind it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_UNDELIVERED_H
#define LATENCY_CA_UNDELIVERED_H

#include "ca_reader.h"

/* To be called once for each dissector, when Wireshark registers protocols. */
void ca_undelivered_register(const struct ca_dissector *dissector);

/* To be called behind all dissectors of the frame. */
void ca_undelivered_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo);

#endif
