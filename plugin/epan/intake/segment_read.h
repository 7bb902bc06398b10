/* segment_read.h
 * TCP and UDP headers as segments of the core.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SEGMENT_READ_H
#define LATENCY_SEGMENT_READ_H

#include <epan/packet.h>

#include "../../core/tcp/segment.h"

/* From its header on; `ip`: what the dissector of IPv4 hands on, NULL for IPv6; `time_ns`: the frame's. Its payload is
 * borrowed from `tvb`. False for what is too short or too odd to be a segment. Never throws. */
bool segment_read(tvbuff_t *tvb, packet_info *pinfo, void *ip, int64_t time_ns, struct segment *segment);

/* The same of a datagram of UDP. */
bool datagram_read(tvbuff_t *tvb, const packet_info *pinfo, void *ip, struct segment *segment);

/* Whether the ICMP message around a quoted packet says that it did not arrive. */
bool quoted_is_undelivered(tvbuff_t *tvb, const packet_info *pinfo);

/* The beginning of a segment that an ICMP error quotes, if that says that it did not arrive. */
bool segment_read_quoted(tvbuff_t *tvb, const packet_info *pinfo, struct segment *quoted);

/* A segment is dissected, on any visit, from its header on, and has been. The first returns whether it is within
 * another one's dissection, or that was left without its end. */
bool segment_begin(tvbuff_t *tvb);
void segment_end(void);

/* In between: the sequence number after its payload; false if its header was not captured. */
bool segment_end_seq(uint32_t *seq);

#endif
