/* packet-pva.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-pva.h"

#include "../../compat.h"
#include "../../core/pva/pva_message.h"
#include "../../core/pva/pva_protocol.h"
#include "../../core/pva/pva_search.h"
#include "../ca/ca_reader.h"
#include "../intake/intake.h"
#include "pva_header.h"
#include "pva_parts.h"

static dissector_handle_t tls_handle;

static void
take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    pva_datagram_take(reader->datagram, intake_analysis()->channels, message, payload, captured,
                      ca_reader_add_reference, reader);
}

static struct ca_dissector dissector = {
    .protocol = &circuit_of_pvaccess,
    .title = "EPICS pvAccess",
    .column = "PVA",
    .tcp_ports = "5075",
    .udp_ports = "5076",
    .label = pva_header_label,
    .take_in_datagram = take_in_datagram,
    .look = pva_header_look,
    .show = pva_header_show,
    .show_skipped = pva_header_show_skipped,
};

static bool
is_server_port(uint16_t port)
{
    return ca_dissector_has_port(&dissector, port);
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
    if (is_tls_hello(tvb) && !ca_reader_circuit(pinfo, dissector.protocol))
        return 0;
    return ca_reader_dissect_segment(&dissector, tvb, pinfo, tree, data, true);
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
            reader.from_client = ca_reader_is_from_client(&dissector, each->tvb, true);
        ca_reader_read(&reader);
    }
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
        .source = intake_endpoint(&pinfo->src, pinfo->srcport),
        .destination = intake_endpoint(&pinfo->dst, pinfo->destport),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .arrival = { intake_time_ns(pinfo), pinfo->num },
    };
    ca_reader_dissect_datagram(&dissector, tvb, pinfo, tree, ca_reader_is_from_client(&dissector, tvb, true),
                               &datagram);
    return (int)tvb_captured_length(tvb);
}

static wireshark_bool
dissect_tcp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return ca_reader_claims(&dissector, pinfo) && dissect_tcp(tvb, pinfo, tree, data) > 0;
}

static wireshark_bool
dissect_udp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_udp(tvb, pinfo, tree, data) > 0;
}

void
proto_register_pva(void)
{
    ca_dissector_register(&dissector, dissect_tcp, dissect_udp);
    pva_header_register(dissector.proto);
    pva_parts_register();
    tls_handle = register_dissector("pva.tls", dissect_tls, dissector.proto);
}

void
proto_reg_handoff_pva(void)
{
    intake_settings()->is_pvaccess = is_server_port;
    ca_dissector_handoff(&dissector, dissect_tcp_heuristic, dissect_udp_heuristic);
    dissector_add_string("tls.alpn", "pva/1", tls_handle);
}
