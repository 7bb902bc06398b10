/* recorded_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "recorded_point.h"

#include <stdio.h>
#include <string.h>

#include <wiretap/wtap_opttypes.h>
#include <wsutil/pint.h>

#include "../compat.h"

/* Where a frame's direction stands in its flags, and what it is: pcapng's epb_flags. */
enum { FLAGS_DIRECTION = 3, FLAGS_INBOUND = 1, FLAGS_OUTBOUND = 2 };

/* Of options that wiretap did not know from the beginning: process and thread of pcapng's epb_processid_threadid, kept
 * since 4.6; in Apple's, likewise, the numbers of the blocks of the process whose socket it is, and of the one that
 * this acts for. */
enum { OPTION_PROCESS = 8, OPTION_PROCESS_BLOCK = 32769, OPTION_EFFECTIVE_BLOCK = 32771 };

/* tcpdump -i any: the header of LINKTYPE_LINUX_SLL2. */
enum { SLL2_INTERFACE = 4, SLL2_PACKET_TYPE = 10, SLL2_BYTES = 20, SLL2_OUTGOING = 4 };

/* LINKTYPE_PKTAP: Apple's bpf/pktap.h, in the byte order of whoever captured, which has been little-endian. */
enum { PKTAP_NAME = 12, PKTAP_NAME_BYTES = 24, PKTAP_FLAGS = 36, PKTAP_PID = 52, PKTAP_COMMAND = 56 };
enum { PKTAP_COMMAND_BYTES = 20, PKTAP_BYTES = PKTAP_COMMAND + PKTAP_COMMAND_BYTES };

/* What a record's options say. */
struct notes {
    struct fingerprint *fingerprint;
    struct sighting *seen;
    struct process process;
    uint32_t process_block, effective_block;
    bool has_process_block, has_effective_block;
    uint32_t pid, tid; /* as they stand in a file of pcapng */
    bool has_pid;
};

/* Without the room of a process' name, which is as long as all else together and is looked at up to its end. */
static inline void
begin_notes(struct notes *notes, struct fingerprint *fingerprint, struct sighting *seen)
{
    notes->fingerprint = fingerprint;
    notes->seen = seen;
    notes->process.pid = notes->process.tid = 0;
    notes->process.has_pid = notes->process.bystander = false;
    notes->process.name[0] = '\0';
    notes->has_process_block = notes->has_effective_block = notes->has_pid = false;
}

/* "unknown" is what wiretap calls any interface that it does not know, or that has no name. */
static bool
is_name(const char *name)
{
    return name && *name && strcmp(name, "unknown") != 0;
}

static const char *
interface_name(const struct point_reader *reader, const struct frame *frame, uint32_t interface, uint32_t section,
               char *room, size_t bytes)
{
    const char *name = reader->calls->interface_name(frame, interface, section);
    if (is_name(name))
        return name;
    snprintf(room, bytes, "interface %u", interface);
    return room;
}

