/* capture_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "capture_point.h"

#include <stdio.h>

#include <epan/packet_info.h>

#include "../../compat.h"
#include "../../frame/recorded_point.h"
#include "intake.h"
#include "ip_header.h"

static struct point_reader reader;

static const char *
interface_name(void *pinfo, uint32_t interface, uint32_t section)
{
    return compat_interface_name(((packet_info *)pinfo)->epan, interface, section);
}

static void
read_process_block(void *data, uint32_t block, uint32_t section, struct process *process)
{
    const packet_info *pinfo = data;
    int32_t pid = compat_process_id(pinfo->epan, block, section);
    const char *name = compat_process_name(pinfo->epan, block, section);
    if (pid < 0)
        return;
    process->pid = (uint32_t)pid;
    process->has_pid = true;
    snprintf(process->name, sizeof process->name, "%s", name ? name : "");
}

void
capture_point_begin(struct points *points, struct process_table *processes)
{
    reader = (struct point_reader){
        .points = points,
        .processes = processes,
        .interface_name = interface_name,
        .process_block = read_process_block,
    };
}

bool
capture_point_is_told(void)
{
    return reader.active;
}

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

bool
capture_point_read(packet_info *pinfo, struct fingerprint *fingerprint, struct sighting *seen)
{
    tvbuff_t *frame = pinfo->data_src ? get_data_source_tvb(pinfo->data_src->data) : NULL;
    struct recorded recorded = {
        .rec = pinfo->rec,
        .encapsulation = encapsulation_of(pinfo),
        .captured = frame ? tvb_captured_length(frame) : 0,
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .data = pinfo,
    };
    if (recorded.captured)
        recorded.bytes = tvb_get_ptr(frame, 0, (int)recorded.captured);
    return recorded_point_read(&reader, &recorded, fingerprint, seen);
}

bool
capture_point_read_ip(packet_info *pinfo, tvbuff_t *frame, struct fingerprint *fingerprint)
{
    bool ipv6 = pinfo->net_src.type == AT_IPv6;
    if (pinfo->net_src.type != pinfo->net_dst.type || (!ipv6 && pinfo->net_src.type != AT_IPv4))
        return false;
    int start = ip_header_find(frame, pinfo);
    if (start < 0)
        return false;
    uint32_t captured = (uint32_t)tvb_captured_length_remaining(frame, start);
    recorded_point_read_ip(tvb_get_ptr(frame, start, (int)captured), captured, fingerprint);
    return true;
}
