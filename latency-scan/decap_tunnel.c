/* decap_tunnel.c
 * MPLS, GRE, and tunnels in UDP: VXLAN, Geneve.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "decap_inside.h"

/* RFC 3032: labels, the last of which has bit S. What follows begins with IP's version, or is not known (RFC 4928). */
void
decap_mpls(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { LABEL_BYTES = 4, LAST = 1 };
    bool last = false;
    while (!last) {
        if (bytes.captured < LABEL_BYTES) {
            decap_give_up(decapped, REASON_CUT);
            return;
        }
        last = bytes.at[2] & LAST;
        bytes = bytes_after(bytes, LABEL_BYTES);
    }
    uint8_t version = bytes.captured ? bytes.at[0] >> 4 : 0;
    if (version == 4 || version == 6)
        decap_ip(bytes, depth, decapped);
    else
        decap_give_up(decapped, REASON_TUNNEL);
}

/* RFC 2784, 2890; version 1 is PPTP's, RFC 2637. */
void
decap_gre(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { CHECKSUM = 0x8000, ROUTING = 0x4000, KEY = 0x2000, SEQUENCE = 0x1000, ACK = 0x0080, VERSION = 7, TYPE = 2 };
    enum { HEADER_BYTES = 4, OPTION_BYTES = 4 };
    if (bytes.captured < HEADER_BYTES) {
        decap_give_up(decapped, REASON_CUT);
        return;
    }
    uint16_t flags = bytes_16(bytes, 0), type = bytes_16(bytes, TYPE);
    unsigned options = ((flags & (CHECKSUM | ROUTING)) != 0) + ((flags & KEY) != 0) + ((flags & SEQUENCE) != 0);
    if ((flags & VERSION) == 1)
        options += (flags & ACK) != 0;
    if (flags & ROUTING) {
        decap_give_up(decapped, REASON_TUNNEL);
        return;
    }
    struct bytes payload = bytes_after(bytes, HEADER_BYTES + options * OPTION_BYTES);
    if (payload.captured == 0)
        return; /* an acknowledgement alone, or a probe */
    if (!decap_ethertype(payload, type, depth, decapped))
        decap_give_up(decapped, REASON_TUNNEL); /* ERSPAN, say */
}

/* RFC 7348: flags and a network's number in 8 bytes, then Ethernet. */
static void
decap_vxlan(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { HEADER_BYTES = 8 };
    decap_ethernet(bytes_after(bytes, HEADER_BYTES), depth, decapped);
}

/* RFC 8926: the length of options in 4 bytes, an Ethernet type. */
static void
decap_geneve(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { HEADER_BYTES = 8, OPTIONS = 0x3f, TYPE = 2 };
    if (bytes.captured < HEADER_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else if (!decap_ethertype(bytes_after(bytes, HEADER_BYTES + (bytes.at[0] & OPTIONS) * 4u), bytes_16(bytes, TYPE),
                              depth, decapped))
        decap_give_up(decapped, REASON_TUNNEL);
}

bool
decap_udp_header(struct bytes bytes, struct decapped *decapped)
{
    enum { SOURCE = 0, DESTINATION = 2, LENGTH = 4, HEADER_BYTES = 8 };
    if (bytes.captured < HEADER_BYTES)
        return false;
    uint16_t length = bytes_16(bytes, LENGTH);
    decapped->source_port = bytes_16(bytes, SOURCE);
    decapped->destination_port = bytes_16(bytes, DESTINATION);
    decapped->payload = bytes_after(length >= HEADER_BYTES ? bytes_within(bytes, length) : bytes, HEADER_BYTES);
    return true;
}

void
decap_udp(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { PORT_VXLAN = 4789, PORT_GENEVE = 6081 };
    struct decapped udp;
    if (!decap_udp_header(bytes, &udp))
        return; /* no TCP; and of a tunnel no more is there */
    const uint16_t source = udp.source_port, destination = udp.destination_port;
    const struct bytes payload = udp.payload;
    if (destination == PORT_VXLAN || source == PORT_VXLAN) {
        decap_vxlan(payload, depth, decapped);
    } else if (destination == PORT_GENEVE || source == PORT_GENEVE) {
        decap_geneve(payload, depth, decapped);
    } else {
        decapped->kind = DECAP_UDP;
        decapped->source_port = source;
        decapped->destination_port = destination;
        decapped->payload = payload;
    }
}
