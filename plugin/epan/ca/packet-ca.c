/* packet-ca.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-ca.h"

#include <epan/conversation.h>

#include "../../compat.h"
#include "../../core/ca/ca_names.h"
#include "../../reader/ca_datagram.h"
#include "ca_fields.h"
#include "ca_reader.h"
#include "../intake/intake.h"

static const char *
label(const struct ca_reader *reader _U_, const struct ca_message *message, const uint8_t *bytes _U_,
      size_t available _U_)
{
    return ca_command_name(message->command);
}

static void
take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    ca_reader_add_reference(
        reader, ca_datagram_take(reader->datagram, intake_analysis()->channels, message, payload, captured));
}

static struct ca_dissector dissector = {
    .protocol = &circuit_of_channel_access,
    .title = "EPICS Channel Access",
    .column = "CA",
    .tcp_ports = "5064",
    .udp_ports = "5064-5065",
    .label = label,
    .take_in_datagram = take_in_datagram,
    .show = ca_fields_show,
    .show_skipped = ca_fields_show_skipped,
};

static bool
is_server_port(uint16_t port)
{
    return ca_dissector_has_port(&dissector, port);
}

static int
dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (pinfo->flags.in_error_pkt) /* quoted, and no traffic */
        return 0;
    return ca_reader_dissect_segment(&dissector, tvb, pinfo, tree, data, pinfo->srcport > pinfo->destport);
}

/* In a datagram, replies come from servers and so do beacons; everything else is a client's. */
static int
dissect_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    if (pinfo->flags.in_error_pkt)
        return 0;
    struct ca_datagram datagram = {
        .source = intake_endpoint(&pinfo->src, pinfo->srcport),
        .destination = intake_endpoint(&pinfo->dst, pinfo->destport),
        .ipv6 = pinfo->src.type == AT_IPv6,
        .from_client = ca_reader_is_from_client(&dissector, tvb, true),
        .arrival = { intake_time_ns(pinfo), pinfo->num },
    };
    ca_reader_dissect_datagram(&dissector, tvb, pinfo, tree, datagram.from_client, &datagram);
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
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    return ca_datagram_begins(bytes, available) && dissect_udp(tvb, pinfo, tree, data) > 0;
}

void
proto_register_ca(void)
{
    ca_dissector_register(&dissector, dissect_tcp, dissect_udp);
    ca_fields_register(dissector.proto);
}

void
proto_reg_handoff_ca(void)
{
    intake_settings()->is_channel_access = is_server_port;
    ca_dissector_handoff(&dissector, dissect_tcp_heuristic, dissect_udp_heuristic);
}
