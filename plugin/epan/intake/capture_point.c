/* capture_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "capture_point.h"

#include <stdio.h>
#include <string.h>

#include <epan/packet_info.h>
#include <wiretap/wtap.h>

#include "../../compat.h"
#include "intake.h"
#include "ip_header.h"

/* Where a frame's direction stands in its flags, and what it is: pcapng's epb_flags. */
enum { FLAGS_DIRECTION = 3, FLAGS_INBOUND = 1, FLAGS_OUTBOUND = 2 };

/* Of options that wiretap did not know from the beginning: process and thread of pcapng's epb_processid_threadid, kept
 * since 4.6; the number of the process information block in Apple's, likewise. */
enum { OPTION_PROCESS = 8, OPTION_PROCESS_BLOCK = 32769 };

/* tcpdump -i any: the header of LINKTYPE_LINUX_SLL2. */
enum { SLL2_INTERFACE = 4, SLL2_PACKET_TYPE = 10, SLL2_BYTES = 20, SLL2_OUTGOING = 4 };

/* LINKTYPE_PKTAP: Apple's bpf/pktap.h, in the byte order of whoever captured, which has been little-endian. */
enum { PKTAP_NAME = 12, PKTAP_NAME_BYTES = 24, PKTAP_FLAGS = 36, PKTAP_PID = 52, PKTAP_COMMAND = 56 };
enum { PKTAP_COMMAND_BYTES = 20, PKTAP_BYTES = PKTAP_COMMAND + PKTAP_COMMAND_BYTES };

/* One capture. */
static struct {
    struct points *points;
    struct process_table *processes;
    bool begun;
    bool active;
} capture;

/* What a record's options say. */
struct notes {
    struct fingerprint *fingerprint;
    struct process process;
    uint32_t process_block;
    bool has_process_block;
};

void
capture_point_begin(struct points *points, struct process_table *processes)
{
    memset(&capture, 0, sizeof capture);
    capture.points = points;
    capture.processes = processes;
}

bool
capture_point_is_told(void)
{
    return capture.active;
}

/* "unknown" is what wiretap calls any interface that it does not know, or that has no name. */
static bool
is_name(const char *name)
{
    return name && *name && strcmp(name, "unknown") != 0;
}

static const char *
interface_name(packet_info *pinfo, uint32_t interface, uint32_t section, char *room, size_t bytes)
{
    const char *name = compat_interface_name(pinfo->epan, interface, section);
    if (is_name(name))
        return name;
    snprintf(room, bytes, "interface %u", interface);
    return room;
}

/* A capture says at its begin what interfaces it has. */
static void
read_interfaces(packet_info *pinfo, uint32_t section)
{
    enum { MOST_INTERFACES = 64 };
    for (uint32_t i = 0; i < MOST_INTERFACES; i++) {
        const char *name = compat_interface_name(pinfo->epan, i, section);
        if (is_name(name))
            points_number(capture.points, name);
    }
    capture.begun = true;
    capture.active = points_count(capture.points) > 1;
}

/* Two numbers of 32 bits that wiretap takes for one of 64: of a little-endian file the first is the lower one. Comments
 * say more, where both are there. */
static void
take_process_option(struct process *process, uint64_t value)
{
    process->pid = (uint32_t)value;
    process->tid = (uint32_t)(value >> 32);
    process->has_pid = true;
}

