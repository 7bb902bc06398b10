/* packet-pva.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-pva.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>

#include "../../compat.h"
#include "../../core/pva/pva_message.h"
#include "../../core/pva/pva_protocol.h"
#include "../../core/pva/pva_search.h"
#include "../ca/ca_latency.h"
#include "../ca/ca_reader.h"
#include "../ca/ca_tap.h"
#include "../ca/ca_undelivered.h"
#include "../intake/intake.h"
#include "pva_guids.h"
#include "pva_header.h"
#include "pva_parts.h"

#define TCP_PORTS "5075"
#define UDP_PORTS "5076"

static dissector_handle_t tcp_handle;
static dissector_handle_t udp_handle;
static dissector_handle_t tls_handle;
static dissector_table_t tcp_ports;

static void take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload,
                             size_t captured);

static struct ca_dissector dissector = {
    .protocol = &circuit_of_pvaccess,
    .title = "EPICS pvAccess",
    .column = "PVA",
    .proto = -1,
    .label = pva_header_label,
    .take_in_datagram = take_in_datagram,
    .look = pva_header_look,
    .show = pva_header_show,
    .show_skipped = pva_header_show_skipped,
};

/* By Wireshark's table, the preference pva.tcp.port, or Decode As. */
static bool
is_server_port(uint16_t port)
{
    dissector_handle_t handle = dissector_get_uint_handle(tcp_ports, port);
    return handle && dissector_handle_get_protocol_index(handle) == dissector.proto &&
           proto_is_protocol_enabled(find_protocol_by_id(dissector.proto));
}

static void
add_reference(void *data, uint32_t reference)
{
    struct ca_reader *reader = data;
    ca_state_add(&reader->references, reference);
}

static void
take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    pva_guids_take(reader->datagram, message, payload, captured);
    pva_datagram_take(reader->datagram, ca_state_channels(), message, payload, captured, add_reference, reader);
}

static bool
is_from_client(tvbuff_t *tvb)
{
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    return pva_messages_sender(bytes, available) != CA_SERVER;
}

/* A client's first record of TLS, which Wireshark then knows by itself; in pvAccess the server speaks first. */
static bool
is_tls_hello(tvbuff_t *tvb)
{
    enum { HANDSHAKE = 22, VERSION_3 = 3, CLIENT_HELLO = 1, AT_MESSAGE = 5 };
    return tvb_captured_length(tvb) > AT_MESSAGE && tvb_get_bits8(tvb, 0, 8) == HANDSHAKE &&
           tvb_get_bits8(tvb, 8, 8) == VERSION_3 && tvb_get_bits8(tvb, AT_MESSAGE * 8, 8) == CLIENT_HELLO;
}

static int
dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (pinfo->flags.in_error_pkt) /* quoted, and no traffic */
        return 0;
    struct ca_reader reader = { .dissector = &dissector, .tvb = tvb, .pinfo = pinfo, .tree = tree };
    ca_reader_find_circuit(&reader, data);
    if (!reader.circuit && is_tls_hello(tvb))
        return 0;
    if (!reader.circuit)
        reader.from_client = is_from_client(tvb);
    ca_reader_read(&reader);
    if (reader.info.n > 0 || reader.info.skipped_bytes > 0)
        ca_info_set(&reader.info, pinfo, dissector.column);
    return (int)tvb_captured_length(tvb);
}

/* What TLS had in a frame, to be shown when the core has read it. */
struct hidden {
    tvbuff_t *tvb;
    proto_tree *tree;
};

static wmem_array_t *hidden; /* of struct hidden, in the frame's memory, until that */

