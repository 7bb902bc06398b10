/* scan.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scan.h"

#include <string.h>

#include "core/quic/quic_packet.h"
#include "reader/headers.h"
#include "reader/reader.h"
#include "table/observer.h"
#include "datagram.h"
#include "decap.h"
#include "lazy_wiretap.h"
#include "not_read.h"
#include "table/ca_events.h"

struct scan {
    struct reader reader;
    wmem_allocator_t *scope;
    GArray *listeners; /* of struct listener */
    struct not_read *not_read;
    uint64_t frames;
    bool passes_quic; /* to another scan: each datagram, for a connection of QUIC may have begun */
};

/* Returns the IP header of the frame's packet: of an ICMP error its own, not what it quotes. */
static const uint8_t *
ip_header(const struct frame *frame, uint32_t *captured)
{
    enum { IPV4_BYTES = 20, IPV6_BYTES = 40 };
    const struct decapped *decapped = frame->packet;
    const struct bytes packet = decapped->error.captured ? decapped->error : decapped->ip;
    *captured = packet.captured;
    return packet.captured >= (decapped->ipv6 ? IPV6_BYTES : IPV4_BYTES) ? packet.at : NULL;
}

/* Only wiretap makes blocks of options. */
static wireshark_bool
foreach_option(wtap_block_t block, wtap_block_foreach_func read, void *data)
{
    return wiretap()->wtap_block_foreach_option(block, read, data);
}

/* Tells all of an event; `data` is the scan. */
static void
tell_event(void *data, const struct ca_event *event)
{
    const struct scan *scan = data;
    if (event->kind == CA_NO_EVENT)
        return;
    for (unsigned i = 0; i < scan->listeners->len; i++) {
        const struct listener *listener = &g_array_index(scan->listeners, struct listener, i);
        if (listener->event)
            listener->event(listener->data, event);
    }
}

static void
tell_events(struct scan *scan, const struct item *item)
{
    ca_events_note_item(&scan->reader.source, item);
    ca_events_each(scan->reader.source.analysis->channels, item, tell_event, scan);
}

static void
tell_item(const struct scan *scan, const struct item *item, uint32_t frame)
{
    for (unsigned i = 0; i < scan->listeners->len; i++) {
        const struct listener *listener = &g_array_index(scan->listeners, struct listener, i);
        if (listener->item)
            listener->item(listener->data, item, frame);
    }
}

/* What has become known of earlier frames. */
static inline void
tell_late(struct scan *scan)
{
    const struct analysis *analysis = scan->reader.source.analysis;
    unsigned count = 0;
    const struct late_item *late = items_late(analysis->items, &count);
    for (unsigned i = 0; i < count; i++)
        tell_events(scan, &late[i].item);
    for (unsigned i = 0; i < count; i++)
        tell_item(scan, &late[i].item, analysis->requests.frame);
}

/* As Wireshark's taps do. */
static inline void
tell_frame(struct scan *scan, uint32_t frame)
{
    const struct analysis *analysis = scan->reader.source.analysis;
    struct items *items = analysis->items;
    uint32_t position;
    tell_late(scan);
    scan->reader.source.frame = frame;
    for (const struct item *item = analysis->channels->circuits > 0 ? items_first(items, frame, &position) : NULL; item;
         item = items_next(items, &position))
        tell_events(scan, item);
    for (const struct item *item = items_first(items, frame, &position); item; item = items_next(items, &position))
        tell_item(scan, item, frame);
    reader_forget(&scan->reader);
}

/* Whoever has opened held_frames.h knows already. */
static void
tell_end(void *data, const struct late_item *late)
{
    const struct scan *scan = data;
    const struct analysis *analysis = scan->reader.source.analysis;
    for (unsigned i = 0; i < scan->listeners->len; i++) {
        const struct listener *listener = &g_array_index(scan->listeners, struct listener, i);
        if (listener->item && !listener->notes_held)
            listener->item(listener->data, &late->item, analysis->requests.frame);
        if (listener->event && !listener->notes_held)
            ca_events_each(analysis->channels, &late->item, listener->event, listener->data);
    }
}

struct scan *
scan_new(const struct settings *settings, const struct source_texts *texts)
{
    static const struct point_calls calls = {
        .foreach_option = foreach_option,
        .interface_name = reading_interface_name,
        .process_block = reading_process_block,
        .process_of_pid = reading_process_of_pid,
        .ip_header = ip_header,
    };
    struct scan *scan = g_new0(struct scan, 1);
    struct table_source *source = &scan->reader.source;
    scan->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    scan->reader.points.calls = &calls;
    scan->reader.tell_end = tell_end;
    scan->reader.data = scan;
    scan->reader.forgets = true;
    source->settings = settings;
    source->texts = texts;
    reader_begin(&scan->reader, scan->scope);
    analysis_set_keep(source->analysis, false);
    scan->listeners = g_array_new(FALSE, FALSE, sizeof(struct listener));
    scan->not_read = not_read_new();
    return scan;
}

