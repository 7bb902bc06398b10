/* capture_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "capture_point.h"

#include <stdio.h>

#include <epan/ipproto.h>
#include <epan/packet_info.h>

#include "../../compat.h"
#include "intake.h"

static const char *
interface_name(const struct frame *frame, uint32_t interface, uint32_t section)
{
    return compat_interface_name(((packet_info *)frame->origin)->epan, interface, section);
}

static void
read_process_block(const struct frame *frame, uint32_t block, uint32_t section, struct process *process)
{
    const packet_info *pinfo = frame->origin;
    int32_t pid = compat_process_id(pinfo->epan, block, section);
    const char *name = compat_process_name(pinfo->epan, block, section);
    if (pid < 0)
        return;
    process->pid = (uint32_t)pid;
    process->has_pid = true;
    snprintf(process->name, sizeof process->name, "%s", name ? name : "");
}

/* Where the innermost IP header of a frame begins: before its network addresses. -1 if nowhere near its begin. */
static int
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

static const uint8_t *
ip_header(const struct frame *frame, uint32_t *captured)
{
    packet_info *pinfo = frame->origin;
    bool ipv6 = pinfo->net_src.type == AT_IPv6;
    if (pinfo->net_src.type != pinfo->net_dst.type || (!ipv6 && pinfo->net_src.type != AT_IPv4))
        return NULL;
    tvbuff_t *tvb = get_data_source_tvb(pinfo->data_src->data);
    int start = ip_header_find(tvb, pinfo);
    if (start < 0)
        return NULL;
    *captured = (uint32_t)tvb_captured_length_remaining(tvb, start);
    return tvb_get_ptr(tvb, start, (int)*captured);
}

const struct point_calls capture_point_calls = {
    .foreach_option = wtap_block_foreach_option,
    .interface_name = interface_name,
    .process_block = read_process_block,
    .ip_header = ip_header,
};

/* Of the frame: Wireshark's dissector of PKTAP, which stands first behind "frame" then, puts that of what follows it
 * into the record. */
static int
encapsulation_of(const packet_info *pinfo)
{
    static int pktap;
    if (!pktap)
        pktap = proto_get_id_by_filter_name("pktap");
    wmem_list_frame_t *frame = wmem_list_head(pinfo->layers);
    wmem_list_frame_t *link = frame ? wmem_list_frame_next(frame) : NULL;
    return link && GPOINTER_TO_INT(wmem_list_frame_data(link)) == pktap
               ? WTAP_ENCAP_PKTAP
               : pinfo->rec->rec_header.packet_header.pkt_encap;
}

struct frame
capture_point_frame_without(packet_info *pinfo)
{
    return (struct frame){
        .has_time = pinfo->fd->has_ts,
        .time_ns = intake_time_ns(pinfo),
        .number = pinfo->num,
        .origin = pinfo,
    };
}

struct frame
capture_point_frame(packet_info *pinfo)
{
    struct frame frame = capture_point_frame_without(pinfo);
    if (!pinfo->data_src)
        return frame;
    frame.rec = pinfo->rec;
    frame.encapsulation = encapsulation_of(pinfo);
    if (!recorded_point_is_in_link(frame.encapsulation))
        return frame;
    tvbuff_t *tvb = get_data_source_tvb(pinfo->data_src->data);
    frame.captured = tvb_captured_length(tvb);
    frame.bytes = frame.captured ? tvb_get_ptr(tvb, 0, (int)frame.captured) : NULL;
    return frame;
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
capture_point_is_rest_of_tcp(const packet_info *pinfo)
{
    tvbuff_t *frame = pinfo->data_src ? get_data_source_tvb(pinfo->data_src->data) : NULL;
    bool ipv6 = pinfo->net_src.type == AT_IPv6;
    if (pinfo->ptype == PT_TCP || !frame || pinfo->net_src.type != pinfo->net_dst.type ||
        (!ipv6 && pinfo->net_src.type != AT_IPv4))
        return false;
    int start = ip_header_find(frame, pinfo);
    return start >= 0 && (ipv6 ? is_ipv6_fragment(frame, start) : is_ipv4_fragment(frame, start));
}
