/* packet-ca.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-ca.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>

#include "../../compat.h"
#include "../../core/ca/ca_names.h"
#include "../../frame/ca_datagram.h"
#include "ca_error.h"
#include "ca_fields.h"
#include "ca_latency.h"
#include "ca_mask.h"
#include "ca_reader.h"
#include "ca_state.h"
#include "ca_strings.h"
#include "ca_tap.h"
#include "ca_undelivered.h"
#include "ca_value.h"
#include "ca_values.h"
#include "../intake/intake.h"

#define TCP_PORTS "5064"
#define UDP_PORTS "5064-5065"

static struct ca_dissector dissector;
static dissector_handle_t tcp_handle;
static dissector_handle_t udp_handle;
static dissector_table_t tcp_ports;

/* By Wireshark's table, the preference ca.tcp.port, or Decode As. */
static bool
is_server_port(uint16_t port)
{
    dissector_handle_t handle = dissector_get_uint_handle(tcp_ports, port);
    return handle && dissector_handle_get_protocol_index(handle) == dissector.proto &&
           proto_is_protocol_enabled(find_protocol_by_id(dissector.proto));
}

static const char *
label(const struct ca_reader *reader _U_, const struct ca_message *message, const uint8_t *bytes _U_,
      size_t available _U_)
{
    return ca_command_name(message->command);
}

static void
take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    ca_state_add(&reader->references,
                 ca_datagram_take(reader->datagram, ca_state_channels(), message, payload, captured));
}

static void
show(struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message)
{
    ca_fields_show(tree, tvb, reader->pinfo, message, reader->from_client, reader->is_datagram,
                   ca_values_shown(&dissector));
}

static struct ca_dissector dissector = {
    .protocol = &circuit_of_channel_access,
    .title = "EPICS Channel Access",
    .column = "CA",
    .proto = -1,
    .label = label,
    .take_in_datagram = take_in_datagram,
    .show = show,
    .show_skipped = ca_fields_show_skipped,
};

static bool
is_from_client(tvbuff_t *tvb, bool else_client)
{
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    return ca_is_from_client(bytes, available, else_client);
}

static int
dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    if (pinfo->flags.in_error_pkt) /* quoted, and no traffic */
        return 0;
    struct ca_reader reader = { .dissector = &dissector, .tvb = tvb, .pinfo = pinfo, .tree = tree };
    ca_reader_find_circuit(&reader, tcp);
    if (!reader.circuit)
        reader.from_client = is_from_client(tvb, pinfo->srcport > pinfo->destport);
    ca_reader_read(&reader);
    if (reader.info.n > 0 || reader.info.skipped_bytes > 0)
        ca_info_set(&reader.info, pinfo, dissector.column);
    return (int)tvb_captured_length(tvb);
}

/* In a datagram, replies come from servers and so do beacons; everything else is a client's. */
static int
dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    if (pinfo->flags.in_error_pkt)
        return 0;
    struct ca_datagram datagram = {
        .source = ca_state_source(pinfo),
        .destination = ca_state_destination(pinfo),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .from_client = is_from_client(tvb, true),
        .arrival = { intake_time_ns(pinfo), pinfo->num },
    };
    struct ca_reader reader = {
        .dissector = &dissector,
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .is_datagram = true,
        .from_client = datagram.from_client,
        .references = ca_state_references(pinfo, dissector.proto),
        .datagram = &datagram,
    };
    ca_reader_read(&reader);
    ca_info_set(&reader.info, pinfo, dissector.column);
    return (int)tvb_captured_length(tvb);
}

static wireshark_bool
dissect_tcp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (pinfo->flags.in_error_pkt || !ca_state_circuit(pinfo, dissector.protocol))
        return false;
    conversation_set_dissector(find_or_create_conversation(pinfo), tcp_handle);
    return dissect_tcp(tvb, pinfo, tree, data) > 0;
}

static wireshark_bool
dissect_udp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    return ca_datagram_begins(bytes, available) && dissect_udp(tvb, pinfo, tree, data) > 0;
}

void
proto_register_ca(void)
{
    int proto = dissector.proto = proto_register_protocol("EPICS Channel Access", "CA", "ca");
    ca_strings_fill();
    ca_error_register(proto);
    ca_fields_register(proto);
    ca_mask_register(proto);
    ca_value_register(proto);
    ca_latency_register(proto, dissector.protocol);
    ca_reader_register(&dissector);
    ca_undelivered_register(&dissector);
    intake_want(proto, ca_tap_register());
    tcp_handle = register_dissector("ca", dissect_tcp, proto);
    udp_handle = register_dissector("ca.udp", dissect_udp, proto);
}

void
proto_reg_handoff_ca(void)
{
    tcp_ports = find_dissector_table("tcp.port");
    intake_settings()->is_channel_access = is_server_port;
    dissector_add_uint_range_with_preference("tcp.port", TCP_PORTS, tcp_handle);
    dissector_add_uint_range_with_preference("udp.port", UDP_PORTS, udp_handle);
    heur_dissector_add("tcp", dissect_tcp_heuristic, "EPICS Channel Access over TCP", "ca_tcp", dissector.proto,
                       HEURISTIC_ENABLE);
    heur_dissector_add("udp", dissect_udp_heuristic, "EPICS Channel Access over UDP", "ca_udp", dissector.proto,
                       HEURISTIC_ENABLE);
}
