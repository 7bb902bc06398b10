/* capture_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "capture_point.h"

#include <stdio.h>

#include <epan/packet_info.h>

#include "../../compat.h"
#include "intake.h"
#include "ip_header.h"

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

const struct point_calls capture_point_calls = { interface_name, read_process_block, ip_header };

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
capture_point_frame(packet_info *pinfo)
{
    tvbuff_t *tvb = pinfo->data_src ? get_data_source_tvb(pinfo->data_src->data) : NULL;
    struct frame frame = {
        .rec = tvb ? pinfo->rec : NULL,
        .encapsulation = encapsulation_of(pinfo),
        .captured = tvb ? tvb_captured_length(tvb) : 0,
        .has_time = pinfo->fd->has_ts,
        .time_ns = intake_time_ns(pinfo),
        .number = pinfo->num,
        .origin = pinfo,
    };
    if (frame.captured)
        frame.bytes = tvb_get_ptr(tvb, 0, (int)frame.captured);
    return frame;
}