static wireshark_bool
read_option(wtap_block_t block _U_, guint id, wtap_opttype_e type, wtap_optval_t *option, void *data)
{
    struct notes *notes = data;
    struct fingerprint *fingerprint = notes->fingerprint;
    switch (id) {
    case OPT_COMMENT:
        process_read(&notes->process, option->stringval);
        if (!fingerprint->tracking_id)
            fingerprint->tracking_id = tracking_read(option->stringval);
        break;
    case OPT_PKT_FLAGS:
        if ((option->uint32val & FLAGS_DIRECTION) == FLAGS_INBOUND)
            fingerprint->heading = HEADING_RECEIVED;
        else if ((option->uint32val & FLAGS_DIRECTION) == FLAGS_OUTBOUND)
            fingerprint->heading = HEADING_SENT;
        break;
    case OPT_PKT_PACKETID:
        fingerprint->has_packet_id = true;
        fingerprint->packet_id = option->uint64val;
        break;
    case OPTION_PROCESS:
        if (type == WTAP_OPTTYPE_UINT64)
            take_process_option(&notes->process, option->uint64val);
        break;
    case OPTION_PROCESS_BLOCK:
        notes->has_process_block = type == WTAP_OPTTYPE_UINT32;
        notes->process_block = option->uint32val;
        break;
    default:
        break;
    }
    return true;
}

static void
read_process_block(packet_info *pinfo, struct notes *notes)
{
    int32_t pid = compat_process_id(pinfo->epan, notes->process_block, notes->fingerprint->section);
    const char *name = compat_process_name(pinfo->epan, notes->process_block, notes->fingerprint->section);
    if (pid < 0)
        return;
    notes->process.pid = (uint32_t)pid;
    notes->process.has_pid = true;
    snprintf(notes->process.name, sizeof notes->process.name, "%s", name ? name : "");
}

static void
read_pktap(tvbuff_t *frame, struct notes *notes, char *name, size_t bytes)
{
    const char *header = (const char *)tvb_get_ptr(frame, 0, PKTAP_BYTES);
    int32_t pid = (int32_t)tvb_get_letohl(frame, PKTAP_PID);
    uint32_t flags = tvb_get_letohl(frame, PKTAP_FLAGS) & FLAGS_DIRECTION;
    snprintf(name, bytes, "%.*s", PKTAP_NAME_BYTES, header + PKTAP_NAME);
    if (flags == FLAGS_INBOUND || flags == FLAGS_OUTBOUND)
        notes->fingerprint->heading = flags == FLAGS_INBOUND ? HEADING_RECEIVED : HEADING_SENT;
    if (pid <= 0)
        return;
    notes->process.pid = (uint32_t)pid;
    notes->process.has_pid = true;
    snprintf(notes->process.name, sizeof notes->process.name, "%.*s", PKTAP_COMMAND_BYTES, header + PKTAP_COMMAND);
}

/* What the link layer says; `name` is that of the interface so far. False if it says nothing. */
static bool
read_link(packet_info *pinfo, struct notes *notes, char *name, size_t bytes)
{
    tvbuff_t *frame = pinfo->data_src ? get_data_source_tvb(pinfo->data_src->data) : NULL;
    int encapsulation = pinfo->rec->rec_header.packet_header.pkt_encap;
    if (encapsulation == WTAP_ENCAP_SLL2 && frame && tvb_captured_length(frame) >= SLL2_BYTES) {
        uint32_t device = tvb_get_ntohl(frame, SLL2_INTERFACE);
        size_t length = strlen(name);
        notes->fingerprint->heading =
            tvb_get_bits8(frame, SLL2_PACKET_TYPE * 8, 8) == SLL2_OUTGOING ? HEADING_SENT : HEADING_RECEIVED;
        snprintf(name + length, bytes - length, ":%u", device);
        return true;
    }
    if (encapsulation == WTAP_ENCAP_PKTAP && frame && tvb_captured_length(frame) >= PKTAP_BYTES) {
        read_pktap(frame, notes, name, bytes);
        return true;
    }
    return false;
}

static uint16_t
read_point(packet_info *pinfo, struct notes *notes)
{
    enum { NAME_BYTES = 256 };
    const wtap_rec *rec = pinfo->rec;
    char room[NAME_BYTES], name[NAME_BYTES];
    uint32_t interface = rec->presence_flags & WTAP_HAS_INTERFACE_ID ? rec->rec_header.packet_header.interface_id : 0;
    capture.active |= interface > 0;
    snprintf(name, sizeof name, "%s", interface_name(pinfo, interface, notes->fingerprint->section, room, sizeof room));
    capture.active |= read_link(pinfo, notes, name, sizeof name);
    return points_number(capture.points, name);
}

