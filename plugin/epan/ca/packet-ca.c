/* packet-ca.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-ca.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>

#include "../../compat.h"
#include "ca_error.h"
#include "ca_fields.h"
#include "ca_latency.h"
#include "ca_mask.h"
#include "ca_reader.h"
#include "ca_state.h"
#include "ca_strings.h"
#include "ca_tap.h"
#include "ca_value.h"
#include "../intake/intake.h"

#define TCP_PORTS "5064"
#define UDP_PORTS "5064-5065"

static int proto_ca = -1;
static dissector_handle_t tcp_handle;
static dissector_handle_t udp_handle;
static dissector_table_t tcp_ports;

/* By Wireshark's table, the preference ca.tcp.port, or Decode As. */
static bool
is_server_port(uint16_t port)
{
    dissector_handle_t handle = dissector_get_uint_handle(tcp_ports, port);
    return handle && dissector_handle_get_protocol_index(handle) == proto_ca &&
           proto_is_protocol_enabled(find_protocol_by_id(proto_ca));
}

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
    struct ca_reader reader = { .tvb = tvb, .pinfo = pinfo, .tree = tree };
    struct endpoint source = ca_state_source(pinfo);
    uint32_t end_seq;
    if (tcp && intake_segment_end(&end_seq)) {
        reader.circuit = ca_state_circuit(pinfo);
        reader.seq = end_seq - (tcp->nxtseq - tcp->seq);
    }
    reader.from_client = reader.circuit ? endpoint_equal(&reader.circuit->client, &source)
                                        : is_from_client(tvb, pinfo->srcport > pinfo->destport);
    ca_reader_read(&reader);
    if (reader.info.n > 0 || reader.info.skipped_bytes > 0)
        ca_info_set(&reader.info, pinfo);
    return (int)tvb_captured_length(tvb);
}

/* In a datagram, replies come from servers and so do beacons; everything else is a client's. */
static int
dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    if (pinfo->flags.in_error_pkt)
        return 0;
    struct ca_reader reader = {
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .is_datagram = true,
        .from_client = is_from_client(tvb, true),
        .references = ca_state_references(pinfo, proto_ca),
    };
    ca_reader_read(&reader);
    ca_info_set(&reader.info, pinfo);
    return (int)tvb_captured_length(tvb);
}

static wireshark_bool
dissect_tcp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (pinfo->flags.in_error_pkt || !ca_state_circuit(pinfo))
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
    proto_ca = proto_register_protocol("EPICS Channel Access", "CA", "ca");
    ca_strings_fill();
    ca_error_register(proto_ca);
    ca_fields_register(proto_ca);
    ca_mask_register(proto_ca);
    ca_value_register(proto_ca);
    ca_latency_register(proto_ca);
    ca_reader_register(proto_ca);
    intake_want(proto_ca, ca_tap_register());
    tcp_handle = register_dissector("ca", dissect_tcp, proto_ca);
    udp_handle = register_dissector("ca.udp", dissect_udp, proto_ca);
}

void
proto_reg_handoff_ca(void)
{
    tcp_ports = find_dissector_table("tcp.port");
    intake_settings()->is_channel_access = is_server_port;
    dissector_add_uint_range_with_preference("tcp.port", TCP_PORTS, tcp_handle);
    dissector_add_uint_range_with_preference("udp.port", UDP_PORTS, udp_handle);
    heur_dissector_add("tcp", dissect_tcp_heuristic, "EPICS Channel Access over TCP", "ca_tcp", proto_ca,
                       HEURISTIC_ENABLE);
    heur_dissector_add("udp", dissect_udp_heuristic, "EPICS Channel Access over UDP", "ca_udp", proto_ca,
                       HEURISTIC_ENABLE);
}
