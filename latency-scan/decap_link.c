/* decap_link.c
 * Link layers, up to IP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <wiretap/wtap.h>

#include <wiretap/pcap-encap.h>

#include "decap_inside.h"

/* IEEE 802 numbers. What is not above the length is a length: an LLC header follows. */
enum {
    TYPE_LENGTH_MOST = 1500,
    TYPE_IPV4 = 0x0800,
    TYPE_TRANSPARENT_ETHERNET = 0x6558,
    TYPE_VLAN = 0x8100,
    TYPE_IPV6 = 0x86dd,
    TYPE_PPP = 0x880b,
    TYPE_MPLS = 0x8847,
    TYPE_MPLS_MULTICAST = 0x8848,
    TYPE_PPPOE_SESSION = 0x8864,
    TYPE_QINQ = 0x88a8,
    TYPE_QINQ_OLD = 0x9100,
    TYPE_PROVIDER_BACKBONE = 0x88e7,
    TYPE_VN_TAG = 0x8926,
    TYPE_E_TAG = 0x893f,
};

/* In which there may be TCP that is not read. */
enum {
    TYPE_BATMAN = 0x4305,
    TYPE_TRILL = 0x22f3,
    TYPE_MACSEC = 0x88e5,
    TYPE_FABRIC_PATH = 0x8903,
    TYPE_HSR = 0x892f,
    TYPE_NSH = 0x894f,
};

enum { ETHERNET_TYPE = 12, ETHERNET_BYTES = 14 };

/* IEEE 802.2 with SNAP: AA AA 03, an organisation of 0, a type. */
static void
decap_llc(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { SNAP_BYTES = 8 };
    if (bytes.captured >= SNAP_BYTES && bytes_16(bytes, 0) == 0xaaaa && bytes_32(bytes, 2) == 0x03000000)
        decap_ethertype(bytes_after(bytes, SNAP_BYTES), bytes_16(bytes, 6), depth, decapped);
}

