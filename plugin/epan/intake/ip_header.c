/* ip_header.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ip_header.h"

#include <epan/ipproto.h>

int
ip_header_find(tvbuff_t *frame, const packet_info *pinfo)
{
    enum { FURTHEST = 256 };
    bool ipv6 = pinfo->net_src.type == AT_IPv6;
    int addresses = ipv6 ? 8 : 12;
    int length = (int)tvb_captured_length(frame);
    int bytes = pinfo->net_src.len;
    for (int start = 0; start < FURTHEST && start + addresses + 2 * bytes <= length; start++)
        if (tvb_get_bits8(frame, start * 8, 4) == (ipv6 ? 6 : 4) &&
            tvb_memeql(frame, start + addresses, pinfo->net_src.data, (size_t)bytes) == 0 &&
            tvb_memeql(frame, start + addresses + bytes, pinfo->net_dst.data, (size_t)bytes) == 0)
            return start;
    return -1;
}

/* RFC 791 §3.1: a fragment has an offset, or more follow. */
static bool
is_ipv4_fragment(tvbuff_t *frame, int start)
{
    enum { FRAGMENT = 6, PROTOCOL = 9, MORE_OR_OFFSET = 0x3fff };
    return tvb_get_ntohs(frame, start + FRAGMENT) & MORE_OR_OFFSET &&
           tvb_get_bits8(frame, (start + PROTOCOL) * 8, 8) == IP_PROTO_TCP;
}

/* RFC 8200 §4.5, where nothing stands between header and fragment header, as all senders have it. */
static bool
is_ipv6_fragment(tvbuff_t *frame, int start)
{
    enum { NEXT = 6, HEADER = 40, FRAGMENT = HEADER + 2, MORE_OR_OFFSET = 0xfff9 };
    return tvb_get_bits8(frame, (start + NEXT) * 8, 8) == IP_PROTO_FRAGMENT &&
           tvb_captured_length_remaining(frame, start) >= FRAGMENT + 2 &&
           tvb_get_bits8(frame, (start + HEADER) * 8, 8) == IP_PROTO_TCP &&
           tvb_get_ntohs(frame, start + FRAGMENT) & MORE_OR_OFFSET;
}

bool
ip_header_is_fragment_of_tcp(const packet_info *pinfo)
{
    tvbuff_t *frame = pinfo->data_src ? get_data_source_tvb(pinfo->data_src->data) : NULL;
    bool ipv6 = pinfo->net_src.type == AT_IPv6;
    if (pinfo->ptype == PT_TCP || !frame || pinfo->net_src.type != pinfo->net_dst.type ||
        (!ipv6 && pinfo->net_src.type != AT_IPv4))
        return false;
    int start = ip_header_find(frame, pinfo);
    return start >= 0 && (ipv6 ? is_ipv6_fragment(frame, start) : is_ipv4_fragment(frame, start));
}
