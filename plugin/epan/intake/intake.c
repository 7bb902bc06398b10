/* intake.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "intake.h"

#include <stdlib.h>

#include <epan/exceptions.h>
#include <epan/ipproto.h>
#include <wsutil/pint.h>

#include "../../compat.h"
#include "../../reader/headers.h"
#include "../../table/call_source.h"
#include "capture_point.h"
#include "decrypted.h"
#include "retention.h"
#include "segment_read.h"

/* One capture. */
struct intake {
    bool retention_is_known;
    bool rests; /* segments are left to Wireshark: see intake_rest() */
    /* The last frame taken: tshark -R gives a frame that it drops and the next one the same number, and Wireshark
     * dissects frames twice for its read filter. */
    uint32_t ended_number;
    int64_t ended_offset;
};

static struct intake intake;
static struct settings settings;
static struct reader reader = { .source.settings = &settings, .points.calls = &capture_point_calls };
static bool wants_calls;                      /* see intake_want_calls() */
static bool keeps_calls;                      /* see intake_keep_calls() */
static void (*when_read)(packet_info *pinfo); /* see intake_when_read(); NULL for nothing */

/* A slot of "ip.proto", and what stands in it: Wireshark's dissector, and ours, of a protocol in name only. */
struct slot {
    uint32_t ip_protocol;
    const char *title, *name, *filter, *of;
    dissector_t dissect;
    int proto;
    dissector_handle_t wireshark, ours;
};

static int dissect_intake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip);
static int dissect_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip);

static struct slot tcp = {
    IP_PROTO_TCP, "TCP, noted by the latency plugin", "TCP (latency)", "latency.tcp", "tcp", dissect_intake, -1, NULL,
    NULL,
};
static struct slot udp = {
    IP_PROTO_UDP, "UDP, noted by the latency plugin", "UDP (latency)", "latency.udp", "udp", dissect_datagram, -1, NULL,
    NULL,
};

void
intake_want_calls(bool wanted)
{
    wants_calls = wanted;
    if (!wanted)
        intake_keep_calls(false);
}

void
intake_keep_calls(bool keep)
{
    if (keep && !keeps_calls)
        call_source_want(&reader.source);
    else if (!keep && keeps_calls)
        call_source_leave(&reader.source);
    keeps_calls = keep;
}

/* It is known whether frames are visited again. Before, ids are kept as if they were. */
static void
keep_frames(bool keep)
{
    struct analysis *analysis = reader.source.analysis;
    analysis_set_keep(analysis, keep);
    intake_keep_calls(keep && wants_calls);
    analysis->requests.wants_ids = reader.source.calls_wanted > 0;
}

bool
intake_is_wanted(const proto_tree *tree)
{
    if (!intake.retention_is_known && retention_can_tell()) {
        intake.retention_is_known = true;
        keep_frames(retention_keeps_frames());
    }
    return items_are_kept(reader.source.analysis->items) || intake_wants_any(tree);
}

/* A build for tests can be told to believe that nobody asks, to show that a test of something asked for sees it. */
static bool
is_mistaken(void)
{
#ifdef LATENCY_MISTAKES
    return getenv("LATENCY_MISTAKEN") != NULL;
#else
    return false;
#endif
}

/* Without a tree, columns and listeners nothing that the plugin finds can be seen. */
bool
intake_is_idle(const packet_info *pinfo, const proto_tree *tree)
{
    const struct table_source *source = &reader.source;
    if (is_mistaken())
        return true;
    return intake.retention_is_known && !tree && !pinfo->cinfo && !source->observers &&
           !items_are_kept(source->analysis->items) && !intake_is_listened_to();
}

struct endpoint
intake_endpoint(const address *addr, uint32_t port)
{
    struct endpoint endpoint = { .port = (uint16_t)port };
    enum { IPV4_BYTES = 4 };
    if (addr->len == IPV4_BYTES)
        memcpy(endpoint.address, addr->data, IPV4_BYTES);
    else if (addr->data)
        memcpy(endpoint.address, addr->data, MIN((size_t)addr->len, sizeof endpoint.address));
    return endpoint;
}

int64_t
intake_time_ns(const packet_info *pinfo)
{
    enum { NS_PER_S = 1000000000 };
    const int64_t furthest_s = (INT64_C(1) << 62) / NS_PER_S - 1;
    return CLAMP((int64_t)pinfo->abs_ts.secs, -furthest_s, furthest_s) * NS_PER_S + pinfo->abs_ts.nsecs;
}

bool
intake_is_first_visit(const packet_info *pinfo)
{
    return !PINFO_FD_VISITED(pinfo) &&
           (intake.ended_number != pinfo->num || intake.ended_offset != pinfo->fd->file_off);
}

