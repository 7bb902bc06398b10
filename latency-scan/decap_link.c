/* decap_link.c
 * Link layers, up to IP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "decap_inside.h"
#include "lazy_wiretap.h"

/* What is not above this is no type of IEEE 802 but a length: an LLC header follows. */
enum { TYPE_LENGTH_MOST = 1500, TYPE_IPV4 = 0x0800 };

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

/* The numbers of IEEE 802, frequent ones first. A tag has `tag_bytes` bytes, of which the last two are the type of what
 * follows. */
static const struct ethertype {
    uint16_t type;
    uint8_t tag_bytes; /* 0: it is none */
    decapper *decap;   /* NULL for a tag */
} ethertypes[] = {
    { TYPE_IPV4, 0, decap_ip },  { 0x86dd, 0, decap_ipv6 },     { 0x8100, 4, NULL }, /* VLAN */
    { 0x88a8, 4, NULL },                                                             /* QinQ */
    { 0x9100, 4, NULL },  /* the same, before it was a standard */
    { 0x8926, 6, NULL },  /* Cisco's VN-Tag */
    { 0x893f, 8, NULL },  /* IEEE 802.1BR's E-Tag */
    { 0x88e7, 18, NULL }, /* 802.1ah: a tag of 4 bytes, and the addresses of a whole Ethernet header */
    { 0x8847, 0, decap_mpls },   { 0x8848, 0, decap_mpls },     /* multicast */
    { 0x8864, 0, decap_pppoe },                                 /* its session */
    { 0x880b, 0, decap_ppp },    { 0x6558, 0, decap_ethernet }, /* transparent */
    { 0x4305, 0, decap_unread },                                /* B.A.T.M.A.N. */
    { 0x22f3, 0, decap_unread },                                /* TRILL */
    { 0x88e5, 0, decap_unread },                                /* MACsec */
    { 0x8903, 0, decap_unread },                                /* FabricPath */
    { 0x892f, 0, decap_unread },                                /* HSR */
    { 0x894f, 0, decap_unread },                                /* NSH */
};

static const struct ethertype *
find_ethertype(uint16_t type)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(ethertypes); i++)
        if (ethertypes[i].type == type)
            return &ethertypes[i];
    return NULL;
}

