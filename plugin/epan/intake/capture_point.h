/* capture_point.h
 * What a capture says of where, and for which process, a frame was seen, as Wireshark has it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CAPTURE_POINT_H
#define LATENCY_CAPTURE_POINT_H

#include <epan/packet.h>

#include "../../reader/recorded_point.h"

/* What a frame is asked that capture_point_frame() has made. */
extern const struct point_calls capture_point_calls;

/* The frame. While an ICMP error is dissected, the addresses are those of what it quotes: its IP header is found at the
 * frame's end only. */
struct frame capture_point_frame(packet_info *pinfo);

/* Returns the frame with its time and number alone: the capture point of such a frame is known already, or nobody asks
 * for it. */
struct frame capture_point_frame_without(packet_info *pinfo);

/* Whether the frame has a fragment of a datagram with TCP, and was not dissected as TCP: the rest is elsewhere. */
bool capture_point_is_rest_of_tcp(const packet_info *pinfo);

#endif
