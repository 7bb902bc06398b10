/* packet-ca.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-ca.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/tap.h>

#include "../compat.h"
#include "ca-error.h"
#include "ca-fields.h"
#include "ca-latency.h"
#include "ca-reader.h"
#include "ca-requests.h"
#include "ca-state.h"
#include "ca-strings.h"
#include "ca-value.h"
#include "ca-watch.h"

#define TCP_PORTS "5064"
#define UDP_PORTS "5064-5065"

static int proto_ca = -1;
static dissector_handle_t tcp_handle;
static dissector_handle_t udp_handle;

/* Whether what is handed over was captured after what comes after it. */
static bool
is_late(const struct ca_reader *reader)
{
    return ca_stream_fills(ca_reader_stream(reader), reader->seq) ||
           ca_backlog_has_gap(&reader->circuit->backlogs[reader->from_client], reader->seq);
}

static int
dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    if (pinfo->flags.in_error_pkt) /* quoted, and no traffic */
        return 0;
    struct ca_reader reader = { .tvb = tvb, .pinfo = pinfo, .tree = tree, .frame = ca_state_frame(pinfo) };
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    reader.circuit = ca_state_circuit(pinfo, reader.frame, bytes, available);
    if (!reader.circuit)
        return 0;
    reader.from_client = ca_state_is_client(pinfo, reader.circuit);
    ca_requests_claim(&reader);
    if (tcp)
        ca_watch_heard(tcp->nxtseq);
    reader.seq = tcp ? tcp->seq : ca_reader_stream(&reader)->next;
    ca_state_begin_row(reader.frame, reader.seq);
    bool late = reader.frame->first && is_late(&reader);
    if (ca_reader_can_begin(&reader))
        ca_reader_read(&reader);
    else
        ca_reader_skip(&reader, 0);
    if (late)
        ca_watch_remember(&reader, bytes, available);
    if (reader.info.n > 0 || reader.info.skipped_bytes > 0)
        ca_info_set(&reader.info, pinfo);
    return (int)tvb_captured_length(tvb);
}

/* In a datagram, replies come from servers and so do beacons; everything else is a client's. */
static bool
is_from_client(tvbuff_t *tvb)
{
    struct ca_message message;
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
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
    struct ca_reader reader = {
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .frame = ca_state_frame(pinfo),
        .from_client = is_from_client(tvb),
    };
    ca_state_begin_row(reader.frame, 0);
    ca_reader_read(&reader);
    ca_info_set(&reader.info, pinfo);
    return (int)tvb_captured_length(tvb);
}

static wireshark_bool
dissect_tcp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    if (available < CA_HEADER_BYTES || !ca_messages_are_plausible(bytes, available))
        return false;
    if (!ca_messages_open_circuit(bytes, available) && !ca_state_is_learned(pinfo))
        return false;
    conversation_set_dissector(find_or_create_conversation(pinfo), tcp_handle);
    return dissect_tcp(tvb, pinfo, tree, data) > 0;
}

/* VERSION, then SEARCHes or replies; or a beacon alone. */
static wireshark_bool
dissect_udp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct ca_message message;
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
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
    proto_ca = proto_register_protocol("EPICS Channel Access", "CA", "ca");
    ca_strings_fill();
    ca_error_register(proto_ca);
    ca_fields_register(proto_ca);
    ca_value_register(proto_ca);
    ca_latency_register(proto_ca);
    ca_state_register(proto_ca);
    ca_reader_register(proto_ca, register_tap(CA_TAP));
    ca_watch_register();
    tcp_handle = register_dissector("ca", dissect_tcp, proto_ca);
    udp_handle = register_dissector("ca.udp", dissect_udp, proto_ca);
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
