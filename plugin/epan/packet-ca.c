/* packet-ca.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-ca.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/tap.h>

#include "../compat.h"
#include "../core/ca_names.h"
#include "../core/ca_take.h"
#include "ca-fields.h"
#include "ca-info.h"
#include "ca-latency.h"
#include "ca-state.h"
#include "ca-value.h"

#define TCP_PORTS "5064"
#define UDP_PORTS "5064-5065"

enum { VALUES_LIMIT = 10000 };

static int proto_ca = -1;
static int tap_ca = -1;
static int ett_ca = -1;
static expert_field ei_skipped;
static dissector_handle_t tcp_handle;
static dissector_handle_t udp_handle;
static unsigned values_shown = CA_VALUES_SHOWN;

/* One segment's data, or one datagram's. */
struct reading {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    struct ca_frame *frame;
    struct ca_circuit *circuit; /* of TCP */
    struct ca_batch batch;      /* of UDP */
    uint32_t seq;               /* of the first byte; TCP */
    bool from_client;
    struct ca_info info;
};

static struct ca_stream *
stream_of(const struct reading *reading)
{
    return &reading->circuit->streams[reading->from_client];
}

/* The bytes captured from `offset` on. */
static const uint8_t *
bytes_at(tvbuff_t *tvb, unsigned offset, size_t *available)
{
    *available = (size_t)tvb_captured_length_remaining(tvb, (int)offset);
    return *available ? tvb_get_ptr(tvb, (int)offset, (int)*available) : NULL;
}

static uint32_t
take_in_circuit(const struct reading *reading, unsigned offset, const struct ca_message *message,
                const uint8_t *payload, size_t captured)
{
    uint32_t seq = reading->seq + offset;
    if (!ca_stream_take(stream_of(reading), seq, seq + message->header_bytes + message->size, true))
        return 0;
    return ca_take(ca_state_channels(), reading->circuit, message, payload, captured, reading->from_client,
                   &reading->frame->arrival);
}

static uint32_t
take_in_datagram(struct reading *reading, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    struct endpoint source = ca_state_source(reading->pinfo);
    struct endpoint searcher = reading->from_client ? source : ca_state_destination(reading->pinfo);
    bool ipv6 = reading->pinfo->src.type == AT_IPv6;
    if (message->command == CA_SEARCH || message->command == CA_NOT_FOUND)
        reading->batch.searcher = ca_party(&ca_state_channels()->searches.parties, CA_UDP_SEARCHER, &searcher, ipv6);
    return ca_take_datagram(ca_state_channels(), &reading->batch, message, payload, captured, &source, ipv6,
                            &reading->frame->arrival);
}

/* On the first visit, what the message is about follows from it; on later ones it was noted. */
static struct ca_subject
subject_of(struct reading *reading, unsigned offset, const struct ca_message *message)
{
    uint32_t reference = 0;
    if (reading->frame->first) {
        size_t available;
        const uint8_t *payload = bytes_at(reading->tvb, offset + message->header_bytes, &available);
        size_t captured = MIN(available, message->size);
        reference = reading->circuit ? take_in_circuit(reading, offset, message, payload, captured)
                                     : take_in_datagram(reading, message, payload, captured);
        ca_state_note(reading->frame, reference);
    } else {
        reference = ca_state_find(reading->frame);
    }
    return ca_subject(ca_state_channels(), reference);
}

static void
tap_event(const struct reading *reading, const struct ca_event *event, const struct ca_message *message)
{
    if (event->kind == CA_NO_EVENT || !have_tap_listener(tap_ca))
        return;
    struct ca_event *tapped = wmem_memdup(reading->pinfo->pool, event, sizeof *event);
    tapped->message = wmem_memdup(reading->pinfo->pool, message, sizeof *message);
    tap_queue_packet(tap_ca, reading->pinfo, tapped);
}

static void
show_message(const struct reading *reading, unsigned offset, unsigned bytes, const struct ca_event *event)
{
    const char *pv = ca_subject_pv(&event->subject);
    tvbuff_t *tvb = tvb_new_subset_length(reading->tvb, (int)offset, (int)bytes);
    proto_item *item = proto_tree_add_protocol_format(
        reading->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb), "EPICS Channel Access, %s%s%s",
        ca_command_name(event->message->command), pv ? ", " : "", pv ? pv : "");
    proto_tree *tree = proto_item_add_subtree(item, ett_ca);
    ca_fields_show(tree, tvb, reading->pinfo, event->message, event->from_client, !reading->circuit,
                   MIN(values_shown, VALUES_LIMIT));
    ca_latency_show(tree, item, tvb, reading->pinfo, event);
}