static void
show_hidden(packet_info *pinfo)
{
    struct ca_reader reader = { .dissector = &dissector, .pinfo = pinfo };
    ca_reader_find_hidden(&reader);
    pinfo->can_desegment = 0; /* they are whole */
    for (unsigned i = 0; i < wmem_array_get_count(hidden); i++) {
        const struct hidden *each = wmem_array_index(hidden, i);
        reader.tvb = each->tvb;
        reader.tree = each->tree;
        if (!reader.circuit)
            reader.from_client = is_from_client(each->tvb);
        ca_reader_read(&reader);
    }
    if (reader.info.n > 0 || reader.info.skipped_bytes > 0)
        ca_info_set(&reader.info, pinfo, dissector.column);
}

/* Bytes of whole messages, with which the data begin; `pinfo` says how many more the next one needs. */
static unsigned
take_whole(tvbuff_t *tvb, packet_info *pinfo)
{
    const unsigned length = tvb_reported_length(tvb);
    for (unsigned offset = 0; offset < length;) {
        struct ca_message message;
        size_t available;
        const uint8_t *bytes = ca_reader_bytes(tvb, offset, &available);
        enum ca_reading header = pva_message_read(bytes, available, &message);
        uint64_t needed = header == CA_COMPLETE ? message.header_bytes + (uint64_t)message.size : 0;
        if (header == CA_IMPOSSIBLE)
            break;
        if ((header == CA_CUT || needed > length - offset) && pinfo->can_desegment) {
            pinfo->desegment_offset = (int)offset;
            pinfo->desegment_len = needed ? (uint32_t)needed - (length - offset) : DESEGMENT_ONE_MORE_SEGMENT;
            return offset;
        }
        if (header == CA_CUT)
            break;
        offset += (unsigned)MIN(needed, length - offset);
    }
    return length;
}

static int
dissect_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const unsigned whole = take_whole(tvb, pinfo);
    if (intake_when_read(show_hidden))
        hidden = wmem_array_new(pinfo->pool, sizeof(struct hidden));
    if (whole > 0)
        wmem_array_append_one(hidden, ((struct hidden){ tvb_new_subset_length(tvb, 0, (int)whole), tree }));
    return (int)tvb_captured_length(tvb);
}

static int
dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    if (pinfo->flags.in_error_pkt || !pva_is_datagram(bytes, available))
        return 0;
    struct pva_datagram datagram = {
        .source = ca_state_source(pinfo),
        .destination = ca_state_destination(pinfo),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .arrival = { intake_time_ns(pinfo), pinfo->num },
    };
    struct ca_reader reader = {
        .dissector = &dissector,
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .is_datagram = true,
        .from_client = is_from_client(tvb),
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
    return dissect_udp(tvb, pinfo, tree, data) > 0;
}

void
proto_register_pva(void)
{
    int proto = dissector.proto = proto_register_protocol("EPICS pvAccess", "PVA", "pva");
    pva_header_register(proto);
    pva_guids_register();
    pva_parts_register();
    ca_latency_register(proto, dissector.protocol);
    ca_reader_register(&dissector);
    ca_undelivered_register(&dissector);
    intake_want(proto, ca_tap_id());
    tcp_handle = register_dissector("pva", dissect_tcp, proto);
    udp_handle = register_dissector("pva.udp", dissect_udp, proto);
    tls_handle = register_dissector("pva.tls", dissect_tls, proto);
}

void
proto_reg_handoff_pva(void)
{
    tcp_ports = find_dissector_table("tcp.port");
    intake_settings()->is_pvaccess = is_server_port;
    dissector_add_uint_range_with_preference("tcp.port", TCP_PORTS, tcp_handle);
    dissector_add_uint_range_with_preference("udp.port", UDP_PORTS, udp_handle);
    dissector_add_string("tls.alpn", "pva/1", tls_handle);
    heur_dissector_add("tcp", dissect_tcp_heuristic, "EPICS pvAccess over TCP", "pva_tcp", dissector.proto,
                       HEURISTIC_ENABLE);
    heur_dissector_add("udp", dissect_udp_heuristic, "EPICS pvAccess over UDP", "pva_udp", dissector.proto,
                       HEURISTIC_ENABLE);
}
