/* decap_tunnel.c
 * MPLS, GRE, and tunnels in UDP: VXLAN, Geneve, GTP-U, Teredo, GRE.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "decap_inside.h"

#include <glib.h>

#include "core/protocol/dns/dns_datagram.h"

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
    enum { HEADER_BYTES = 4, OPTION_BYTES = 4, TYPE_WCCP = 0x883e, REDIRECT_BYTES = 4 };
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
        return;            /* an acknowledgement alone, or a probe */
    if (type == TYPE_WCCP) /* IPv4; before it version 2 has four bytes more */
        decap_ip(payload.at[0] >> 4 == 4 ? payload : bytes_after(payload, REDIRECT_BYTES), depth, decapped);
    else if (!decap_ethertype(payload, type, depth, decapped))
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

/* Where a GTP header ends; 0 if it is cut, or carries no user's packet. 3GPP TS 29.281 §5: version 1 has flags, type,
 * length and endpoint in 8 bytes; with one of three flags 4 more, the last of them the type of an extension, which has
 * its length in 4 bytes first, and the next one's type last. Version 0 (TS 09.60) has 20 bytes. */
static uint32_t
gtp_header_bytes(struct bytes bytes)
{
    enum {
        TYPE = 1,
        USERS_PACKET = 255,
        VERSION_SHIFT = 5,
        OPTIONAL = 7,
        EXTENDED = 4,
        SHORT = 8,
        LONG = 12,
        OLD = 20
    };
    if (bytes.captured < OLD || bytes.at[TYPE] != USERS_PACKET || bytes.at[0] >> VERSION_SHIFT > 1)
        return 0;
    if (bytes.at[0] >> VERSION_SHIFT == 0)
        return OLD;
    uint32_t end = bytes.at[0] & OPTIONAL ? LONG : SHORT;
    bool more = bytes.at[0] & EXTENDED && bytes.at[end - 1] != 0;
    while (more) {
        const uint32_t length = end < bytes.captured ? bytes.at[end] * 4u : 0;
        if (length == 0 || end + length > bytes.captured)
            return 0;
        end += length;
        more = bytes.at[end - 1] != 0;
    }
    return end;
}

/* A user's packet is IP, or an Ethernet frame. A first byte 4F is read as no IPv4, which may be PPP's. */
static void
decap_gtp(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { IPV4_LEAST = 0x45, IPV4_MOST = 0x4e, ETHERNET_TYPE = 12, ETHERNET_BYTES = 14 };
    enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, LENGTH = 2, SHORT = 8, OLD = 20 };
    const uint32_t header_bytes = gtp_header_bytes(bytes);
    if (header_bytes == 0)
        return;
    const uint32_t counted_from = header_bytes == OLD && bytes.at[0] >> 5 == 0 ? OLD : SHORT;
    const struct bytes packet = bytes_after(bytes_within(bytes, counted_from + bytes_16(bytes, LENGTH)), header_bytes);
    if (packet.captured == 0)
        return;
    if ((packet.at[0] >= IPV4_LEAST && packet.at[0] <= IPV4_MOST) || packet.at[0] >> 4 == 6)
        decap_ip(packet, depth, decapped);
    else if (packet.captured > ETHERNET_BYTES &&
             (bytes_16(packet, ETHERNET_TYPE) == TYPE_IPV4 || bytes_16(packet, ETHERNET_TYPE) == TYPE_IPV6))
        decap_ethernet(packet, depth, decapped);
}

/* RFC 4380 §5.1.1: an authentication, an origin, each only if it is there; then IPv6. */
static void
decap_teredo(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { AUTHENTICATION = 1, AUTHENTICATION_LEAST = 13, ORIGIN = 0, ORIGIN_BYTES = 8 };
    if (bytes.captured >= AUTHENTICATION_LEAST && bytes_16(bytes, 0) == AUTHENTICATION)
        bytes = bytes_after(bytes, AUTHENTICATION_LEAST + bytes.at[2] + bytes.at[3]);
    if (bytes.captured >= ORIGIN_BYTES && bytes_16(bytes, 0) == ORIGIN)
        bytes = bytes_after(bytes, ORIGIN_BYTES);
    if (bytes.captured > 0 && bytes.at[0] >> 4 == 6)
        decap_ip(bytes, depth, decapped);
}

/* RFC 2661 §3.1: a control message has the first bit, others are PPP. */
static void
decap_l2tp(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { CONTROL = 0x80 };
    if (bytes.captured > 0 && !(bytes.at[0] & CONTROL))
        decap_unread(bytes, depth, decapped);
}

/* What is in datagrams of a port; NULL: no tunnel. */
static decapper *
tunnel_of(uint16_t port)
{
    enum { L2TP = 1701, GTP = 2152, GTP_OLD = 3386, TEREDO = 3544, LISP = 4341, GRE = 4754, VXLAN = 4789 };
    enum { VXLAN_GPE = 4790, AYIYA = 5072, CAPWAP = 5247, GENEVE = 6081, MPLS = 6635 };
    switch (port) {
    case GTP:
    case GTP_OLD:
        return decap_gtp;
    case TEREDO:
        return decap_teredo;
    case GRE:
        return decap_gre;
    case VXLAN:
        return decap_vxlan;
    case GENEVE:
        return decap_geneve;
    case MPLS:
        return decap_mpls;
    case L2TP:
        return decap_l2tp;
    case LISP:
    case VXLAN_GPE:
    case AYIYA:
    case CAPWAP:
        return decap_unread;
    default:
        return NULL;
    }
}

/* Of two ports Wireshark asks the lower one first, and so a client of DNS may have any port. */
static decapper *
tunnel_between(uint16_t one, uint16_t other)
{
    const uint16_t low = MIN(one, other), high = MAX(one, other);
    decapper *found = tunnel_of(low);
    return found || dns_datagram_is_between(low, low) ? found : tunnel_of(high);
}

/* A length that is right; of a jumbogram it is 0. RFC 2675 §4. */
static bool
has_length(struct bytes header, bool ipv6)
{
    enum { LENGTH = 4, LEAST = 8 };
    const uint16_t length = bytes_16(header, LENGTH);
    return length >= LEAST || (length == 0 && ipv6);
}

void
decap_udp(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    struct decapped udp;
    if (!decap_udp_header(bytes, &udp))
        return; /* no TCP; and of a tunnel no more is there */
    decapper *const inside = tunnel_between(udp.source_port, udp.destination_port);
    if (inside && has_length(bytes, decapped->ipv6)) {
        inside(udp.payload, depth, decapped);
        return;
    }
    if (inside) {
        decap_give_up(decapped, REASON_TUNNEL);
        return;
    }
    decapped->kind = DECAP_UDP;
    decapped->source_port = udp.source_port;
    decapped->destination_port = udp.destination_port;
    decapped->payload = udp.payload;
}