void
scan_free(struct scan *scan)
{
    reader_close(&scan->reader);
    wmem_destroy_allocator(scan->scope);
    g_array_free(scan->listeners, TRUE);
    not_read_free(scan->not_read);
    g_free(scan);
}

struct table_source *
scan_source(struct scan *scan)
{
    return &scan->reader.source;
}

void
scan_listen(struct scan *scan, const struct listener *listener)
{
    g_array_append_val(scan->listeners, *listener);
}

/* Returns an end of the packet, without its port. */
static inline struct endpoint
endpoint_at(const struct decapped *decapped, uint16_t at)
{
    struct endpoint endpoint = { .port = 0 };
    if (decapped->ipv6)
        memcpy(endpoint.address, decapped->ip.at + at, 16);
    else
        memcpy(endpoint.address, decapped->ip.at + at, 4);
    return endpoint;
}

/* What IP says. */
static inline void
read_ip(const struct frame *frame, const struct decapped *decapped, struct segment *segment)
{
    segment->frame = frame->number;
    segment->time_ns = frame->time_ns;
    segment->source = endpoint_at(decapped, decapped->source);
    segment->destination = endpoint_at(decapped, decapped->destination);
    segment->ipv6 = decapped->ipv6;
    segment->has_ip_id = !decapped->ipv6;
    segment->ip_id = decapped->ip_id;
    segment->fragmented = decapped->fragmented;
    segment->operation = NULL;
}

/* Nothing is decrypted here, as in a Wireshark that has no keys. */
static void
take_tcp(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    const struct bytes *payload = &decapped->payload;
    struct segment segment;
    read_ip(frame, decapped, &segment);
    scan->reader.source.has_tcp = true;
    if (!frame->has_time || !segment_header_read(payload->at, payload->captured, payload->reported, &segment)) {
        reader_take_unread(&scan->reader, frame);
        return;
    }
    const struct connection *connection = reader_take_segment(&scan->reader, frame, &segment);
    reader_read(&scan->reader, NULL);
    if (connection)
        not_read_note_connection(scan->not_read, connection);
}

static void
take_quoted(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    struct segment quoted = { 0 };
    if (!frame->has_time || decapped->payload.captured < SEGMENT_QUOTED_LEAST)
        return;
    read_ip(frame, decapped, &quoted);
    quoted.has_ip_id = quoted.fragmented = false;
    quoted.ip_id = 0;
    segment_header_read_quoted(decapped->payload.at, &quoted);
    reader_take_quoted(&scan->reader, &quoted);
}

/* Whether somebody may want to read it as a request, or as a packet of QUIC. */
static bool
may_take_datagram(const struct scan *scan, const struct decapped *decapped)
{
    return decapped->kind == DECAP_QUOTED_UDP ||
           reader_may_take_datagram(&scan->reader, decapped->source_port, decapped->destination_port,
                                    decapped->payload.at, decapped->payload.captured);
}

/* False if it is none. */
static bool
take_datagram(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    const struct bytes *payload = &decapped->payload;
    struct segment segment = { 0 };
    if (!frame->has_time || !may_take_datagram(scan, decapped))
        return false;
    read_ip(frame, decapped, &segment);
    segment.fragmented = false;
    segment.source.port = decapped->source_port;
    segment.destination.port = decapped->destination_port;
    segment.payload = payload->at;
    segment.captured_bytes = payload->captured;
    segment.payload_bytes = MAX(payload->reported, payload->captured);
    const struct connection *connection =
        reader_take_datagram(&scan->reader, frame, &segment, decapped->kind == DECAP_QUOTED_UDP);
    if (connection)
        not_read_note_connection(scan->not_read, connection);
    return connection;
}

static void
take_channels(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    struct table_source *source = &scan->reader.source;
    struct segment ends = { 0 };
    read_ip(frame, decapped, &ends);
    struct ca_datagram datagram = {
        .source = ends.source,
        .destination = ends.destination,
        .ipv6 = ends.ipv6,
        .arrival = { frame->time_ns, frame->number },
    };
    datagram.source.port = decapped->source_port;
    datagram.destination.port = decapped->destination_port;
    const struct circuit_protocol *protocol =
        datagram_take(&datagram, decapped->payload, source->analysis->channels, tell_event, scan);
    if (protocol)
        ca_events_note_protocol(source, protocol);
}

