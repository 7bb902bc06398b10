/* datagram_intake.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagram_intake.h"

#include <epan/ipproto.h>

#include "../../compat.h"
#include "../../core/protocol/dns/dns_datagram.h"
#include "../../reader/headers.h"
#include "capture_point.h"
#include "intake.h"
#include "segment_read.h"

static int proto_name_only;
static dissector_handle_t udp_handle;
static dissector_handle_t intake_handle;

static void
read_datagram(tvbuff_t *tvb, packet_info *pinfo, void *ip)
{
    struct segment segment;
    const bool is_quoted = pinfo->flags.in_error_pkt;
    const struct frame frame = capture_point_frame(pinfo);
    if (frame.has_time && datagram_read(tvb, pinfo, ip, &segment) && (!is_quoted || quoted_is_undelivered(tvb, pinfo)))
        reader_take_datagram(intake_reader(), &frame, &segment, is_quoted);
}

static bool
may_be_dns(tvbuff_t *tvb)
{
    return tvb_captured_length(tvb) >= DATAGRAM_HEADER_BYTES &&
           dns_datagram_is_between(tvb_get_ntohs(tvb, 0), tvb_get_ntohs(tvb, 2));
}

static int
dissect_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    if (may_be_dns(tvb) && intake_is_due(pinfo) && intake_is_wanted(tree)) {
        intake_begin_packet();
        read_datagram(tvb, pinfo, ip);
    }
    return call_dissector_only(udp_handle, tvb, pinfo, tree, ip);
}

void
datagram_intake_begin_capture(void)
{
    /* Decode As "UDP" for IP protocol 17 means what the intake does anyway. */
    if (dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_UDP) == udp_handle)
        dissector_change_uint("ip.proto", IP_PROTO_UDP, intake_handle);
}

void
datagram_intake_register(void)
{
    proto_name_only =
        proto_register_protocol_in_name_only("UDP, noted by the latency plugin", "UDP (latency)", "latency.udp",
                                             proto_get_id_by_filter_name("udp"), FT_PROTOCOL);
}

void
datagram_intake_handoff(void)
{
    udp_handle = dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_UDP);
    if (!udp_handle)
        return;
    intake_handle = create_dissector_handle(dissect_datagram, proto_name_only);
    dissector_add_uint("ip.proto", IP_PROTO_UDP, intake_handle);
}