/* Of a message that is not all there, `bytes` are. */
static void
read_message(struct reading *reading, unsigned offset, unsigned bytes, const struct ca_message *message)
{
    struct ca_subject subject = subject_of(reading, offset, message);
    struct ca_event event =
        ca_event_of(message, reading->circuit, subject, reading->from_client, reading->frame->arrival.frame);
    tap_event(reading, &event, message);
    ca_info_add(&reading->info, message->command, ca_subject_pv(&subject));
    if (reading->tree)
        show_message(reading, offset, bytes, &event);
}

/* What is left is no message, or nobody can tell where one begins. */
static void
skip(struct reading *reading, unsigned offset)
{
    tvbuff_t *tvb = tvb_new_subset_remaining(reading->tvb, (int)offset);
    reading->info.skipped_bytes = tvb_reported_length(tvb);
    if (reading->frame->first) {
        uint32_t seq = reading->seq + offset;
        if (reading->circuit)
            ca_stream_take(stream_of(reading), seq, seq + tvb_reported_length(tvb), false);
        ca_state_note(reading->frame, CA_SKIPPED);
    } else if (ca_state_skips(reading->frame)) {
        ca_state_find(reading->frame);
    }
    if (!reading->tree)
        return;
    proto_item *item =
        proto_tree_add_protocol_format(reading->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb),
                                       "EPICS Channel Access, %u bytes skipped", tvb_reported_length(tvb));
    ca_fields_show_skipped(proto_item_add_subtree(item, ett_ca), tvb);
    expert_add_info(reading->pinfo, item, &ei_skipped);
}

/* Whether a message may begin where the segment does. */
static bool
is_readable(const struct reading *reading)
{
    size_t available;
    if (!reading->frame->first)
        return !ca_state_skips(reading->frame);
    if (ca_stream_place(stream_of(reading), reading->seq) == CA_ALIGNED)
        return true;
    const uint8_t *bytes = bytes_at(reading->tvb, 0, &available);
    return available > 0 && ca_messages_are_plausible(bytes, available);
}

/* Reads messages up to the end, or to where more segments are needed: `pinfo` then says how much. */
static void
read_messages(struct reading *reading)
{
    unsigned length = tvb_reported_length(reading->tvb);
    for (unsigned offset = 0; offset < length;) {
        struct ca_message message;
        size_t available;
        const uint8_t *bytes = bytes_at(reading->tvb, offset, &available);
        enum ca_reading header = ca_message_read(bytes, available, &message);
        uint64_t needed = header == CA_COMPLETE ? message.header_bytes + (uint64_t)message.size : 0;
        bool cut = needed > length - offset || (header == CA_CUT && available == length - offset);
        if (cut && reading->pinfo->can_desegment) {
            reading->pinfo->desegment_offset = (int)offset;
            reading->pinfo->desegment_len =
                needed ? (uint32_t)(needed - (length - offset)) : DESEGMENT_ONE_MORE_SEGMENT;
            return;
        }
        if (header != CA_COMPLETE || (!reading->frame->first && ca_state_skips(reading->frame))) {
            skip(reading, offset);
            return;
        }
        unsigned there = (unsigned)MIN(needed, length - offset);
        read_message(reading, offset, there, &message);
        offset += there;
    }
}

static int
dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    if (pinfo->flags.in_error_pkt) /* quoted, and no traffic */
        return 0;
    struct reading reading = { .tvb = tvb, .pinfo = pinfo, .tree = tree, .frame = ca_state_frame(pinfo) };
    size_t available;
    const uint8_t *bytes = bytes_at(tvb, 0, &available);
    reading.circuit = ca_state_circuit(pinfo, reading.frame, bytes, available);
    if (!reading.circuit)
        return 0;
    reading.from_client = ca_state_is_client(pinfo, reading.circuit);
    reading.seq = tcp ? tcp->seq : stream_of(&reading)->next;
    if (is_readable(&reading))
        read_messages(&reading);
    else
        skip(&reading, 0);
    if (reading.info.n > 0 || reading.info.skipped_bytes > 0)
        ca_info_set(&reading.info, pinfo);
    return (int)tvb_captured_length(tvb);
}

