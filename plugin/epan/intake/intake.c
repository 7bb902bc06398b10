/* intake.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "intake.h"

#include <epan/exceptions.h>
#include <epan/ipproto.h>

#include "capture_point.h"
#include "datagram_intake.h"
#include "decrypted.h"
#include "ip_header.h"
#include "retention.h"
#include "segment_read.h"

/* One capture. */
struct intake {
    bool retention_is_known;
    /* The last frame taken: tshark -R gives a frame that it drops and the next one the same number, and Wireshark
     * dissects frames twice for its read filter. */
    uint32_t ended_number;
    int64_t ended_offset;
};

static struct intake intake;
static struct settings settings;
static struct reader reader = { .source.settings = &settings, .points.calls = &capture_point_calls };
static void (*when_read)(packet_info *pinfo); /* see intake_when_read(); NULL for nothing */
static int proto_name_only;
static dissector_handle_t tcp_handle;
static dissector_handle_t intake_handle;

bool
intake_is_wanted(const proto_tree *tree)
{
    if (!intake.retention_is_known && retention_can_tell()) {
        intake.retention_is_known = true;
        items_set_keep(reader.source.analysis->items, retention_keeps_frames());
    }
    return items_are_kept(reader.source.analysis->items) || intake_experts_are_listed() || intake_wants_any(tree);
}

struct endpoint
intake_endpoint(const address *addr, uint32_t port)
{
    struct endpoint endpoint = { .port = (uint16_t)port };
    if (addr->data)
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

struct reader *
intake_reader(void)
{
    return &reader;
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
    if (!frame.has_time || !segment_read(tvb, pinfo, ip, &segment)) {
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
    struct frame frame = capture_point_frame(pinfo);
    if (again || !intake_is_wanted(tree))
        frame.rec = NULL;
    retention_note_frame();
    intake.ended_number = pinfo->num;
    intake.ended_offset = pinfo->fd->file_off;
    /* A frame that tshark -R drops leaves its number to the next. */
    reader.started &= pinfo->num != 1;
    reader_end_frame(&reader, &frame, reader.source.observers && ip_header_is_fragment_of_tcp(pinfo));
    reader.sighted_number = 0;
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

static int
dissect_intake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    volatile int dissected = 0;
    intake_begin_packet();
    bool due = intake_is_due(pinfo);
    reader.source.has_tcp |= due && !pinfo->flags.in_error_pkt;
    if (due)
        take(tvb, pinfo, ip, intake_is_wanted(tree));
    segment_begin(tvb);
    TRY
    {
        dissected = call_dissector_only(tcp_handle, tvb, pinfo, tree, ip);
    }
    FINALLY
    {
        end_segment(pinfo);
    }
    ENDTRY;
    if (when_read)
        when_read(pinfo);
    when_read = NULL;
    return dissected;
}

bool
intake_when_read(void (*call)(packet_info *pinfo))
{
    bool is_first = !when_read;
    when_read = call;
    return is_first;
}

static void
begin_capture(void)
{
    intake = (struct intake){ .retention_is_known = false };
    retention_begin();
    reader_begin(&reader, wmem_file_scope());
    /* Decode As "TCP" for IP protocol 6 means what the intake does anyway. */
    if (dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_TCP) == tcp_handle)
        dissector_change_uint("ip.proto", IP_PROTO_TCP, intake_handle);
    datagram_intake_begin_capture();
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

void
intake_register(void)
{
    /* In name only, under TCP: it adds no layer, and is disabled and enabled with TCP. */
    proto_name_only =
        proto_register_protocol_in_name_only("TCP, noted by the latency plugin", "TCP (latency)", "latency.tcp",
                                             proto_get_id_by_filter_name("tcp"), FT_PROTOCOL);
    datagram_intake_register();
    register_init_routine(begin_capture);
    register_postseq_cleanup_routine(intake_end);
    register_cleanup_routine(end_capture);
}

void
intake_handoff(void)
{
    tcp_handle = dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_TCP);
    if (!tcp_handle)
        return;
    decrypted_handoff();
    datagram_intake_handoff();
    intake_handle = create_dissector_handle(dissect_intake, proto_name_only);
    dissector_add_uint("ip.proto", IP_PROTO_TCP, intake_handle);
}