static void
take(struct scan *scan, const struct frame *frame, const struct decapped *decapped)
{
    switch (decapped->kind) {
    case DECAP_TCP:
        take_tcp(scan, frame, decapped);
        break;
    case DECAP_QUOTED:
        take_quoted(scan, frame, decapped);
        break;
    case DECAP_UDP:
    case DECAP_QUOTED_UDP:
        if (!take_datagram(scan, frame, decapped) && decapped->kind == DECAP_UDP)
            take_channels(scan, frame, decapped);
        break;
    case DECAP_NOT_UNDERSTOOD:
        not_read_note(scan->not_read, decapped->reason, frame->encapsulation);
        break;
    case DECAP_OTHER:
        break;
    }
}

/* What it is. */
static void
begin_frame(struct scan *scan, struct frame *frame, struct decapped *decapped)
{
    frame->number = (uint32_t)++scan->frames;
    frame->packet = decapped;
    if (frame->rec->rec_type == REC_TYPE_PACKET)
        decap((struct bytes){ frame->bytes, frame->captured, frame->reported }, frame->encapsulation, decapped);
    else
        *decapped = (struct decapped){ .kind = DECAP_OTHER };
}

void
scan_take(struct scan *scan, struct frame *frame)
{
    struct decapped decapped;
    begin_frame(scan, frame, &decapped);
    take(scan, frame, &decapped);
    reader_end_frame(&scan->reader, frame, decapped.is_rest_of_tcp);
    tell_frame(scan, frame->number);
}

void
scan_take_decapped(struct scan *scan, const struct frame_place *place, const struct frame *frame,
                   const struct decapped *decapped)
{
    struct table_source *source = &scan->reader.source;
    source->start_ns = place->start_ns;
    source->last_ns = place->last_ns;
    analysis_note_time(source->analysis, place->last_ns);
    take(scan, frame, decapped);
    items_enter(source->analysis->items, frame->number);
    tell_frame(scan, frame->number);
}

/* Of TCP it shows when a connection is read: scan_is_alone(). */
static bool
is_of_channels(const struct decapped *decapped)
{
    return decapped->kind == DECAP_UDP &&
           datagram_is_of_channels(decapped->source_port, decapped->destination_port, decapped->payload);
}

bool
scan_pass(struct scan *scan, struct frame *frame, struct decapped *decapped)
{
    begin_frame(scan, frame, decapped);
    if (decapped->kind == DECAP_NOT_UNDERSTOOD)
        not_read_note(scan->not_read, decapped->reason, frame->encapsulation);
    reader_end_frame(&scan->reader, frame, decapped->is_rest_of_tcp);
    return !scan->reader.points.active && !is_of_channels(decapped);
}

bool
scan_wants(struct scan *scan, const struct decapped *decapped)
{
    const struct bytes *payload = &decapped->payload;
    switch (decapped->kind) {
    case DECAP_TCP:
    case DECAP_QUOTED:
        return true;
    case DECAP_UDP:
    case DECAP_QUOTED_UDP:
        scan->passes_quic |= quic_may_begin(payload->at, payload->captured, MAX(payload->reported, payload->captured));
        return scan->passes_quic || may_take_datagram(scan, decapped);
    default:
        return false;
    }
}

bool
scan_is_alone(const struct scan *scan)
{
    return scan->reader.source.analysis->channels->circuits > 0;
}

void
scan_join(struct scan *scan, struct scan *const *others, unsigned n)
{
    struct table_source *source = &scan->reader.source;
    struct requests *requests = &source->analysis->requests;
    for (unsigned i = 0; i < n; i++) {
        const struct table_source *other = &others[i]->reader.source;
        requests->last_ns = MAX(requests->last_ns, other->analysis->requests.last_ns);
        source->has_packets |= other->has_packets;
        source->has_tcp |= other->has_tcp;
        source->has_quic |= other->has_quic;
        source->has_payload |= other->has_payload;
        not_read_join(scan->not_read, others[i]->not_read);
    }
    for (unsigned i = 0; i < n; i++) {
        others[i]->reader.source.analysis->requests.last_ns = requests->last_ns;
        observers_end(&others[i]->reader.source);
    }
}

void
scan_keep_conversations(struct scan *scan)
{
    scan->reader.keeps_conversations = true;
}

void
scan_end(struct scan *scan)
{
    reader_end(&scan->reader);
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