/* In a datagram, replies come from servers and so do beacons; everything else is a client's. */
static bool
is_from_client(tvbuff_t *tvb)
{
    struct ca_message message;
    size_t available;
    const uint8_t *bytes = bytes_at(tvb, 0, &available);
    for (size_t offset = 0; offset < available; offset += message.header_bytes + (size_t)message.size) {
        if (ca_message_read(bytes + offset, available - offset, &message) != CA_COMPLETE)
            break;
        enum ca_sender sender = ca_message_sender(&message);
        if (sender != CA_UNKNOWN_SENDER)
            return sender == CA_CLIENT;
    }
    return true;
}

static int
dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    if (pinfo->flags.in_error_pkt)
        return 0;
    struct reading reading = {
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .frame = ca_state_frame(pinfo),
        .from_client = is_from_client(tvb),
    };
    read_messages(&reading);
    ca_info_set(&reading.info, pinfo);
    return (int)tvb_captured_length(tvb);
}

static heuristic_result
dissect_tcp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    size_t available;
    const uint8_t *bytes = bytes_at(tvb, 0, &available);
    if (available < CA_HEADER_BYTES || !ca_messages_are_plausible(bytes, available))
        return false;
    if (!ca_messages_open_circuit(bytes, available) && !ca_state_is_learned(pinfo))
        return false;
    conversation_set_dissector(find_or_create_conversation(pinfo), tcp_handle);
    return dissect_tcp(tvb, pinfo, tree, data) > 0;
}

/* VERSION, then SEARCHes or replies; or a beacon alone. */
static heuristic_result
dissect_udp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct ca_message message;
    size_t available;
    const uint8_t *bytes = bytes_at(tvb, 0, &available);
    if (available < CA_HEADER_BYTES || !ca_messages_are_plausible(bytes, available))
        return false;
    bool beacon = available == CA_HEADER_BYTES && ca_message_read(bytes, available, &message) == CA_COMPLETE &&
                  message.command == CA_RSRV_IS_UP;
    bool search = ca_messages_open_circuit(bytes, available) &&
                  ca_message_read(bytes + CA_HEADER_BYTES, available - CA_HEADER_BYTES, &message) == CA_COMPLETE &&
                  message.command == CA_SEARCH;
    return (beacon || search) && dissect_udp(tvb, pinfo, tree, data) > 0;
}

void
proto_register_ca(void)
{
    static int *ett[] = { &ett_ca };
    static ei_register_info ei[] = {
        { &ei_skipped,
          { "ca.misaligned", PI_MALFORMED, PI_WARN, "No message begins here; going on where a segment begins with one",
            EXPFILL } },
    };
    proto_ca = proto_register_protocol("EPICS Channel Access", "CA", "ca");
    tap_ca = register_tap(CA_TAP);
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto_ca), ei, G_N_ELEMENTS(ei));
    ca_fields_register(proto_ca);
    ca_value_register(proto_ca);
    ca_latency_register(proto_ca);
    ca_state_register(proto_ca);
    tcp_handle = register_dissector("ca", dissect_tcp, proto_ca);
    udp_handle = register_dissector("ca.udp", dissect_udp, proto_ca);
    module_t *module = prefs_register_protocol(proto_ca, NULL);
    prefs_register_uint_preference(module, "values", "Values shown of an array",
                                   "So many values of an array are shown, and can be filtered for; 10000 at most.", 10,
                                   &values_shown);
}

void
proto_reg_handoff_ca(void)
{
    ca_state_handoff();
    dissector_add_uint_range_with_preference("tcp.port", TCP_PORTS, tcp_handle);
    dissector_add_uint_range_with_preference("udp.port", UDP_PORTS, udp_handle);
    heur_dissector_add("tcp", dissect_tcp_heuristic, "EPICS Channel Access over TCP", "ca_tcp", proto_ca,
                       HEURISTIC_ENABLE);
    heur_dissector_add("udp", dissect_udp_heuristic, "EPICS Channel Access over UDP", "ca_udp", proto_ca,
                       HEURISTIC_ENABLE);
}