static bool
tells_of_link(const wtap_rec *rec)
{
    int encapsulation = rec->rec_header.packet_header.pkt_encap;
    return encapsulation == WTAP_ENCAP_SLL2 || encapsulation == WTAP_ENCAP_PKTAP ||
           (rec->presence_flags & WTAP_HAS_INTERFACE_ID && rec->rec_header.packet_header.interface_id > 0);
}

bool
capture_point_read(packet_info *pinfo, struct fingerprint *fingerprint)
{
    wtap_rec *rec = pinfo->rec;
    if (rec->rec_type != REC_TYPE_PACKET)
        return false;
    struct notes notes = { .fingerprint = fingerprint };
    *fingerprint = (struct fingerprint){
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .section = rec->presence_flags & WTAP_HAS_SECTION_NUMBER ? rec->section_number : 0,
    };
    if (!capture.begun)
        read_interfaces(pinfo, fingerprint->section);
    if (rec->block)
        wtap_block_foreach_option(rec->block, read_option, &notes);
    if (notes.has_process_block)
        read_process_block(pinfo, &notes);
    capture.active |= fingerprint->has_packet_id || fingerprint->tracking_id || process_is_known(&notes.process);
    if (!capture.active && !tells_of_link(rec))
        return false;
    fingerprint->point = read_point(pinfo, &notes);
    if (process_is_known(&notes.process))
        fingerprint->process = process_table_put(capture.processes, &notes.process);
    if (fingerprint->point && fingerprint->heading == HEADING_UNKNOWN)
        fingerprint->heading = (uint8_t)point_heading(points_at(capture.points, fingerprint->point)->kind);
    return capture.active && fingerprint->point;
}

bool
capture_point_read_ip(packet_info *pinfo, tvbuff_t *frame, struct fingerprint *fingerprint)
{
    enum { PRINT_BYTES = 64, IPV6_HEADER_BYTES = 40, PROTOCOL_IPV4 = 9, PROTOCOL_IPV6 = 6 };
    bool ipv6 = pinfo->net_src.type == AT_IPv6;
    if (pinfo->net_src.type != pinfo->net_dst.type || (!ipv6 && pinfo->net_src.type != AT_IPv4))
        return false;
    int start = ip_header_find(frame, pinfo);
    if (start < 0)
        return false;
    uint16_t ip_id = ipv6 ? 0 : tvb_get_ntohs(frame, start + 4);
    int payload = start + (ipv6 ? IPV6_HEADER_BYTES : tvb_get_bits8(frame, start * 8 + 4, 4) * 4);
    fingerprint->ipv6 = ipv6;
    fingerprint->has_ip_id = ip_id != 0;
    fingerprint->ip_id = ip_id;
    memcpy(fingerprint->source.address, pinfo->net_src.data, (size_t)pinfo->net_src.len);
    memcpy(fingerprint->destination.address, pinfo->net_dst.data, (size_t)pinfo->net_dst.len);
    fingerprint->flags = tvb_get_bits8(frame, (start + (ipv6 ? PROTOCOL_IPV6 : PROTOCOL_IPV4)) * 8, 8);
    fingerprint->ack = tvb_get_ntohs(frame, start + (ipv6 ? 4 : 2));
    int captured = tvb_captured_length_remaining(frame, payload);
    fingerprint->print_bytes = (uint32_t)CLAMP(captured, 0, PRINT_BYTES);
    if (fingerprint->print_bytes)
        fingerprint->print =
            wmem_strong_hash(tvb_get_ptr(frame, payload, (int)fingerprint->print_bytes), fingerprint->print_bytes);
    /* a packet without sequence is known by its begin */
    fingerprint->seq = fingerprint->print;
    return true;
}
