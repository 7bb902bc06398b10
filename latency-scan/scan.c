/* scan.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scan_inside.h"

#include <string.h>

#include "core/protocol/dns/dns_datagram.h"
#include "core/protocol/reading.h"
#include "frame/segment_header.h"
#include "table/observer.h"
#include "table/take_datagram.h"
#include "datagram.h"
#include "table/ca_events.h"
#include "preferences.h"

/* Of UDP, that are remembered: clients of servers of DNS. */
enum { CONVERSATIONS_MOST = 65536 };

/* The core tells of messages without a place to keep whom to tell. */
static struct table_source *told;

static void
tell_event(const struct connection *connection, const struct event *event, const struct segment *segment)
{
    observers_event(told, connection, event, segment);
}

struct scan *
scan_new(const struct settings *settings, const struct source_texts *texts)
{
    struct scan *scan = g_new0(struct scan, 1);
    scan->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    scan->source = (struct table_source){
        .analysis = analysis_new(scan->scope, settings),
        .settings = settings,
        .texts = texts,
        .number = 1,
    };
    struct analysis *analysis = scan->source.analysis;
    items_set_keep(analysis->items, false);
    scan->points = (struct point_reader){
        .points = analysis->points,
        .processes = analysis->processes,
        .interface_name = reading_interface_name,
    };
    listeners_init(&scan->listeners, &scan->source);
    scan->not_read = not_read_new();
    scan->closing = closing_new(CONVERSATIONS_MOST);
    told = &scan->source;
    return scan;
}

void
scan_free(struct scan *scan)
{
    analysis_free(scan->source.analysis);
    wmem_destroy_allocator(scan->scope);
    listeners_clear(&scan->listeners);
    not_read_free(scan->not_read);
    closing_free(scan->closing);
    g_free(scan);
}

struct table_source *
scan_source(struct scan *scan)
{
    return &scan->source;
}

void
scan_listen(struct scan *scan, const struct listener *listener)
{
    listeners_add(&scan->listeners, listener);
    scan->source.analysis->requests.told = scan->source.observers ? tell_event : NULL;
}

/* Whether the frame may be a packet's at one of several capture points. */
static bool
may_be_sighting(const struct scan *scan, const struct frame *frame)
{
    return frame->rec && (!frame->is_plain || scan->points.active);
}

/* Whether such a frame is to be analysed: not if its packet has been, at another capture point. `segment`: NULL if it
 * has none. */
static bool
take_sighting(struct scan *scan, const struct frame *frame, const struct decapped *decapped,
              const struct segment *segment)
{
    enum { IPV4_BYTES = 20, IPV6_BYTES = 40 };
    struct fingerprint fingerprint;
    struct sighting seen;
    const struct recorded recorded = {
        .rec = frame->rec,
        .encapsulation = frame->encapsulation,
        .bytes = frame->bytes,
        .captured = frame->captured,
        .frame = (uint32_t)scan->frames,
        .time_ns = frame->time_ns,
        .data = frame->file,
    };
    if (!recorded_point_read(&scan->points, &recorded, &fingerprint, &seen))
        return true;
    const struct bytes packet = decapped->error.captured ? decapped->error : decapped->ip;
    if (segment)
        fingerprint_take_segment(&fingerprint, segment);
    else if (packet.captured >= (decapped->ipv6 ? IPV6_BYTES : IPV4_BYTES))
        recorded_point_read_ip(packet.at, packet.captured, &fingerprint);
    else
        return true;
    return analysis_sight(scan->source.analysis, &fingerprint, &seen, segment);
}

/* Of a packet without a segment of its own, before what it means is told: a request's stages are those of its packet.
 */
static void
take_sighting_alone(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    if (frame->has_time && may_be_sighting(scan, frame))
        take_sighting(scan, frame, decapped, NULL);
}

/* What IP says. */
static void
read_ip(const struct scan *scan, const struct frame *frame, const struct decapped *decapped, struct segment *segment)
{
    *segment = (struct segment){
        .frame = (uint32_t)scan->frames,
        .time_ns = frame->time_ns,
        .ipv6 = decapped->ipv6,
        .has_ip_id = !decapped->ipv6,
        .ip_id = decapped->ip_id,
        .fragmented = decapped->fragmented,
    };
    if (decapped->ipv6) {
        memcpy(segment->source.address, decapped->ip.at + decapped->source, 16);
        memcpy(segment->destination.address, decapped->ip.at + decapped->destination, 16);
    } else {
        memcpy(segment->source.address, decapped->ip.at + decapped->source, 4);
        memcpy(segment->destination.address, decapped->ip.at + decapped->destination, 4);
    }
}

/* Nothing is decrypted here, as in a Wireshark that has no keys. */
static void
read_segment(struct analysis *analysis, const struct segment *segment)
{
    static const struct decrypted nothing;
    if (analysis_wants_decrypted(analysis))
        analysis_read_decrypted(analysis, segment, &nothing);
    else
        analysis_read(analysis, segment);
}