bool
intake_is_due(const packet_info *pinfo)
{
    bool due = intake_is_first_visit(pinfo);
    if (due && intake.ended_number == pinfo->num)
        items_drop(reader.source.analysis->items, pinfo->num);
    return due;
}

/* Of Channel Access somebody always wants to know: what a message is about is in Wireshark's columns. */
static void
take(tvbuff_t *tvb, packet_info *pinfo, void *ip, bool wanted)
{
    struct segment segment;
    if (pinfo->flags.in_error_pkt) {
        if (wanted && pinfo->fd->has_ts && segment_read_quoted(tvb, pinfo, &segment))
            reader_take_quoted(&reader, &segment);
        return;
    }
    const struct frame frame = capture_point_frame(pinfo);
    if (!frame.has_time || !segment_read(tvb, pinfo, ip, frame.time_ns, &segment)) {
        if (wanted)
            reader_take_unread(&reader, &frame);
    } else if (wanted || analysis_expects_channel_access(reader.source.analysis, &segment)) {
        reader_take_segment(&reader, &frame, &segment);
    }
}

void
intake_end_frame(packet_info *pinfo, proto_tree *tree)
{
    bool again = intake.ended_number == pinfo->num && intake.ended_offset == pinfo->fd->file_off;
    const bool is_sighted = reader.sighted_number == pinfo->num;
    const struct frame frame = is_sighted || again || !intake_is_wanted(tree) ? capture_point_frame_without(pinfo)
                                                                              : capture_point_frame(pinfo);
    retention_note_frame();
    intake.ended_number = pinfo->num;
    intake.ended_offset = pinfo->fd->file_off;
    /* A frame that tshark -R drops leaves its number to the next. */
    reader.started &= pinfo->num != 1;
    reader_end_frame(&reader, &frame, reader.source.observers && capture_point_is_rest_of_tcp(pinfo));
    reader.sighted_number = 0;
}

void
intake_leave_frame(void)
{
    segment_end();
    intake_forget_listeners();
}

void
intake_begin_packet(void)
{
    when_read = NULL;
    reader_read(&reader, NULL);
}

/* TLS may have been decrypted meanwhile. */
static void
end_segment(packet_info *pinfo)
{
    segment_end();
    if (!reader.is_postponed)
        return;
    const struct decrypted decrypted = decrypted_read(pinfo);
    reader_read(&reader, &decrypted);
}

/* Whatever Wireshark's dissector throws, the segment ends. */
static int
dissect_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    volatile int dissected = 0;
    TRY
    {
        dissected = call_dissector_only(tcp.wireshark, tvb, pinfo, tree, ip);
    }
    FINALLY
    {
        end_segment(pinfo);
    }
    ENDTRY;
    return dissected;
}

/* The same, where nothing is to be read at its end: if it throws, it is over by the frame's end. */
static int
dissect_read_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    const int dissected = call_dissector_only(tcp.wireshark, tvb, pinfo, tree, ip);
    segment_end();
    return dissected;
}

static int
dissect_intake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    intake_forget_listeners();
    if (intake_is_idle(pinfo, tree)) {
        when_read = NULL; /* whoever was to be called is of an earlier packet, as is its memory */
        return call_dissector_only(tcp.wireshark, tvb, pinfo, tree, ip);
    }
    intake_begin_packet();
    bool due = intake_is_due(pinfo);
    reader.source.has_tcp |= due && !pinfo->flags.in_error_pkt;
    if (due)
        take(tvb, pinfo, ip, intake_is_wanted(tree));
    const bool is_inside = segment_begin(tvb);
    const int dissected = is_inside || reader.is_postponed ? dissect_segment(tvb, pinfo, tree, ip)
                                                           : dissect_read_segment(tvb, pinfo, tree, ip);
    if (when_read)
        when_read(pinfo);
    when_read = NULL;
    return dissected;
}

/* Returns whether it is one of QUIC. */
static bool
read_datagram(tvbuff_t *tvb, packet_info *pinfo, void *ip)
{
    struct segment segment;
    const bool is_quoted = pinfo->flags.in_error_pkt;
    const struct frame frame = capture_point_frame(pinfo);
    if (!frame.has_time || !datagram_read(tvb, pinfo, ip, &segment) ||
        (is_quoted && !quoted_is_undelivered(tvb, pinfo)))
        return false;
    const struct connection *connection = reader_take_datagram(&reader, &frame, &segment, is_quoted);
    return connection && connection->tcp->quic && !is_quoted;
}

