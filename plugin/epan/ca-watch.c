/* ca-watch.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca-watch.h"

#include <epan/column-utils.h>
#include <wsutil/pint.h>

#include "../compat.h"
#include "../core/segment.h"
#include "ca-state.h"
#include "intake.h"

/* Messages put in order here, shown in the frame that made them whole. */
struct late {
    struct late *next; /* of the same frame */
    struct ca_circuit *circuit;
    const uint8_t *bytes;
    uint32_t n;
    uint32_t seq;
    bool from_client;
    bool handed_over; /* by TCP, on the first visit */
};

/* A segment's TCP header, and where its payload is. */
struct header {
    uint32_t seq;
    uint8_t flags;
    unsigned bytes;
    unsigned payload_bytes;
};

static wmem_map_t *late_by_frame;
static bool heard;
static uint32_t heard_end;

void
ca_watch_heard(uint32_t end)
{
    heard = true;
    heard_end = end;
}

static bool
read_header(tvbuff_t *tvb, struct header *header)
{
    enum { BYTES = 20, FIXED = 14, OFFSET_AT = 12, FLAGS_AT = 13, SEQ_AT = 4 };
    uint8_t fixed[FIXED];
    if (tvb_captured_length(tvb) < BYTES)
        return false;
    tvb_memcpy(tvb, fixed, 0, FIXED);
    header->seq = pntohu32(fixed + SEQ_AT);
    header->flags = fixed[FLAGS_AT];
    header->bytes = (unsigned)(fixed[OFFSET_AT] >> 4) * 4;
    if (header->bytes < BYTES || header->bytes > tvb_reported_length(tvb))
        return false;
    header->payload_bytes = tvb_reported_length(tvb) - header->bytes;
    return true;
}

/* Keeps the segment if the circuit misses some of it. True if it was kept. */
static bool
keep(struct ca_circuit *circuit, bool from_client, tvbuff_t *tvb, const struct header *header)
{
    struct ca_stream *stream = &circuit->streams[from_client];
    struct ca_backlog *backlog = &circuit->backlogs[from_client];
    uint32_t start = header->seq - stream->origin;
    uint32_t end = start + header->payload_bytes;
    bool captured = tvb_captured_length(tvb) == tvb_reported_length(tvb);
    bool large = stream->large_end != 0 && (int32_t)(start - stream->large_end) < 0;
    if (backlog->first)
        ca_backlog_prune(backlog, wmem_file_scope(), stream);
    if (!stream->has_origin || !captured || large || !ca_stream_misses(stream, start, end))
        return false;
    ca_backlog_add(backlog, wmem_file_scope(), start, tvb_get_ptr(tvb, (int)header->bytes, (int)header->payload_bytes),
                   header->payload_bytes);
    return true;
}

static struct late *
note_late(uint32_t frame, const struct late *found)
{
    struct late *late = wmem_memdup(wmem_file_scope(), found, sizeof *found);
    struct late *last = wmem_map_lookup(late_by_frame, GUINT_TO_POINTER(frame));
    if (!last) {
        wmem_map_insert(late_by_frame, GUINT_TO_POINTER(frame), late);
        return late;
    }
    while (last->next)
        last = last->next;
    last->next = late;
    return late;
}

void
ca_watch_remember(const struct ca_reader *reader, const uint8_t *bytes, size_t available)
{
    size_t whole = ca_messages_whole(bytes, available, SIZE_MAX);
    const struct late late = {
        .circuit = reader->circuit,
        .bytes = wmem_memdup(wmem_file_scope(), bytes, whole),
        .n = (uint32_t)whole,
        .seq = reader->seq,
        .from_client = reader->from_client,
        .handed_over = true,
    };
    if (whole > 0)
        note_late(reader->pinfo->num, &late);
}

static void
show_late(const struct late *late, tvbuff_t *parent, packet_info *pinfo, proto_tree *tree)
{
    struct ca_reader reader = {
        .tvb = tvb_new_child_real_data(parent, late->bytes, late->n, (int)late->n),
        .pinfo = pinfo,
        .tree = tree,
        .frame = ca_state_frame(pinfo),
        .circuit = late->circuit,
        .seq = late->seq,
        .from_client = late->from_client,
    };
    ca_state_begin_row(reader.frame, late->seq);
    add_new_data_source(pinfo, reader.tvb, "Channel Access in order");
    pinfo->can_desegment = 0;
    ca_reader_read(&reader);
    col_set_fence(pinfo->cinfo, COL_INFO);
    ca_info_set(&reader.info, pinfo);
}

/* The next whole messages that nobody has read, if there are any by now. */
static bool
find_late(struct ca_circuit *circuit, bool from_client, struct late *late)
{
    const struct ca_backlog *backlog = &circuit->backlogs[from_client];
    uint32_t available, missed;
    *late = (struct late){ .circuit = circuit, .from_client = from_client };
    if (!ca_backlog_find(backlog, &circuit->streams[from_client], &late->seq, &available, &missed))
        return false;
    uint8_t *bytes = wmem_alloc(wmem_file_scope(), available);
    ca_backlog_gather(backlog, late->seq, bytes, available);
    late->bytes = bytes;
    late->n = (uint32_t)ca_messages_whole(bytes, available, missed);
    return true;
}

/* On the first visit: keeps what is missed, and reads what it makes whole. */
static void
watch_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct header *header)
{
    struct ca_circuit *circuit = ca_state_known_circuit(pinfo);
    if (!circuit)
        return;
    bool from_client = ca_state_is_client(pinfo, circuit);
    struct ca_stream *stream = &circuit->streams[from_client];
    struct late late;
    if (heard) {
        stream->origin = header->seq + header->payload_bytes - heard_end;
        stream->has_origin = true;
        if (stream->has_isn)
            ca_stream_begin(stream, stream->isn + 1 - stream->origin);
    }
    if (!keep(circuit, from_client, tvb, header))
        return;
    while (find_late(circuit, from_client, &late))
        show_late(note_late(pinfo->num, &late), tvb, pinfo, tree);
}

static void
watch(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool due)
{
    struct header header;
    if (due && read_header(tvb, &header)) {
        if (header.flags & SEGMENT_SYN)
            ca_state_note_handshake(pinfo, header.seq, header.flags & SEGMENT_ACK);
        if (header.payload_bytes > 0 && ca_state_channels()->circuits > 0)
            watch_payload(tvb, pinfo, tree, &header);
        if (header.flags & (SEGMENT_FIN | SEGMENT_RST) && ca_state_channels()->circuits > 0)
            ca_state_note_end(pinfo);
    } else if (!due && wmem_map_size(late_by_frame) > 0) {
        const struct late *late = wmem_map_lookup(late_by_frame, GUINT_TO_POINTER(pinfo->num));
        for (; late; late = late->next)
            if (!late->handed_over || !heard)
                show_late(late, tvb, pinfo, tree);
    }
    heard = false;
}

static void
begin_capture(void)
{
    late_by_frame = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    heard = false;
}

void
ca_watch_register(void)
{
    register_init_routine(begin_capture);
    intake_watch(watch);
}
