/* segment_read.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "segment_read.h"

#include <epan/dissectors/packet-ip.h>
#include <wsutil/pint.h>

#include "../../compat.h"
#include "intake.h"

enum { HEADER_BYTES = 20, HEADER_BYTES_MOST = 60 };

/* RFC 9293 §3.2: kind 2 is the MSS. */
static void
read_options(tvbuff_t *tvb, uint32_t header_bytes, struct segment *segment)
{
    uint8_t options[HEADER_BYTES_MOST - HEADER_BYTES];
    uint32_t bytes = header_bytes - HEADER_BYTES;
    segment->options_bytes = (uint8_t)bytes;
    segment->options_captured = tvb_captured_length(tvb) >= header_bytes;
    if (!segment->options_captured || !(segment->flags & SEGMENT_SYN))
        return;
    tvb_memcpy(tvb, options, HEADER_BYTES, bytes);
    for (uint32_t i = 0; i < bytes && options[i] != 0;) {
        if (options[i] == 1) {
            i++;
            continue;
        }
        if (i + 1 >= bytes || options[i + 1] < 2 || i + options[i + 1] > bytes)
            return;
        if (options[i] == 2 && options[i + 1] == 4)
            segment->mss = (uint16_t)(options[i + 2] << 8 | options[i + 3]);
        i += options[i + 1];
    }
}

bool
segment_read(tvbuff_t *tvb, packet_info *pinfo, void *ip, struct segment *segment)
{
    uint8_t header[HEADER_BYTES] = { 0 };
    uint32_t captured = tvb_captured_length(tvb);
    uint32_t reported = tvb_reported_length(tvb);
    const ws_ip4 *ip4 = WS_IP4_PTR(ip);
    if (captured < SEGMENT_HEADER_LEAST || (pinfo->src.type != AT_IPv4 && pinfo->src.type != AT_IPv6))
        return false;
    tvb_memcpy(tvb, header, 0, MIN(captured, HEADER_BYTES));
    uint32_t header_bytes = (uint32_t)(header[12] >> 4) * 4;
    if (header_bytes < HEADER_BYTES || header_bytes > reported)
        return false;
    *segment = (struct segment){
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .has_ip_id = ip4 != NULL,
        .ip_id = ip4 ? ip4->ip_id : 0,
        .seq = pntohu32(header + 4),
        .ack = pntohu32(header + 8),
        .flags = header[13],
        .window = pntohu16(header + 14),
        .checksum = pntohu16(header + 16),
        .fragmented = pinfo->fragmented,
        .payload_bytes = reported - header_bytes,
    };
    segment->source = intake_endpoint(&pinfo->src, pntohu16(header));
    segment->destination = intake_endpoint(&pinfo->dst, pntohu16(header + 2));
    read_options(tvb, header_bytes, segment);
    if (captured > header_bytes) {
        segment->captured_bytes = captured - header_bytes;
        segment->payload = tvb_get_ptr(tvb, (int)header_bytes, (int)segment->captured_bytes);
    }
    return true;
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

/* Whether the ICMP message around a quoted packet says that it did not arrive: RFC 792 types 3, 11, 12, RFC 4443 types
 * 1, 3. The message's type stands 8 bytes before the quoted IP header. */
static bool
is_undelivered(tvbuff_t *tvb, const packet_info *pinfo)
{
    tvbuff_t *frame = tvb_get_ds_tvb(tvb);
    int header = quoted_ip_header(frame, tvb_raw_offset(tvb), pinfo);
    if (header < 0)
        return false;
    uint8_t type = tvb_get_bits8(frame, (header - 8) * 8, 8);
    return pinfo->src.type == AT_IPv6 ? type == 1 || type == 3 : type == 3 || type == 11 || type == 12;
}

bool
segment_read_quoted(tvbuff_t *tvb, const packet_info *pinfo, struct segment *quoted)
{
    enum { PORTS_AND_SEQ = 8 };
    uint8_t header[PORTS_AND_SEQ];
    if (tvb_captured_length(tvb) < PORTS_AND_SEQ || !is_undelivered(tvb, pinfo))
        return false;
    tvb_memcpy(tvb, header, 0, PORTS_AND_SEQ);
    *quoted = (struct segment){
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .source = intake_endpoint(&pinfo->src, pntohu16(header)),
        .destination = intake_endpoint(&pinfo->dst, pntohu16(header + 2)),
        .seq = pntohu32(header + 4),
    };
    return true;
}