void
scan_take_tcp(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    struct analysis *analysis = scan->source.analysis;
    const struct bytes *payload = &decapped->payload;
    struct segment segment;
    read_ip(scan, frame, decapped, &segment);
    scan->source.has_tcp = true;
    if (!frame->has_time || !segment_header_read(payload->at, payload->captured, payload->reported, &segment)) {
        take_sighting_alone(scan, frame, decapped);
        items_add(analysis->items, segment.frame, ITEM_UNREAD);
        return;
    }
    if (may_be_sighting(scan, frame) && !take_sighting(scan, frame, decapped, &segment))
        return;
    analysis->sheds_open = !scan->points.active;
    closing_tell_ends(scan->closing, &segment, &scan->listeners);
    struct connection *connection = analysis_take(analysis, &segment);
    observers_segment(&scan->source, &segment, connection);
    read_segment(analysis, &segment);
    not_read_note_connection(scan->not_read, connection);
}

void
scan_take_quoted(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    if (!frame->has_time || decapped->payload.captured < SEGMENT_QUOTED_LEAST)
        return;
    struct segment quoted;
    read_ip(scan, frame, decapped, &quoted);
    quoted.has_ip_id = quoted.fragmented = false;
    quoted.ip_id = 0;
    segment_header_read_quoted(decapped->payload.at, &quoted);
    observers_quoted(&scan->source, &quoted, analysis_take_quoted(scan->source.analysis, &quoted));
}

/* False if it is none. */
static bool
take_dns(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    const struct bytes *payload = &decapped->payload;
    if (!frame->has_time || !dns_datagram_is_between(decapped->source_port, decapped->destination_port))
        return false;
    struct segment segment;
    read_ip(scan, frame, decapped, &segment);
    segment.fragmented = false;
    segment.source.port = decapped->source_port;
    segment.destination.port = decapped->destination_port;
    segment.payload = payload->at;
    segment.captured_bytes = payload->captured;
    segment.payload_bytes = MAX(payload->reported, payload->captured);
    const bool is_quoted = decapped->kind == DECAP_QUOTED_UDP;
    struct connection *conversation = take_datagram(&scan->source, &segment, is_quoted);
    if (conversation && !scan->keeps_conversations)
        closing_note(scan->closing, conversation);
    return conversation != NULL;
}

static void
take_channels(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    struct segment ends;
    read_ip(scan, frame, decapped, &ends);
    struct ca_datagram datagram = {
        .source = ends.source,
        .destination = ends.destination,
        .ipv6 = ends.ipv6,
        .arrival = { frame->time_ns, ends.frame },
    };
    datagram.source.port = decapped->source_port;
    datagram.destination.port = decapped->destination_port;
    const struct circuit_protocol *protocol = datagram_take(
        &datagram, decapped->payload, scan->source.analysis->channels, listeners_tell_event, &scan->listeners);
    if (protocol)
        ca_events_note_protocol(&scan->source, protocol);
}

void
scan_end_frame(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    struct table_source *source = &scan->source;
    items_enter(source->analysis->items, (uint32_t)scan->frames);
    if (frame->has_time) {
        if (!scan->started)
            source->start_ns = source->last_ns = frame->time_ns;
        scan->started = true;
        source->last_ns = MAX(source->last_ns, frame->time_ns);
        analysis_note_time(source->analysis, source->last_ns);
    }
    source->has_points = scan->points.active;
    source->fragments += decapped->is_rest_of_tcp;
    observers_frame(source, frame->has_time ? &frame->time_ns : NULL);
}

void
scan_tell_frame(struct scan *scan)
{
    listeners_tell_late(&scan->listeners);
    listeners_tell_frame(&scan->listeners, (uint32_t)scan->frames);
    closing_forget(scan->closing, &scan->listeners);
}

void
scan_take_udp(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    if (!take_dns(scan, frame, decapped) && decapped->kind == DECAP_UDP)
        take_channels(scan, frame, decapped);
}

void
scan_decap_frame(const struct frame *frame, struct decapped *decapped)
{
    if (frame->rec->rec_type == REC_TYPE_PACKET)
        decap((struct bytes){ frame->bytes, frame->captured, frame->reported }, frame->encapsulation, decapped);
    else
        *decapped = (struct decapped){ .kind = DECAP_OTHER };
}

void
scan_take(struct scan *scan, const struct frame *frame)
{
    struct decapped decapped;
    scan->frames++;
    scan_decap_frame(frame, &decapped);
    if (decapped.kind != DECAP_TCP)
        take_sighting_alone(scan, frame, &decapped);
    if (decapped.kind == DECAP_TCP)
        scan_take_tcp(scan, frame, &decapped);
    else if (decapped.kind == DECAP_UDP || decapped.kind == DECAP_QUOTED_UDP)
        scan_take_udp(scan, frame, &decapped);
    else if (decapped.kind == DECAP_QUOTED)
        scan_take_quoted(scan, frame, &decapped);
    else if (decapped.kind == DECAP_NOT_UNDERSTOOD)
        not_read_note(scan->not_read, decapped.reason, frame->encapsulation);
    scan_end_frame(scan, frame, &decapped);
    scan_tell_frame(scan);
}

void
scan_keep_conversations(struct scan *scan)
{
    scan->keeps_conversations = true;
}

void
scan_end(struct scan *scan)
{
    struct table_source *source = &scan->source;
    analysis_end(source->analysis);
    listeners_tell_end(&scan->listeners);
}

uint64_t
scan_frames(const struct scan *scan)
{
    return scan->frames;
}

void
scan_describe(const struct scan *scan, GString *text)
{
    not_read_write(scan->not_read, text);
}
