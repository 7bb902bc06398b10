/* ca_frame.h
 * Shows the one message of a frame that its columns are about: what went wrong, else the slowest, with values that all
 * belong to it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_FRAME_H
#define LATENCY_CA_FRAME_H

#include <epan/packet.h>

#include "../../core/ca/ca_event.h"

void ca_frame_register(int proto, const struct circuit_protocol *protocol);

/* Notes a message that the frame shows. */
void ca_frame_note(const packet_info *pinfo, const struct ca_event *event);

/* Adds the fields of the message that was chosen among those noted; to be called when all have been. */
void ca_frame_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo);

#endif