/* A capture says at its begin what interfaces it has. */
static void
read_interfaces(struct point_reader *reader, const struct frame *frame, uint32_t section)
{
    enum { MOST_INTERFACES = 64 };
    for (uint32_t i = 0; i < MOST_INTERFACES; i++) {
        const char *name = reader->calls->interface_name(frame, i, section);
        if (is_name(name))
            points_number(reader->points, name);
    }
    reader->begun = true;
    reader->active = points_count(reader->points) > 1;
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

static void
take_comment(struct notes *notes, const char *comment)
{
    struct fingerprint *fingerprint = notes->fingerprint;
    process_read(&notes->process, comment);
    if (!fingerprint->tracking_id)
        fingerprint->tracking_id = tracking_read(comment);
    notes->seen->sample = MAX(notes->seen->sample, sample_read(comment));
}

static void
take_flags(struct notes *notes, uint32_t flags)
{
    if ((flags & FLAGS_DIRECTION) == FLAGS_INBOUND)
        notes->seen->heading = HEADING_RECEIVED;
    else if ((flags & FLAGS_DIRECTION) == FLAGS_OUTBOUND)
        notes->seen->heading = HEADING_SENT;
}

static void
take_packet_id(struct notes *notes, uint64_t id)
{
    notes->fingerprint->has_packet_id = true;
    notes->fingerprint->packet_id = id;
}

static void
take_drop_count(struct notes *notes, uint64_t count)
{
    notes->seen->lost = (uint32_t)MIN(count, UINT32_MAX);
}

/* Of several the first one counts. */
static void
take_process_block(struct notes *notes, uint32_t number)
{
    if (!notes->has_process_block)
        notes->process_block = number;
    notes->has_process_block = true;
}

static void
take_effective_block(struct notes *notes, uint32_t number)
{
    if (!notes->has_effective_block)
        notes->effective_block = number;
    notes->has_effective_block = true;
}

static wireshark_bool
read_option(wtap_block_t block _U_, guint id, wtap_opttype_e type, wtap_optval_t *option, void *data)
{
    struct notes *notes = data;
    switch (id) {
    case OPT_COMMENT:
        take_comment(notes, option->stringval);
        break;
    case OPT_PKT_DROPCOUNT:
        take_drop_count(notes, option->uint64val);
        break;
    case OPT_PKT_FLAGS:
        take_flags(notes, option->uint32val);
        break;
    case OPT_PKT_PACKETID:
        take_packet_id(notes, option->uint64val);
        break;
    case OPTION_PROCESS:
        if (type == WTAP_OPTTYPE_UINT64)
            take_process_option(&notes->process, option->uint64val);
        break;
    case OPTION_PROCESS_BLOCK:
        if (type == WTAP_OPTTYPE_UINT32)
            take_process_block(notes, option->uint32val);
        break;
    case OPTION_EFFECTIVE_BLOCK:
        if (type == WTAP_OPTTYPE_UINT32)
            take_effective_block(notes, option->uint32val);
        break;
    default:
        break;
    }
    return true;
}

static void
read_raw_option(const struct raw_options *options, uint32_t code, uint32_t at, uint32_t length, struct notes *notes)
{
    char *comment;
    switch (code) {
    case OPT_COMMENT:
        comment = g_strndup((const char *)options->at + at, length);
        take_comment(notes, comment);
        g_free(comment);
        break;
    case OPT_PKT_DROPCOUNT:
        take_drop_count(notes, raw_64(options, at));
        break;
    case OPT_PKT_FLAGS:
        take_flags(notes, raw_32(options, at));
        break;
    case OPT_PKT_PACKETID:
        take_packet_id(notes, raw_64(options, at));
        break;
    case OPTION_PROCESS:
        if (COMPAT_KEEPS_PROCESS_OPTION)
            take_process_option(&notes->process, raw_64(options, at));
        notes->pid = raw_32(options, at);
        notes->tid = raw_32(options, at + sizeof notes->pid);
        notes->has_pid = true;
        break;
    case OPTION_PROCESS_BLOCK:
        take_process_block(notes, raw_32(options, at));
        break;
    case OPTION_EFFECTIVE_BLOCK:
        take_effective_block(notes, raw_32(options, at));
        break;
    default:
        break;
    }
}

/* Whoever read the file has looked at what they are: they are whole, and numbers have their lengths. */
static void
read_raw_options(const struct raw_options *options, struct notes *notes)
{
    enum { HEADER = 4, LENGTH = 2 };
    for (uint32_t at = 0; at + HEADER <= options->bytes;) {
        const uint32_t code = raw_16(options, at);
        const uint32_t length = raw_16(options, at + LENGTH);
        if (code == OPT_EOFOPT)
            break;
        read_raw_option(options, code, at + HEADER, length, notes);
        at += HEADER + ((length + 3) & ~3U);
    }
}

static void
read_pktap(const uint8_t *header, struct notes *notes, char *name, size_t bytes)
{
    int32_t pid = (int32_t)pletohu32(header + PKTAP_PID);
    uint32_t flags = pletohu32(header + PKTAP_FLAGS) & FLAGS_DIRECTION;
    snprintf(name, bytes, "%.*s", PKTAP_NAME_BYTES, (const char *)header + PKTAP_NAME);
    if (flags == FLAGS_INBOUND || flags == FLAGS_OUTBOUND)
        notes->seen->heading = flags == FLAGS_INBOUND ? HEADING_RECEIVED : HEADING_SENT;
    if (pid <= 0)
        return;
    notes->process.pid = (uint32_t)pid;
    notes->process.has_pid = true;
    snprintf(notes->process.name, sizeof notes->process.name, "%.*s", PKTAP_COMMAND_BYTES,
             (const char *)header + PKTAP_COMMAND);
}

inline bool
recorded_point_is_in_link(int encapsulation)
{
    return encapsulation == WTAP_ENCAP_SLL2 || encapsulation == WTAP_ENCAP_PKTAP;
}

/* What the link layer says; `name` is that of the interface so far. False if it says nothing. */
static bool
read_link(const struct frame *frame, struct notes *notes, char *name, size_t room)
{
    const uint8_t *bytes = frame->bytes;
    const int encapsulation = frame->encapsulation;
    if (encapsulation == WTAP_ENCAP_SLL2 && frame->captured >= SLL2_BYTES) {
        uint32_t device = pntohu32(bytes + SLL2_INTERFACE);
        size_t length = strlen(name);
        notes->seen->heading = bytes[SLL2_PACKET_TYPE] == SLL2_OUTGOING ? HEADING_SENT : HEADING_RECEIVED;
        snprintf(name + length, room - length, ":%u", device);
        return true;
    }
    if (encapsulation == WTAP_ENCAP_PKTAP && frame->captured >= PKTAP_BYTES) {
        read_pktap(bytes, notes, name, room);
        return true;
    }
    return false;
}

static uint16_t
read_point(struct point_reader *reader, const struct frame *frame, struct notes *notes)
{
    enum { NAME_BYTES = 256 };
    const wtap_rec *rec = frame->rec;
    const uint32_t section = notes->fingerprint->section;
    char room[NAME_BYTES], name[NAME_BYTES];
    uint32_t interface = rec->presence_flags & WTAP_HAS_INTERFACE_ID ? rec->rec_header.packet_header.interface_id : 0;
    const bool links_tell = recorded_point_is_in_link(frame->encapsulation);
    reader->active |= interface > 0;
    if (!links_tell && reader->latest.point && reader->latest.interface == interface &&
        reader->latest.section == section)
        return reader->latest.point;
    snprintf(name, sizeof name, "%s", interface_name(reader, frame, interface, section, room, sizeof room));
    reader->active |= read_link(frame, notes, name, sizeof name);
    const uint16_t point = points_number(reader->points, name);
    if (!links_tell) {
        reader->latest.interface = interface;
        reader->latest.section = section;
        reader->latest.point = point;
    }
    return point;
}

static bool
tells_of_link(const struct frame *frame)
{
    const wtap_rec *rec = frame->rec;
    return recorded_point_is_in_link(frame->encapsulation) ||
           (rec->presence_flags & WTAP_HAS_INTERFACE_ID && rec->rec_header.packet_header.interface_id > 0);
}

static wireshark_bool
note_option(wtap_block_t block _U_, guint id _U_, wtap_opttype_e type _U_, wtap_optval_t *option _U_, void *data)
{
    bool *has_options = data;
    *has_options = true;
    return false;
}

/* Most frames of most captures say nothing. */
static bool
may_tell(const struct point_reader *reader, const struct frame *frame)
{
    const wtap_rec *rec = frame->rec;
    bool has_options = frame->options;
    if (!has_options && rec->block)
        reader->calls->foreach_option(rec->block, note_option, &has_options);
    return has_options || reader->active || tells_of_link(frame);
}

/* Reads what blocks say of the process that options name. A comment's name is the same one's, or the thread's own. */
static void
look_up_process(const struct point_calls *calls, const struct frame *frame, struct notes *notes)
{
    const uint32_t section = notes->fingerprint->section;
    struct process *process = &notes->process;
    if (notes->has_process_block && calls->process_block)
        calls->process_block(frame, notes->process_block, section, process);
    else if (notes->has_effective_block && calls->process_block)
        calls->process_block(frame, notes->effective_block, section, process);
    if (notes->has_pid && calls->process_of_pid && !*process->name && calls->process_of_pid(frame, notes->pid, process))
        process->tid = notes->tid;
}

bool
recorded_point_read(struct point_reader *reader, const struct frame *frame, struct fingerprint *fingerprint,
                    struct sighting *seen)
{
    const wtap_rec *rec = frame->rec;
    if (rec->rec_type != REC_TYPE_PACKET || (reader->begun && !may_tell(reader, frame)))
        return false;
    struct notes notes;
    begin_notes(&notes, fingerprint, seen);
    *fingerprint = (struct fingerprint){
        .section = rec->presence_flags & WTAP_HAS_SECTION_NUMBER ? rec->section_number : 0,
    };
    *seen = (struct sighting){ .frame = frame->number, .time_ns = frame->time_ns };
    if (!reader->begun)
        read_interfaces(reader, frame, fingerprint->section);
    if (frame->options)
        read_raw_options(frame->options, &notes);
    else if (rec->block)
        reader->calls->foreach_option(rec->block, read_option, &notes);
    look_up_process(reader->calls, frame, &notes);
    reader->active |= fingerprint->has_packet_id || fingerprint->tracking_id || process_is_known(&notes.process);
    if (!reader->active && !tells_of_link(frame))
        return false;
    seen->point = read_point(reader, frame, &notes);
    if (process_is_known(&notes.process))
        seen->process = process_table_put(reader->processes, &notes.process);
    if (seen->point && seen->heading == HEADING_UNKNOWN)
        seen->heading = (uint8_t)point_heading(points_at(reader->points, seen->point)->kind);
    return reader->active && seen->point;
}

bool
recorded_point_read_ip(const struct point_reader *reader, const struct frame *frame, struct fingerprint *fingerprint)
{
    enum { IPV4_HEADER_BYTES = 20, IPV6_HEADER_BYTES = 40, PROTOCOL_IPV4 = 9, PROTOCOL_IPV6 = 6 };
    uint32_t captured;
    const uint8_t *header = reader->calls->ip_header(frame, &captured);
    if (!header)
        return false;
    bool ipv6 = header[0] >> 4 == 6;
    uint16_t ip_id = ipv6 ? 0 : pntohu16(header + 4);
    uint32_t payload = ipv6 ? IPV6_HEADER_BYTES : (header[0] & 0xfu) * 4;
    uint32_t bytes = ipv6 ? 16 : 4, addresses = ipv6 ? IPV6_HEADER_BYTES - 32 : IPV4_HEADER_BYTES - 8;
    fingerprint->ipv6 = ipv6;
    fingerprint->has_ip_id = ip_id != 0;
    fingerprint->ip_id = ip_id;
    memcpy(fingerprint->source.address, header + addresses, bytes);
    memcpy(fingerprint->destination.address, header + addresses + bytes, bytes);
    fingerprint->flags = header[ipv6 ? PROTOCOL_IPV6 : PROTOCOL_IPV4];
    fingerprint->ack = pntohu16(header + (ipv6 ? 4 : 2));
    fingerprint_take_print(fingerprint, header + payload, captured > payload ? captured - payload : 0, reader->key);
    /* a packet without sequence is known by its begin */
    fingerprint->seq = fingerprint->print;
    return true;
}
