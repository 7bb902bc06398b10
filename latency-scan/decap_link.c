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

bool
decap_ethertype(struct bytes bytes, uint16_t type, unsigned depth, struct decapped *decapped)
{
    enum { TAG_BYTES = 4 };
    while (type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD) {
        if (bytes.captured < TAG_BYTES) {
            decap_give_up(decapped, REASON_CUT);
            return true;
        }
        type = bytes_16(bytes, 2);
        bytes = bytes_after(bytes, TAG_BYTES);
    }
    if (type == TYPE_IPV4 || type == TYPE_IPV6)
        decap_ip(bytes, depth, decapped);
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
    if (protocol == PPP_IPV4 || protocol == PPP_IPV6)
        decap_ip(bytes, depth, decapped);
    else if (protocol == PPP_MPLS)
        decap_mpls(bytes, depth, decapped);
}

/* BSD: the address family in four bytes, in the order of whoever captured (loop: of the network). AF_INET is 2 on all,
 * AF_INET6 differs. Some write an Ethernet type there, or PPP's FF 03. */
static void
decap_null(struct bytes bytes, struct decapped *decapped)
{
    enum { HEADER_BYTES = 4, FAMILY_IPV4 = 2, FAMILY_IPV6_LEAST = 10, FAMILY_IPV6_MOST = 30 };
    if (bytes.captured < HEADER_BYTES) {
        decap_give_up(decapped, REASON_CUT);
        return;
    }
    if (bytes_16(bytes, 0) == 0xff03) {
        decap_ppp(bytes, 0, decapped);
        return;
    }
    uint32_t family = bytes_32(bytes, 0);
    if (family & 0xffff0000u)
        family = GUINT32_SWAP_LE_BE(family);
    struct bytes after = bytes_after(bytes, HEADER_BYTES);
    if (family == FAMILY_IPV4 || (family >= FAMILY_IPV6_LEAST && family <= FAMILY_IPV6_MOST))
        decap_ip(after, 0, decapped);
    else if (family > TYPE_LENGTH_MOST && family <= UINT16_MAX)
        decap_ethertype(after, (uint16_t)family, 0, decapped);
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
    case WTAP_ENCAP_RAW_IP6:
        decap_ip(frame, 0, decapped);
        break;
    case WTAP_ENCAP_NULL:
    case WTAP_ENCAP_LOOP:
        decap_null(frame, decapped);
        break;
    case WTAP_ENCAP_SLL:
        decap_cooked(frame, 14, 16, decapped);
        break;
    case WTAP_ENCAP_SLL2:
        decap_cooked(frame, 0, 20, decapped);
        break;
    case WTAP_ENCAP_PPP:
    case WTAP_ENCAP_PPP_WITH_PHDR:
        decap_ppp(frame, 0, decapped);
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
