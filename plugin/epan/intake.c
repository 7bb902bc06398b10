/* intake.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "intake.h"

#include <epan/dissectors/packet-ip.h>
#include <epan/ipproto.h>
#include <epan/tap.h>
#include <wsutil/pint.h>

#include "../compat.h"
#include "capture-point.h"
#include "decrypted.h"
#include "observer.h"
#include "retention.h"

enum { HEADER_BYTES = 20, HEADER_BYTES_NEEDED = 14, HEADER_BYTES_MOST = 60 };

/* One capture. */
struct intake {
    struct analysis *analysis;
    struct connection *connection; /* see intake_connection() */
    struct segment segment;        /* its, while that is dissected */
    struct retention retention;
    bool retention_asked;
    bool started;
    int64_t start_ns; /* meaningful if started */
    int64_t last_ns;  /* likewise: the latest */
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
static uint32_t captures;
static struct settings settings;
static int proto_owner;
static int tap_owner;
static int proto_name_only;
static dissector_handle_t tcp_handle;
static dissector_handle_t intake_handle;
static intake_watcher watcher;

bool
intake_is_shown(const proto_tree *tree, int proto)
{
    return tree && (tree->tree_data->visible || proto_registrar_get_nth((unsigned)proto)->ref_type != HF_REF_TYPE_NONE);
}

/* Whether anybody will see what comes of this frame. */
static bool
is_wanted(packet_info *pinfo, proto_tree *tree)
{
    if (!intake.retention_asked && retention_can_tell(&intake.retention, pinfo)) {
        intake.retention_asked = true;
        items_set_keep(intake.analysis->items, retention_keeps_frames(&intake.retention, pinfo));
    }
    return items_are_kept(intake.analysis->items) || have_tap_listener(tap_owner) || intake_is_shown(tree, proto_owner);
}

static void
set_endpoint(struct endpoint *endpoint, const address *addr, uint16_t port)
{
    memset(endpoint->address, 0, sizeof endpoint->address);
    memcpy(endpoint->address, addr->data, MIN((size_t)addr->len, sizeof endpoint->address));
    endpoint->port = port;
}

int64_t
intake_time_ns(const packet_info *pinfo)
{
    enum { NS_PER_S = 1000000000 };
    const int64_t furthest_s = (INT64_C(1) << 62) / NS_PER_S - 1;
    return CLAMP((int64_t)pinfo->abs_ts.secs, -furthest_s, furthest_s) * NS_PER_S + pinfo->abs_ts.nsecs;
}

/* RFC 9293 §3.2: kind 2 is the MSS. */
static void
read_options(tvbuff_t *tvb, uint32_t header_bytes, struct segment *segment)
{
    uint8_t options[HEADER_BYTES_MOST - HEADER_BYTES];
    uint32_t bytes = header_bytes - HEADER_BYTES;
    segment->options_bytes = (uint8_t)bytes;
    segment->options_captured = tvb_captured_length(tvb) >= header_bytes;
    if (!segment->options_captured || !(segment->flags & SEGMENT_SYN))
        return;
    tvb_memcpy(tvb, options, HEADER_BYTES, bytes);
    for (uint32_t i = 0; i < bytes && options[i] != 0;) {
        if (options[i] == 1) {
            i++;
            continue;
        }
        if (i + 1 >= bytes || options[i + 1] < 2 || i + options[i + 1] > bytes)
            return;
        if (options[i] == 2 && options[i + 1] == 4)
            segment->mss = (uint16_t)(options[i + 2] << 8 | options[i + 3]);
        i += options[i + 1];
    }
}

/* False for what is too short or too odd to be a segment. Never throws. */
static bool
read_segment(tvbuff_t *tvb, packet_info *pinfo, void *ip, struct segment *segment)
{
    uint8_t header[HEADER_BYTES] = { 0 };
    uint32_t captured = tvb_captured_length(tvb);
    uint32_t reported = tvb_reported_length(tvb);
    const ws_ip4 *ip4 = WS_IP4_PTR(ip);
    if (captured < HEADER_BYTES_NEEDED || (pinfo->src.type != AT_IPv4 && pinfo->src.type != AT_IPv6))
        return false;
    tvb_memcpy(tvb, header, 0, MIN(captured, HEADER_BYTES));
    uint32_t header_bytes = (uint32_t)(header[12] >> 4) * 4;
    if (header_bytes < HEADER_BYTES || header_bytes > reported)
        return false;
    *segment = (struct segment){
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .has_ip_id = ip4 != NULL,
        .ip_id = ip4 ? ip4->ip_id : 0,
        .seq = pntohu32(header + 4),
        .ack = pntohu32(header + 8),
        .flags = header[13],
        .window = pntohu16(header + 14),
        .checksum = pntohu16(header + 16),
        .fragmented = pinfo->fragmented,
        .payload_bytes = reported - header_bytes,
    };
    set_endpoint(&segment->source, &pinfo->src, pntohu16(header));
    set_endpoint(&segment->destination, &pinfo->dst, pntohu16(header + 2));
    read_options(tvb, header_bytes, segment);
    if (captured > header_bytes) {
        segment->captured_bytes = captured - header_bytes;
        segment->payload = tvb_get_ptr(tvb, (int)header_bytes, (int)segment->captured_bytes);
    }
    return true;
}

/* Where the quoted IP header begins in the frame's data: before the TCP header, with these addresses. -1 if nowhere. */
static int
quoted_ip_header(tvbuff_t *frame, int tcp, const packet_info *pinfo)
{
    bool ipv6 = pinfo->src.type == AT_IPv6;
    int addresses = ipv6 ? 8 : 12;
    /* extension headers come in 8 bytes, IPv4 options in 4 */
    for (int start = tcp - (ipv6 ? 40 : 20); start >= 8; start -= ipv6 ? 8 : 4)
        if (tvb_get_bits8(frame, start * 8, 4) == (ipv6 ? 6 : 4) &&
            tvb_memeql(frame, start + addresses, pinfo->src.data, pinfo->src.len) == 0 &&
            tvb_memeql(frame, start + addresses + pinfo->src.len, pinfo->dst.data, pinfo->dst.len) == 0)
            return start;
    return -1;
}

/* Whether the ICMP message around a quoted packet says that it did not arrive: RFC 792 types 3, 11, 12, RFC 4443 types
 * 1, 3. The message's type stands 8 bytes before the quoted IP header. */
static bool
is_undelivered(tvbuff_t *tvb, const packet_info *pinfo)
{
    tvbuff_t *frame = tvb_get_ds_tvb(tvb);
    int header = quoted_ip_header(frame, tvb_raw_offset(tvb), pinfo);
    if (header < 0)
        return false;
    uint8_t type = tvb_get_bits8(frame, (header - 8) * 8, 8);
    return pinfo->src.type == AT_IPv6 ? type == 1 || type == 3 : type == 3 || type == 11 || type == 12;
}

static void
take_quoted(tvbuff_t *tvb, packet_info *pinfo)
{
    enum { PORTS_AND_SEQ = 8 };
    uint8_t header[PORTS_AND_SEQ];
    if (tvb_captured_length(tvb) < PORTS_AND_SEQ || !is_undelivered(tvb, pinfo))
        return;
    tvb_memcpy(tvb, header, 0, PORTS_AND_SEQ);
    struct segment quoted = {
        .frame = pinfo->num,
        .time_ns = intake_time_ns(pinfo),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .seq = pntohu32(header + 4),
    };
    set_endpoint(&quoted.source, &pinfo->src, pntohu16(header));
    set_endpoint(&quoted.destination, &pinfo->dst, pntohu16(header + 2));
    observers_quoted(&quoted, analysis_take_quoted(intake.analysis, &quoted));
}

/* False for a frame taken already. */
static bool
is_due(packet_info *pinfo)
{
    if (PINFO_FD_VISITED(pinfo))
        return false;
    if (intake.ended_number != pinfo->num)
        return true;
    if (intake.ended_offset == pinfo->fd->file_off)
        return false;
    items_drop(intake.analysis->items, pinfo->num);
    return true;
}

/* Whether the segment is to be analysed: not if its packet has been, at another capture point. `segment`: NULL if the
 * frame has none. */
static bool
take_sighting(packet_info *pinfo, tvbuff_t *frame, const struct segment *segment)
{
    struct evidence evidence;
    if (intake.sighted_number == pinfo->num && intake.sighted_offset == pinfo->fd->file_off)
        return intake.sighted_counts;
    intake.sighted_number = pinfo->num;
    intake.sighted_offset = pinfo->fd->file_off;
    intake.sighted_counts = true;
    if (!capture_point_read(pinfo, &evidence))
        return true;
    if (segment)
        evidence_take_segment(&evidence, segment);
    else if (!capture_point_read_ip(pinfo, frame, &evidence))
        return true;
    return intake.sighted_counts = analysis_sight(intake.analysis, &evidence, segment);
}

static void
take(tvbuff_t *tvb, packet_info *pinfo, void *ip)
{
    struct segment segment;
    if (pinfo->flags.in_error_pkt) {
        if (pinfo->fd->has_ts)
            take_quoted(tvb, pinfo);
    } else if (pinfo->fd->has_ts && read_segment(tvb, pinfo, ip, &segment)) {
        if (take_sighting(pinfo, tvb, &segment)) {
            intake.connection = analysis_take(intake.analysis, &segment);
            segment.lateness = intake.analysis->requests.taken.lateness;
            observers_segment(&segment, intake.connection);
            analysis_read(intake.analysis, &segment);
            intake.segment = segment;
        }
    } else {
        items_add(intake.analysis->items, pinfo->num, ITEM_UNREAD);
    }
}

void
intake_end_frame(packet_info *pinfo, tvbuff_t *frame, proto_tree *tree)
{
    bool again = intake.ended_number == pinfo->num && intake.ended_offset == pinfo->fd->file_off;
    if (!again && pinfo->fd->has_ts && is_wanted(pinfo, tree))
        take_sighting(pinfo, frame, NULL);
    retention_note(&intake.retention, pinfo);
    intake.ended_number = pinfo->num;
    intake.ended_offset = pinfo->fd->file_off;
    /* A frame that tshark -R drops leaves its number to the next. */
    if (pinfo->fd->has_ts && (!intake.started || pinfo->num == 1)) {
        intake.started = true;
        intake.start_ns = intake.last_ns = intake_time_ns(pinfo);
    }
    if (pinfo->fd->has_ts)
        intake.last_ns = MAX(intake.last_ns, intake_time_ns(pinfo));
    observers_frame(pinfo);
}

static void
take_decrypted(packet_info *pinfo)
{
    if (!analysis_wants_decrypted(intake.analysis, intake.connection))
        return;
    struct decrypted decrypted = decrypted_read(pinfo);
    analysis_read_decrypted(intake.analysis, &intake.segment, &decrypted);
}

static int
dissect_intake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    bool due = is_due(pinfo);
    intake.connection = NULL;
    if (due && is_wanted(pinfo, tree))
        take(tvb, pinfo, ip);
    int dissected = call_dissector_only(tcp_handle, tvb, pinfo, tree, ip);
    if (intake.connection)
        take_decrypted(pinfo);
    if (watcher && !pinfo->flags.in_error_pkt)
        watcher(tvb, pinfo, tree, due);
    intake.connection = NULL;
    return dissected;
}

