/* capture_point.h
 * What a capture says of where, and for which process, a frame was seen, as Wireshark has it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CAPTURE_POINT_H
#define LATENCY_CAPTURE_POINT_H

#include <epan/packet.h>

#include "../../core/points/path.h"

/* To be called when a capture begins; both live as long as it does. */
void capture_point_begin(struct points *points, struct process_table *processes);

/* Whether the capture says where its packets were seen: there can be several points. */
bool capture_point_is_told(void);

/* Fills in what the frame's record says, if this is a capture with several points, with ids of packets, or with
 * processes: false otherwise, as long as nothing of the kind has turned up. For first visits, in the capture's order.
 */
bool capture_point_read(packet_info *pinfo, struct fingerprint *fingerprint, struct sighting *seen);

/* Fills in what a frame says whose packet is not TCP; false if it is no IP either. */
bool capture_point_read_ip(packet_info *pinfo, tvbuff_t *frame, struct fingerprint *fingerprint);

#endif