bool
decap_ethertype(struct bytes bytes, uint16_t type, unsigned depth, struct decapped *decapped)
{
    const struct ethertype *found = find_ethertype(type);
    while (found && found->tag_bytes) {
        if (bytes.captured < found->tag_bytes) {
            decap_give_up(decapped, REASON_CUT);
            return true;
        }
        type = bytes_16(bytes, found->tag_bytes - 2u);
        bytes = bytes_after(bytes, found->tag_bytes);
        found = find_ethertype(type);
    }
    if (found)
        found->decap(bytes, depth, decapped);
    else if (type <= TYPE_LENGTH_MOST)
        decap_llc(bytes_within(bytes, type), depth, decapped);
    return found || type <= TYPE_LENGTH_MOST;
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
decap_family(struct bytes bytes, uint32_t family, unsigned depth, struct decapped *decapped)
{
    enum { HEADER_BYTES = 4, INET = 2, INET6_BSD = 24, INET6_FREEBSD = 28, INET6_DARWIN = 30 };
    const struct bytes after = bytes_after(bytes, HEADER_BYTES);
    if (family == INET)
        decap_ip(after, depth, decapped);
    else if (family == INET6_BSD || family == INET6_FREEBSD || family == INET6_DARWIN)
        decap_ipv6(after, depth, decapped);
    else if (family > TYPE_LENGTH_MOST)
        decap_ethertype(after, (uint16_t)family, depth, decapped);
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
decap_null(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    if (bytes_16(bytes, 0) == 0xff03)
        decap_ppp(bytes, depth, decapped);
    else
        decap_family(bytes, family_of(bytes_32(bytes, 0)), depth, decapped);
}

/* In the order of the network. */
static void
decap_loop(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    decap_family(bytes, bytes_32(bytes, 0), depth, decapped);
}

/* tcpdump -i any. */
static void
decap_cooked(struct bytes payload, uint16_t type, unsigned depth, struct decapped *decapped)
{
    enum { TYPE_LLC = 4 };
    if (type == TYPE_LLC)
        decap_llc(payload, depth, decapped);
    else if (type > TYPE_LENGTH_MOST)
        decap_ethertype(payload, type, depth, decapped);
}

/* LINKTYPE_LINUX_SLL, LINKTYPE_LINUX_SLL2. */
enum { SLL_TYPE = 14, SLL_BYTES = 16, SLL2_TYPE = 0, SLL2_BYTES = 20 };

static void
decap_sll(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    decap_cooked(bytes_after(bytes, SLL_BYTES), bytes_16(bytes, SLL_TYPE), depth, decapped);
}

static void
decap_sll2(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    decap_cooked(bytes_after(bytes, SLL2_BYTES), bytes_16(bytes, SLL2_TYPE), depth, decapped);
}

/* Apple's bpf/pktap.h: its length, and what follows it, in little-endian. */
enum { PKTAP_LEAST = 12 };

static void
decap_pktap(struct bytes bytes, unsigned depth G_GNUC_UNUSED, struct decapped *decapped)
{
    enum { LENGTH = 0, LINK_TYPE = 8 };
    uint32_t length = GUINT32_SWAP_LE_BE(bytes_32(bytes, LENGTH));
    int link = wiretap()->wtap_pcap_encap_to_wtap_encap((int)GUINT32_SWAP_LE_BE(bytes_32(bytes, LINK_TYPE)));
    if (length < PKTAP_LEAST || link == WTAP_ENCAP_PKTAP)
        decap_give_up(decapped, REASON_LINK);
    else
        decap(bytes_after(bytes, length), link, decapped);
}

/* Cisco's HDLC: address, control, Ethernet type. */
static void
decap_chdlc(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { TYPE = 2, HEADER_BYTES = 4 };
    if (bytes.captured < HEADER_BYTES)
        decap_give_up(decapped, REASON_CUT);
    else
        decap_ethertype(bytes_after(bytes, HEADER_BYTES), bytes_16(bytes, TYPE), depth, decapped);
}

/* Of a line: PPP, or Cisco's HDLC, whose address is 0F (to one) or 8F (to all). */
static void
decap_line(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { TO_ONE = 0x0f, TO_ALL = 0x8f };
    if (bytes.captured > 0 && (bytes.at[0] == TO_ONE || bytes.at[0] == TO_ALL))
        decap_chdlc(bytes, depth, decapped);
    else
        decap_ppp(bytes, depth, decapped);
}

static const struct link {
    int encapsulation;
    uint32_t least; /* bytes without which nothing is known */
    decapper *decap;
} links[] = {
    { WTAP_ENCAP_ETHERNET, 0, decap_ethernet },
    { WTAP_ENCAP_RAW_IP, 0, decap_ip },
    { WTAP_ENCAP_RAW_IP4, 0, decap_ip },
    { WTAP_ENCAP_RAW_IP6, 0, decap_ipv6 },
    { WTAP_ENCAP_NULL, 4, decap_null },
    { WTAP_ENCAP_LOOP, 4, decap_loop },
    { WTAP_ENCAP_SLL, SLL_BYTES, decap_sll },
    { WTAP_ENCAP_SLL2, SLL2_BYTES, decap_sll2 },
    { WTAP_ENCAP_PPP, 0, decap_line },
    { WTAP_ENCAP_PPP_WITH_PHDR, 0, decap_line },
    { WTAP_ENCAP_PPP_ETHER, 0, decap_pppoe },
    { WTAP_ENCAP_CHDLC, 0, decap_chdlc },
    { WTAP_ENCAP_CHDLC_WITH_PHDR, 0, decap_chdlc },
    { WTAP_ENCAP_PKTAP, PKTAP_LEAST, decap_pktap },
};

inline void
decap(struct bytes frame, int encapsulation, struct decapped *decapped)
{
    if (encapsulation == WTAP_ENCAP_ETHERNET && frame.captured > ETHERNET_BYTES &&
        bytes_16(frame, ETHERNET_TYPE) == TYPE_IPV4 && decap_plain_tcp(bytes_after(frame, ETHERNET_BYTES), decapped))
        return;
    *decapped = (struct decapped){ .kind = DECAP_OTHER };
    const struct link *link = links;
    while (link < links + G_N_ELEMENTS(links) && link->encapsulation != encapsulation)
        link++;
    if (link == links + G_N_ELEMENTS(links))
        decap_give_up(decapped, REASON_LINK);
    else if (frame.captured < link->least)
        decap_give_up(decapped, REASON_CUT);
    else
        link->decap(frame, 0, decapped);
}

void
decap_give_up(struct decapped *decapped, enum decap_reason reason)
{
    decapped->kind = DECAP_NOT_UNDERSTOOD;
    decapped->reason = reason;
}

void
decap_unread(struct bytes bytes G_GNUC_UNUSED, unsigned depth G_GNUC_UNUSED, struct decapped *decapped)
{
    decap_give_up(decapped, REASON_TUNNEL);
}