/* RFC 2516: version and type, code, session, length; then PPP's protocol. */
static void
decap_pppoe(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { HEADER_BYTES = 6 };
    if (bytes.captured < HEADER_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else
        decap_ppp(bytes_within(bytes_after(bytes, HEADER_BYTES), bytes_16(bytes, 4)), depth, decapped);
}

/* A tag's bytes, whose last two are the type of what follows; 0 if the type is none's. VLAN; Cisco's VN-Tag; IEEE
 * 802.1BR's E-Tag; 802.1ah: a tag of 4 bytes, and the addresses of a whole Ethernet header. */
static uint32_t
tag_bytes(uint16_t type)
{
    switch (type) {
    case TYPE_VLAN:
    case TYPE_QINQ:
    case TYPE_QINQ_OLD:
        return 4;
    case TYPE_VN_TAG:
        return 6;
    case TYPE_E_TAG:
        return 8;
    case TYPE_PROVIDER_BACKBONE:
        return 18;
    default:
        return 0;
    }
}

static bool
is_not_read(uint16_t type)
{
    return type == TYPE_BATMAN || type == TYPE_TRILL || type == TYPE_MACSEC || type == TYPE_FABRIC_PATH ||
           type == TYPE_HSR || type == TYPE_NSH;
}

bool
decap_ethertype(struct bytes bytes, uint16_t type, unsigned depth, struct decapped *decapped)
{
    for (uint32_t tag; (tag = tag_bytes(type)) > 0;) {
        if (bytes.captured < tag) {
            decap_give_up(decapped, REASON_CUT);
            return true;
        }
        type = bytes_16(bytes, tag - 2);
        bytes = bytes_after(bytes, tag);
    }
    if (type == TYPE_IPV4)
        decap_ip(bytes, depth, decapped);
    else if (type == TYPE_IPV6)
        decap_ipv6(bytes, depth, decapped);
    else if (type == TYPE_MPLS || type == TYPE_MPLS_MULTICAST)
        decap_mpls(bytes, depth, decapped);
    else if (type == TYPE_PPPOE_SESSION)
        decap_pppoe(bytes, depth, decapped);
    else if (type == TYPE_PPP)
        decap_ppp(bytes, depth, decapped);
    else if (type == TYPE_TRANSPARENT_ETHERNET)
        decap_ethernet(bytes, depth, decapped);
    else if (type <= TYPE_LENGTH_MOST)
        decap_llc(bytes_within(bytes, type), depth, decapped);
    else if (is_not_read(type))
        decap_give_up(decapped, REASON_TUNNEL);
    else
        return false;
    return true;
}

void
decap_ethernet(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    if (bytes.captured < ETHERNET_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else if (depth >= DECAP_DEEPEST)
        decap_give_up(decapped, REASON_TUNNEL);
    else
        decap_ethertype(bytes_after(bytes, ETHERNET_BYTES), bytes_16(bytes, ETHERNET_TYPE), depth + 1, decapped);
}

/* RFC 1661, 1662: FF 03 may stand before the protocol, whose first byte is left out if it is 0. */
void
decap_ppp(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { PPP_IPV4 = 0x21, PPP_IPV6 = 0x57, PPP_MPLS = 0x281 };
    if (bytes.captured >= 2 && bytes_16(bytes, 0) == 0xff03)
        bytes = bytes_after(bytes, 2);
    if (bytes.captured < 2) {
        decap_give_up(decapped, REASON_CUT);
        return;
    }
    bool compressed = bytes.at[0] & 1;
    uint16_t protocol = compressed ? bytes.at[0] : bytes_16(bytes, 0);
    bytes = bytes_after(bytes, compressed ? 1 : 2);
    if (protocol == PPP_IPV4)
        decap_ip(bytes, depth, decapped);
    else if (protocol == PPP_IPV6)
        decap_ipv6(bytes, depth, decapped);
    else if (protocol == PPP_MPLS)
        decap_mpls(bytes, depth, decapped);
}

/* BSD's address family: AF_INET is 2 on all, AF_INET6 differs. Some write an Ethernet type there. */
static void
decap_family(struct bytes bytes, uint32_t family, struct decapped *decapped)
{
    enum { HEADER_BYTES = 4, INET = 2, INET6_BSD = 24, INET6_FREEBSD = 28, INET6_DARWIN = 30 };
    const struct bytes after = bytes_after(bytes, HEADER_BYTES);
    if (family == INET)
        decap_ip(after, 0, decapped);
    else if (family == INET6_BSD || family == INET6_FREEBSD || family == INET6_DARWIN)
        decap_ipv6(after, 0, decapped);
    else if (family > TYPE_LENGTH_MOST)
        decap_ethertype(after, (uint16_t)family, 0, decapped);
}

/* The family stands in four bytes, in the order of whoever captured; or in two of them, the others being 0. */
static uint32_t
family_of(uint32_t bytes)
{
    const uint32_t family = GUINT32_SWAP_LE_BE(bytes);
    if (family >> 16)
        return family >> 24 == 0 && family < 0x60000 ? family >> 16 : bytes;
    return (family & 0xff) == 0 && family < 0x600 ? family >> 8 : family;
}

/* Instead of it PPP may follow at once, by its FF 03. */
static void
decap_null(struct bytes bytes, struct decapped *decapped)
{
    enum { HEADER_BYTES = 4 };
    if (bytes.captured < HEADER_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else if (bytes_16(bytes, 0) == 0xff03)
        decap_ppp(bytes, 0, decapped);
    else
        decap_family(bytes, family_of(bytes_32(bytes, 0)), decapped);
}

/* In the order of the network. */
static void
decap_loop(struct bytes bytes, struct decapped *decapped)
{
    enum { HEADER_BYTES = 4 };
    if (bytes.captured < HEADER_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else
        decap_family(bytes, bytes_32(bytes, 0), decapped);
}

/* tcpdump -i any: LINKTYPE_LINUX_SLL, LINKTYPE_LINUX_SLL2. */
static void
decap_cooked(struct bytes bytes, uint32_t type, uint32_t header_bytes, struct decapped *decapped)
{
    if (bytes.captured < header_bytes)
        decap_give_up(decapped, REASON_CUT);
    else if (bytes_16(bytes, type) == 4)
        decap_llc(bytes_after(bytes, header_bytes), 0, decapped);
    else if (bytes_16(bytes, type) > TYPE_LENGTH_MOST)
        decap_ethertype(bytes_after(bytes, header_bytes), bytes_16(bytes, type), 0, decapped);
}

/* Apple's bpf/pktap.h: its length, and what follows it, in little-endian. */
static void
decap_pktap(struct bytes bytes, struct decapped *decapped)
{
    enum { LENGTH = 0, LINK_TYPE = 8, HEADER_LEAST = 12 };
    if (bytes.captured < HEADER_LEAST) {
        decap_give_up(decapped, REASON_CUT);
        return;
    }
    uint32_t length = GUINT32_SWAP_LE_BE(bytes_32(bytes, LENGTH));
    int link = wtap_pcap_encap_to_wtap_encap((int)GUINT32_SWAP_LE_BE(bytes_32(bytes, LINK_TYPE)));
    if (length < HEADER_LEAST || link == WTAP_ENCAP_PKTAP)
        decap_give_up(decapped, REASON_LINK);
    else
        decap(bytes_after(bytes, length), link, decapped);
}

/* Cisco's HDLC: address, control, Ethernet type. */
static void
decap_chdlc(struct bytes bytes, struct decapped *decapped)
{
    enum { TYPE = 2, HEADER_BYTES = 4 };
    if (bytes.captured < HEADER_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else
        decap_ethertype(bytes_after(bytes, HEADER_BYTES), bytes_16(bytes, TYPE), 0, decapped);
}

/* Of a line: PPP, or Cisco's HDLC, whose address is 0F (to one) or 8F (to all). */
static void
decap_line(struct bytes bytes, struct decapped *decapped)
{
    enum { TO_ONE = 0x0f, TO_ALL = 0x8f };
    if (bytes.captured > 0 && (bytes.at[0] == TO_ONE || bytes.at[0] == TO_ALL))
        decap_chdlc(bytes, decapped);
    else
        decap_ppp(bytes, 0, decapped);
}

void
decap(struct bytes frame, int encapsulation, struct decapped *decapped)
{
    if (encapsulation == WTAP_ENCAP_ETHERNET && frame.captured > ETHERNET_BYTES &&
        bytes_16(frame, ETHERNET_TYPE) == TYPE_IPV4 && decap_plain_tcp(bytes_after(frame, ETHERNET_BYTES), decapped))
        return;
    *decapped = (struct decapped){ .kind = DECAP_OTHER };
    switch (encapsulation) {
    case WTAP_ENCAP_ETHERNET:
        decap_ethernet(frame, 0, decapped);
        break;
    case WTAP_ENCAP_RAW_IP:
    case WTAP_ENCAP_RAW_IP4:
        decap_ip(frame, 0, decapped);
        break;
    case WTAP_ENCAP_RAW_IP6:
        decap_ipv6(frame, 0, decapped);
        break;
    case WTAP_ENCAP_NULL:
        decap_null(frame, decapped);
        break;
    case WTAP_ENCAP_LOOP:
        decap_loop(frame, decapped);
        break;
    case WTAP_ENCAP_SLL:
        decap_cooked(frame, 14, 16, decapped);
        break;
    case WTAP_ENCAP_SLL2:
        decap_cooked(frame, 0, 20, decapped);
        break;
    case WTAP_ENCAP_PPP:
    case WTAP_ENCAP_PPP_WITH_PHDR:
        decap_line(frame, decapped);
        break;
    case WTAP_ENCAP_PPP_ETHER:
        decap_pppoe(frame, 0, decapped);
        break;
    case WTAP_ENCAP_CHDLC:
    case WTAP_ENCAP_CHDLC_WITH_PHDR:
        decap_chdlc(frame, decapped);
        break;
    case WTAP_ENCAP_PKTAP:
        decap_pktap(frame, decapped);
        break;
    default:
        decap_give_up(decapped, REASON_LINK);
        break;
    }
}

void
decap_give_up(struct decapped *decapped, enum decap_reason reason)
{
    decapped->kind = DECAP_NOT_UNDERSTOOD;
    decapped->reason = reason;
}
