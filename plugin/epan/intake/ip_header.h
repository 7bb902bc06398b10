/* ip_header.h
 * The innermost IP header of a frame, found by its addresses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_IP_HEADER_H
#define LATENCY_IP_HEADER_H

#include <epan/packet.h>

/* Where it begins: before the frame's network addresses. -1 if nowhere near the frame's begin. */
int ip_header_find(tvbuff_t *frame, const packet_info *pinfo);

/* Whether the frame has a fragment of a datagram with TCP, and was not dissected as TCP: the rest is elsewhere. */
bool ip_header_is_fragment_of_tcp(const packet_info *pinfo);

#endif
