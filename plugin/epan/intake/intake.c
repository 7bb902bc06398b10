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
#include "../../table/held_frames.h"
#include "../../table/observer.h"
#include "retention.h"
#include "segment_read.h"

/* One capture. */
struct intake {
    struct analysis *analysis;
    struct segment segment; /* that is_postponed: it is read when it has been dissected */
    bool is_postponed;
    bool retention_is_known;
    bool has_ended; /* all frames have been visited once */
    bool started;   /* there was a frame with a time */
    /* The last frame taken: tshark -R gives a frame that it drops and the next one the same number, and Wireshark
     * dissects frames twice for its read filter. */
    uint32_t ended_number;
    int64_t ended_offset;
    /* The last frame whose sighting was taken, be there several segments in it. */
    uint32_t sighted_number;
    int64_t sighted_offset;
    bool sighted_counts; /* it is to be analysed */
};

static struct intake intake;
static struct settings settings;
static struct table_source source = { .settings = &settings };
static void (*when_read)(packet_info *pinfo); /* see intake_when_read(); NULL for nothing */
static int proto_name_only;
static dissector_handle_t tcp_handle;
static dissector_handle_t intake_handle;

bool
intake_is_wanted(const proto_tree *tree)
{
    if (!intake.retention_is_known && retention_can_tell()) {
        intake.retention_is_known = true;
        items_set_keep(intake.analysis->items, retention_keeps_frames());
    }
    return items_are_kept(intake.analysis->items) || intake_experts_are_listed() || intake_wants_any(tree);
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

static void
take_quoted(tvbuff_t *tvb, packet_info *pinfo)
{
    struct segment quoted;
    if (segment_read_quoted(tvb, pinfo, &quoted))
        observers_quoted(&source, &quoted, analysis_take_quoted(intake.analysis, &quoted));
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
        items_drop(intake.analysis->items, pinfo->num);
    return due;
}

/* Whether the segment is to be analysed: not if its packet has been, at another capture point. `segment`: NULL if the
 * frame has none. */
static bool
take_sighting(packet_info *pinfo, tvbuff_t *frame, const struct segment *segment)
{
    struct fingerprint fingerprint;
    struct sighting seen;
    if (intake.sighted_number == pinfo->num && intake.sighted_offset == pinfo->fd->file_off)
        return intake.sighted_counts;
    intake.sighted_number = pinfo->num;
    intake.sighted_offset = pinfo->fd->file_off;
    intake.sighted_counts = true;
    if (!capture_point_read(pinfo, &fingerprint, &seen))
        return true;
    if (segment)
        fingerprint_take_segment(&fingerprint, segment);
    else if (!capture_point_read_ip(pinfo, frame, &fingerprint))
        return true;
    return intake.sighted_counts = analysis_sight(intake.analysis, &fingerprint, &seen, segment);
}

void
intake_sight(packet_info *pinfo)
{
    if (pinfo->fd->has_ts && pinfo->data_src)
        take_sighting(pinfo, get_data_source_tvb(pinfo->data_src->data), NULL);
}

static void
take_segment(tvbuff_t *tvb, packet_info *pinfo, struct segment *segment)
{
    if (!take_sighting(pinfo, tvb, segment))
        return;
    held_frames_tell_ends(&source, segment);
    const struct connection *connection = analysis_take(intake.analysis, segment);
    observers_segment(&source, segment, connection);
    intake.segment = *segment;
    intake.is_postponed = analysis_wants_decrypted(intake.analysis);
    if (!intake.is_postponed)
        analysis_read(intake.analysis, segment);
}

/* Of Channel Access somebody always wants to know: what a message is about is in Wireshark's columns. */
static void
take(tvbuff_t *tvb, packet_info *pinfo, void *ip, bool wanted)
{
    struct segment segment;
    if (pinfo->flags.in_error_pkt) {
        if (wanted && pinfo->fd->has_ts)
            take_quoted(tvb, pinfo);
    } else if (pinfo->fd->has_ts && segment_read(tvb, pinfo, ip, &segment)) {
        if (wanted || analysis_expects_channel_access(intake.analysis, &segment))
            take_segment(tvb, pinfo, &segment);
    } else if (wanted) {
        intake_sight(pinfo);
        items_add(intake.analysis->items, pinfo->num, ITEM_UNREAD);
    }
}

void
intake_end_frame(packet_info *pinfo, proto_tree *tree)
{
    bool again = intake.ended_number == pinfo->num && intake.ended_offset == pinfo->fd->file_off;
    /* With a frame of another protocol nothing has become known. */
    items_enter(intake.analysis->items, pinfo->num);
    if (!again && intake_is_wanted(tree))
        intake_sight(pinfo);
    retention_note_frame();
    intake.ended_number = pinfo->num;
    intake.ended_offset = pinfo->fd->file_off;
    /* A frame that tshark -R drops leaves its number to the next. */
    if (pinfo->fd->has_ts && (!intake.started || pinfo->num == 1)) {
        intake.started = true;
        source.start_ns = source.last_ns = intake_time_ns(pinfo);
    }
    if (pinfo->fd->has_ts) {
        source.last_ns = MAX(source.last_ns, intake_time_ns(pinfo));
        analysis_note_time(intake.analysis, source.last_ns);
    }
    int64_t time_ns = intake_time_ns(pinfo);
    source.has_points = capture_point_is_told();
    source.fragments += source.observers && ip_header_is_fragment_of_tcp(pinfo);
    observers_frame(&source, pinfo->fd->has_ts ? &time_ns : NULL);
}

static void
read_postponed(const struct decrypted *decrypted)
{
    intake.is_postponed = false;
    analysis_read_decrypted(intake.analysis, &intake.segment, decrypted);
}

void
intake_begin_packet(void)
{
    static const struct decrypted nothing;
    when_read = NULL;
    if (intake.is_postponed)
        read_postponed(&nothing);
}

/* TLS may have been decrypted meanwhile. */
static void
end_segment(packet_info *pinfo)
{
    segment_end();
    if (!intake.is_postponed)
        return;
    const struct decrypted decrypted = decrypted_read(pinfo);
    read_postponed(&decrypted);
}

static int
dissect_intake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    volatile int dissected = 0;
    intake_begin_packet();
    bool due = intake_is_due(pinfo);
    source.has_tcp |= due && !pinfo->flags.in_error_pkt;
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
tell_event(const struct connection *connection, const struct event *event, const struct segment *segment)
{
    observers_event(&source, connection, event, segment);
}

static void
begin_capture(void)
{
    intake = (struct intake){ .analysis = analysis_new(wmem_file_scope(), &settings) };
    retention_begin();
    source.analysis = intake.analysis;
    source.number++;
    source.start_ns = source.last_ns = 0;
    source.fragments = 0;
    intake.analysis->requests.told = tell_event;
    capture_point_begin(intake.analysis->points, intake.analysis->processes);
    /* Decode As "TCP" for IP protocol 6 means what the intake does anyway. */
    if (dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_TCP) == tcp_handle)
        dissector_change_uint("ip.proto", IP_PROTO_TCP, intake_handle);
    datagram_intake_begin_capture();
}

void
intake_end(void)
{
    unsigned count;
    if (!intake.analysis || intake.has_ended)
        return;
    intake.has_ended = true;
    analysis_end(intake.analysis);
    const struct late_item *late = items_late(intake.analysis->items, &count);
    held_frames_tell(&source, late, count);
}

static void
end_capture(void)
{
    intake_end();
    observers_end(&source);
    analysis_free(intake.analysis);
    source.analysis = intake.analysis = NULL;
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
    return !items_are_kept(intake.analysis->items);
}

struct table_source *
intake_source(void)
{
    return &source;
}

struct analysis *
intake_analysis(void)
{
    return intake.analysis;
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