struct connection *
intake_connection(void)
{
    return intake.connection;
}

void
intake_watch(intake_watcher watch)
{
    watcher = watch;
}

static void
begin_capture(void)
{
    captures++;
    intake = (struct intake){ .analysis = analysis_new(wmem_file_scope(), &settings) };
    intake.analysis->requests.told = observers_message;
    capture_point_begin(intake.analysis->points, intake.analysis->processes);
    /* Decode As "TCP" for IP protocol 6 means what the intake does anyway. */
    if (dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_TCP) == tcp_handle)
        dissector_change_uint("ip.proto", IP_PROTO_TCP, intake_handle);
}

static void
end_capture(void)
{
    observers_end();
    analysis_free(intake.analysis);
    intake.analysis = NULL;
}

struct settings *
intake_settings(void)
{
    return &settings;
}

uint32_t
intake_capture(void)
{
    return captures;
}

int64_t
intake_start_ns(void)
{
    return intake.start_ns;
}

int64_t
intake_last_ns(void)
{
    return intake.last_ns;
}

struct analysis *
intake_analysis(void)
{
    return intake.analysis;
}

void
intake_register(int proto, int tap)
{
    proto_owner = proto;
    tap_owner = tap;
    /* In name only, under TCP: it adds no layer, and is disabled and enabled with TCP. */
    proto_name_only =
        proto_register_protocol_in_name_only("TCP, noted by the latency plugin", "TCP (latency)", "latency.tcp",
                                             proto_get_id_by_filter_name("tcp"), FT_PROTOCOL);
    register_init_routine(begin_capture);
    register_cleanup_routine(end_capture);
}

void
intake_handoff(void)
{
    tcp_handle = dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_TCP);
    if (!tcp_handle)
        return;
    decrypted_handoff();
    intake_handle = create_dissector_handle(dissect_intake, proto_name_only);
    dissector_add_uint("ip.proto", IP_PROTO_TCP, intake_handle);
}