static bool
may_take_datagram(tvbuff_t *tvb)
{
    const uint32_t captured = tvb_captured_length(tvb);
    if (captured < DATAGRAM_HEADER_BYTES)
        return false;
    const uint8_t *datagram = tvb_get_ptr(tvb, 0, (int)captured);
    return reader_may_take_datagram(&reader, pntohu16(datagram), pntohu16(datagram + 2),
                                    datagram + DATAGRAM_HEADER_BYTES, captured - DATAGRAM_HEADER_BYTES);
}

/* Takes a datagram, if it is one of DNS or QUIC, before UDP's dissector has it. */
static int
dissect_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    volatile bool is_quic = false;
    volatile int dissected = 0;
    intake_forget_listeners();
    /* An error may quote no more than ports. */
    const bool is_quoted = pinfo->flags.in_error_pkt && tvb_captured_length(tvb) >= DATAGRAM_HEADER_BYTES;
    if ((is_quoted || may_take_datagram(tvb)) && intake_is_due(pinfo) && intake_is_wanted(tree)) {
        intake_begin_packet();
        is_quic = read_datagram(tvb, pinfo, ip);
    }
    const unsigned known = is_quic ? g_slist_length(pinfo->data_src) : 0;
    TRY
    {
        dissected = call_dissector_only(udp.wireshark, tvb, pinfo, tree, ip);
    }
    FINALLY
    {
        if (is_quic)
            decrypted_quic_each(pinfo, known, reader_read_quic_frames, &reader);
    }
    ENDTRY;
    return dissected;
}

bool
intake_when_read(void (*call)(packet_info *pinfo))
{
    bool is_first = !when_read;
    when_read = intake.rests ? NULL : call; /* at rest nothing is read, and a call would be of an earlier packet */
    return is_first;
}

/* Puts a dissector in a slot in place of another one; what Decode As has put there stays. */
static void
change_slot(const struct slot *slot, dissector_handle_t from, dissector_handle_t to)
{
    if (dissector_get_uint_handle(find_dissector_table("ip.proto"), slot->ip_protocol) == from)
        dissector_change_uint("ip.proto", slot->ip_protocol, to);
}

/* Decode As "TCP" for IP protocol 6 means what the intake does anyway. */
static void
keep_slot(const struct slot *slot)
{
    change_slot(slot, slot->wireshark, slot->ours);
}

/* Frames do not begin or cease to be idle within a run of tshark, but for a script that begins to listen. */
void
intake_rest(bool rests)
{
    const struct slot *slots[] = { &tcp, &udp };
    if (rests == intake.rests)
        return;
    intake.rests = rests;
    when_read = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(slots); i++) {
        if (rests)
            change_slot(slots[i], slots[i]->ours, slots[i]->wireshark);
        else
            keep_slot(slots[i]);
    }
}

static void
begin_capture(void)
{
    intake = (struct intake){ .retention_is_known = false };
    retention_begin();
    segment_end();
    reader_begin(&reader, wmem_file_scope());
    reader.source.analysis->requests.wants_ids |= wants_calls;
    reader.source.analysis->quic.follows_spin = true;
    keep_slot(&tcp);
    keep_slot(&udp);
}

void
intake_end(void)
{
    reader_end(&reader);
}

static void
end_capture(void)
{
    reader_end(&reader);
    reader_close(&reader);
}

struct settings *
intake_settings(void)
{
    return &settings;
}

bool
intake_is_slow(int64_t ns)
{
    return settings.slow_ns > 0 && ns >= settings.slow_ns;
}

bool
intake_is_read_once(void)
{
    return !items_are_kept(reader.source.analysis->items);
}

struct table_source *
intake_source(void)
{
    return &reader.source;
}

struct analysis *
intake_analysis(void)
{
    return reader.source.analysis;
}

/* Under Wireshark's protocol: it adds no layer, and is disabled and enabled with that. */
static void
register_slot(struct slot *slot)
{
    slot->proto = proto_register_protocol_in_name_only(slot->title, slot->name, slot->filter,
                                                       proto_get_id_by_filter_name(slot->of), FT_PROTOCOL);
}

void
intake_register(void)
{
    register_slot(&tcp);
    register_slot(&udp);
    register_init_routine(begin_capture);
    register_postseq_cleanup_routine(intake_end);
    register_cleanup_routine(end_capture);
}

static void
fill_slot(struct slot *slot)
{
    slot->wireshark = dissector_get_uint_handle(find_dissector_table("ip.proto"), slot->ip_protocol);
    if (!slot->wireshark)
        return;
    slot->ours = create_dissector_handle(slot->dissect, slot->proto);
    dissector_add_uint("ip.proto", slot->ip_protocol, slot->ours);
}

void
intake_handoff(void)
{
    decrypted_handoff();
    fill_slot(&tcp);
    fill_slot(&udp);
}
