/* segment_read.h
 * TCP headers as segments of the core.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SEGMENT_READ_H
#define LATENCY_SEGMENT_READ_H

#include <epan/packet.h>

#include "../../core/tcp/segment.h"

/* From its header on; `ip`: what the dissector of IPv4 hands on, NULL for IPv6. Its payload is borrowed from `tvb`.
 * False for what is too short or too odd to be a segment. Never throws. */
bool segment_read(tvbuff_t *tvb, packet_info *pinfo, void *ip, struct segment *segment);

/* The beginning of a segment that an ICMP error quotes, if that says that it did not arrive. */
bool segment_read_quoted(tvbuff_t *tvb, const packet_info *pinfo, struct segment *quoted);

#endif
