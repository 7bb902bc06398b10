/* ca_frame.h
 * Messages of Channel Access and pvAccess with the frame that the core has them in, however Wireshark's TCP hands them
 * over: for the tap, and shown where it hands them over in no frame (what fills a gap late, and what stands behind it).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_FRAME_H
#define LATENCY_CA_FRAME_H

#include <epan/packet.h>

#include "../../core/ca/ca_event.h"

/* The tap, which the first call registers. */
int ca_frame_tap(void);

/* Tells the tap's listeners of a datagram's message. */
void ca_frame_tap_event(packet_info *pinfo, const struct ca_event *event);

/* Behind all dissectors of the frame: tells the tap's listeners what the frame has, and what has become known of
 * earlier ones with it; shows what nobody has shown, and the message that columns are about. */
void ca_frame_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo);

#endif
