/* segment_read.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "segment_read.h"

#include <epan/dissectors/packet-ip.h>
#include <wsutil/pint.h>

#include "../../compat.h"
#include "../../reader/headers.h"
#include "intake.h"

/* What IP says. */
static struct segment
segment_of(const packet_info *pinfo)
{
    return (struct segment){
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .source = intake_endpoint(&pinfo->src, 0),
        .destination = intake_endpoint(&pinfo->dst, 0),
        .ipv6 = pinfo->src.type == AT_IPv6,
    };
}

/* Each member is filled in, here or by segment_header_read(): nothing is cleared for each frame before. */
bool
segment_read(tvbuff_t *tvb, packet_info *pinfo, void *ip, int64_t time_ns, struct segment *segment)
{
    const ws_ip4 *ip4 = WS_IP4_PTR(ip);
    uint32_t captured = tvb_captured_length(tvb);
    if (captured < SEGMENT_HEADER_LEAST || (pinfo->src.type != AT_IPv4 && pinfo->src.type != AT_IPv6))
        return false;
    segment->frame = pinfo->num;
    segment->time_ns = time_ns;
    segment->source = intake_endpoint(&pinfo->src, 0);
    segment->destination = intake_endpoint(&pinfo->dst, 0);
    segment->ipv6 = pinfo->src.type == AT_IPv6;
    segment->has_ip_id = ip4 != NULL;
    segment->ip_id = ip4 ? ip4->ip_id : 0;
    segment->fragmented = pinfo->fragmented;
    segment->operation = NULL;
    return segment_header_read(tvb_get_ptr(tvb, 0, (int)captured), captured, tvb_reported_length(tvb), segment);
}

/* Where the quoted IP header begins in the frame's data: before the TCP header, with these addresses. -1 if nowhere. */
static int
quoted_ip_header(tvbuff_t *frame, int tcp, const packet_info *pinfo)
{
    bool ipv6 = pinfo->src.type == AT_IPv6;
    int addresses = ipv6 ? 8 : 12;
    /* extension headers come in 8 bytes, IPv4 options in 4 */
    for (int start = tcp - (ipv6 ? 40 : 20); start >= 8; start -= ipv6 ? 8 : 4)
        if (tvb_get_bits8(frame, start * 8, 4) == (ipv6 ? 6 : 4) &&
            tvb_memeql(frame, start + addresses, pinfo->src.data, pinfo->src.len) == 0 &&
            tvb_memeql(frame, start + addresses + pinfo->src.len, pinfo->dst.data, pinfo->dst.len) == 0)
            return start;
    return -1;
}

/* The message's type stands 8 bytes before the quoted IP header. */
bool
quoted_is_undelivered(tvbuff_t *tvb, const packet_info *pinfo)
{
    tvbuff_t *frame = tvb_get_ds_tvb(tvb);
    int header = quoted_ip_header(frame, tvb_raw_offset(tvb), pinfo);
    if (header < 0)
        return false;
    return icmp_is_undelivered(pinfo->src.type == AT_IPv6, tvb_get_bits8(frame, (header - 8) * 8, 8));
}

bool
datagram_read(tvbuff_t *tvb, const packet_info *pinfo, void *ip, struct segment *segment)
{
    const ws_ip4 *ip4 = WS_IP4_PTR(ip);
    const uint32_t captured = tvb_captured_length(tvb);
    if (captured < DATAGRAM_HEADER_BYTES || (pinfo->src.type != AT_IPv4 && pinfo->src.type != AT_IPv6))
        return false;
    *segment = segment_of(pinfo);
    segment->has_ip_id = ip4 != NULL;
    segment->ip_id = ip4 ? ip4->ip_id : 0;
    datagram_header_read(tvb_get_ptr(tvb, 0, (int)captured), captured, tvb_reported_length(tvb), segment);
    return true;
}

bool
segment_read_quoted(tvbuff_t *tvb, const packet_info *pinfo, struct segment *quoted)
{
    if (tvb_captured_length(tvb) < SEGMENT_QUOTED_LEAST || !quoted_is_undelivered(tvb, pinfo))
        return false;
    *quoted = segment_of(pinfo);
    segment_header_read_quoted(tvb_get_ptr(tvb, 0, SEGMENT_QUOTED_LEAST), quoted);
    return true;
}

/* The segment being dissected, NULL for none. */
static tvbuff_t *dissected;

bool
segment_begin(tvbuff_t *tvb)
{
    const bool is_inside = dissected != NULL;
    dissected = tvb;
    return is_inside;
}

void
segment_end(void)
{
    dissected = NULL;
}

bool
segment_end_seq(uint32_t *seq)
{
    uint8_t header[SEGMENT_HEADER_LEAST];
    if (!dissected || tvb_captured_length(dissected) < sizeof header)
        return false;
    tvb_memcpy(dissected, header, 0, sizeof header);
    *seq = pntohu32(header + 4) + tvb_reported_length(dissected) - (uint32_t)(header[12] >> 4) * 4;
    return true;
}
