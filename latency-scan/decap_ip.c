/* decap_ip.c
 * IPv4 and IPv6, and what they carry.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "decap_inside.h"

#include "core/tcp/segment.h"
#include "reader/headers.h"

/* IANA's protocol numbers. */
enum {
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_ICMP = 1,
    PROTOCOL_IPV4 = 4,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_IPV6 = 41,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_GRE = 47,
    PROTOCOL_ESP = 50,
    PROTOCOL_AH = 51,
    PROTOCOL_ICMPV6 = 58,
    PROTOCOL_DESTINATION = 60,
    PROTOCOL_ETHERIP = 97,
    PROTOCOL_MOBILITY = 135,
    PROTOCOL_MPLS = 137,
    PROTOCOL_HIP = 139,
    PROTOCOL_SHIM6 = 140,
};

enum { IPV4_SOURCE = 12, IPV4_DESTINATION = 16, IPV6_SOURCE = 8, IPV6_DESTINATION = 24, IPV6_ADDRESS_BYTES = 16 };
enum { IPV4_LEAST = 20, IPV6_BYTES = 40, FRAGMENT_OFFSET = 0x1fff, MORE_FRAGMENTS = 0x2000 };

/* An IP header that has been read. */
struct ip_read {
    struct bytes payload;
    uint8_t protocol;
    bool is_later_fragment;
};

/* RFC 791: loose and strict source routes (131, 137) have their last address at the packet's end, until it has been
 * there. 0 without one. */
static uint16_t
routed_to(struct bytes header)
{
    enum { END = 0, NO_OPERATION = 1, LOOSE = 131, STRICT = 137, POINTER_LEAST = 4, LAST_BYTES = 4 };
    uint32_t at = IPV4_LEAST;
    while (at + 2 < header.captured && header.at[at] != END) {
        const uint8_t kind = header.at[at], length = header.at[at + 1], pointer = header.at[at + 2];
        if (kind == NO_OPERATION) {
            at++;
            continue;
        }
        if (length < 2 || at + length > header.captured)
            return 0;
        if (kind == LOOSE || kind == STRICT)
            return pointer < POINTER_LEAST || pointer & 3 || pointer > length ? 0
                                                                              : (uint16_t)(at + length - LAST_BYTES);
        at += length;
    }
    return 0;
}

/* RFC 791. A length of 0 is what segmentation offload leaves. */
static bool
read_ipv4(struct bytes bytes, struct decapped *decapped, struct ip_read *read)
{
    enum { LENGTH = 2, ID = 4, FRAGMENT = 6, PROTOCOL = 9 };
    if (bytes.captured < IPV4_LEAST)
        return false;
    uint32_t header_bytes = (bytes.at[0] & 0xfu) * 4, length = bytes_16(bytes, LENGTH);
    uint16_t fragment = bytes_16(bytes, FRAGMENT);
    if (header_bytes < IPV4_LEAST || (length != 0 && length < header_bytes))
        return false;
    bytes = bytes_within(bytes, length ? length : bytes.reported);
    decapped->ip = bytes;
    decapped->ipv6 = false;
    decapped->source = IPV4_SOURCE;
    decapped->destination = IPV4_DESTINATION;
    decapped->ip_id = bytes_16(bytes, ID);
    decapped->fragmented = fragment & MORE_FRAGMENTS;
    read->is_later_fragment = fragment & FRAGMENT_OFFSET;
    read->protocol = bytes.at[PROTOCOL];
    read->payload = bytes_after(bytes, header_bytes);
    if (header_bytes > bytes.captured)
        return false;
    if (header_bytes > IPV4_LEAST && routed_to(bytes_within(bytes, header_bytes)))
        decapped->destination = routed_to(bytes_within(bytes, header_bytes));
    return true;
}

/* An extension header: its length in 8 bytes less one; RFC 8200 §4. AH, RFC 4302 §2.2: in 4 bytes less two. */
static uint32_t
extension_bytes(struct bytes bytes, uint8_t protocol)
{
    if (protocol == PROTOCOL_FRAGMENT)
        return 8;
    return protocol == PROTOCOL_AH ? (bytes.at[1] + 2u) * 4 : (bytes.at[1] + 1u) * 8;
}

static bool
is_extension(uint8_t protocol)
{
    switch (protocol) {
    case PROTOCOL_HOP_BY_HOP:
    case PROTOCOL_ROUTING:
    case PROTOCOL_FRAGMENT:
    case PROTOCOL_AH:
    case PROTOCOL_DESTINATION:
    case PROTOCOL_MOBILITY:
    case PROTOCOL_HIP:
    case PROTOCOL_SHIM6:
        return true;
    default:
        return false;
    }
}

/* Where an option of that kind stands in an extension header that has options; 0 if it has none. RFC 8200 §4.2. */
static uint32_t
option_of(struct bytes header, uint8_t kind)
{
    enum { PAD_1 = 0, FIRST = 2 };
    for (uint32_t at = FIRST; at + 1 < header.captured;) {
        if (header.at[at] == kind && at + 2 + header.at[at + 1] <= header.captured)
            return at;
        at += header.at[at] == PAD_1 ? 1 : 2u + header.at[at + 1];
    }
    return 0;
}

/* RFC 2675: the length of a packet that is longer than 65535 bytes; 0 if it has none. `bytes`: what follows IPv6. */
static uint32_t
jumbo_bytes(struct bytes bytes)
{
    enum { JUMBO = 194, LENGTH_BYTES = 4 };
    if (bytes.captured < 2)
        return 0;
    const struct bytes header = bytes_within(bytes, extension_bytes(bytes, PROTOCOL_HOP_BY_HOP));
    const uint32_t at = option_of(header, JUMBO);
    const uint32_t length = at && header.at[at + 1] == LENGTH_BYTES ? bytes_32(header, at + 2) : 0;
    return length > UINT16_MAX ? length : 0;
}

/* Whom the packet is from or for, where the headers after IPv6's say that: routing headers of type 0 (RFC 2460 §4.4:
 * the last address), 2 (RFC 6275 §6.4) and 4 (RFC 8754: the first), as long as it has not been there; the option home
 * address (RFC 6275 §6.3). */
static void
read_ends(struct bytes header, uint8_t protocol, struct decapped *decapped)
{
    enum { TYPE = 2, LEFT = 3, ADDRESSES = 8, SOURCE_ROUTE = 0, MOBILE = 2, SEGMENTS = 4, HOME = 201 };
    const uint32_t begin = (uint32_t)(header.at - decapped->ip.at);
    if (begin + header.captured > UINT16_MAX)
        return;
    if (protocol == PROTOCOL_DESTINATION || protocol == PROTOCOL_HOP_BY_HOP) {
        const uint32_t home = option_of(header, HOME);
        if (home && home + 2 + IPV6_ADDRESS_BYTES <= header.captured)
            decapped->source = (uint16_t)(begin + home + 2);
    } else if (protocol == PROTOCOL_ROUTING && header.at[LEFT] && header.captured >= ADDRESSES + IPV6_ADDRESS_BYTES) {
        const uint8_t type = header.at[TYPE];
        const uint32_t n = (header.captured - ADDRESSES) / IPV6_ADDRESS_BYTES;
        if (type == SOURCE_ROUTE || type == MOBILE || type == SEGMENTS)
            decapped->destination =
                (uint16_t)(begin + ADDRESSES + (type == SOURCE_ROUTE ? (n - 1) * IPV6_ADDRESS_BYTES : 0));
    }
}

/* A length of 0: a jumbogram, or what segmentation offload leaves. */
static bool
read_ipv6(struct bytes bytes, struct decapped *decapped, struct ip_read *read)
{
    enum { LENGTH = 4, NEXT = 6, EXTENSION_LEAST = 8 };
    if (bytes.captured < IPV6_BYTES)
        return false;
    uint32_t length = bytes_16(bytes, LENGTH);
    if (length == 0 && bytes.at[NEXT] == PROTOCOL_HOP_BY_HOP)
        length = jumbo_bytes(bytes_after(bytes, IPV6_BYTES));
    bytes = bytes_within(bytes, length && length <= UINT32_MAX - IPV6_BYTES ? IPV6_BYTES + length : bytes.reported);
    decapped->ip = bytes;
    decapped->ipv6 = true;
    decapped->source = IPV6_SOURCE;
    decapped->destination = IPV6_DESTINATION;
    decapped->ip_id = 0;
    decapped->fragmented = false;
    read->protocol = bytes.at[NEXT];
    read->payload = bytes_after(bytes, IPV6_BYTES);
    while (is_extension(read->protocol)) {
        if (read->payload.captured < EXTENSION_LEAST)
            return false;
        if (read->protocol == PROTOCOL_FRAGMENT) {
            uint16_t fragment = bytes_16(read->payload, 2);
            read->is_later_fragment = fragment & 0xfff8;
            decapped->fragmented = fragment & 1;
        }
        uint32_t header_bytes = extension_bytes(read->payload, read->protocol);
        if (header_bytes <= read->payload.captured)
            read_ends(bytes_within(read->payload, header_bytes), read->protocol, decapped);
        read->protocol = read->payload.at[0];
        if (header_bytes > read->payload.captured)
            return false;
        read->payload = bytes_after(read->payload, header_bytes);
        if (read->is_later_fragment)
            break;
    }
    return true;
}

inline bool
decap_plain_tcp(struct bytes bytes, struct decapped *decapped)
{
    enum { VERSION_AND_WORDS = 0x45, LENGTH = 2, ID = 4, FRAGMENT = 6, PROTOCOL = 9 };
    if (bytes.captured < IPV4_LEAST || bytes.at[0] != VERSION_AND_WORDS || bytes.at[PROTOCOL] != PROTOCOL_TCP ||
        bytes_16(bytes, FRAGMENT) & (MORE_FRAGMENTS | FRAGMENT_OFFSET) || bytes_16(bytes, LENGTH) <= IPV4_LEAST)
        return false;
    const struct bytes packet = bytes_within(bytes, bytes_16(bytes, LENGTH));
    *decapped = (struct decapped){
        .kind = DECAP_TCP,
        .ip = packet,
        .source = IPV4_SOURCE,
        .destination = IPV4_DESTINATION,
        .ip_id = bytes_16(packet, ID),
        .payload = bytes_after(packet, IPV4_LEAST),
    };
    return true;
}

static bool
read_ip(struct bytes bytes, struct decapped *decapped, struct ip_read *read)
{
    *read = (struct ip_read){ .protocol = 0 };
    if (bytes.captured == 0)
        return false;
    uint8_t version = bytes.at[0] >> 4;
    if (version == 4)
        return read_ipv4(bytes, decapped, read);
    return version == 6 && read_ipv6(bytes, decapped, read);
}

/* What an error quotes begins 8 bytes into its message, and with IP. */
static void
decap_icmp(struct bytes bytes, bool ipv6, struct decapped *decapped)
{
    enum { HEADER_BYTES = 8 };
    struct ip_read quoted;
    if (bytes.captured < HEADER_BYTES || !icmp_is_undelivered(ipv6, bytes.at[0]))
        return;
    struct decapped inner = { .kind = DECAP_QUOTED, .icmp_type = bytes.at[0], .error = decapped->ip };
    if (!read_ip(bytes_after(bytes, HEADER_BYTES), &inner, &quoted) || inner.ipv6 != ipv6)
        return;
    if (quoted.is_later_fragment)
        return;
    if (quoted.protocol == PROTOCOL_UDP && decap_udp_header(quoted.payload, &inner))
        inner.kind = DECAP_QUOTED_UDP;
    else if (quoted.protocol == PROTOCOL_TCP)
        inner.payload = quoted.payload;
    else
        return;
    *decapped = inner;
}

static void decap_authenticated(struct bytes bytes, unsigned depth, struct decapped *decapped);

static void
decap_protocol(struct bytes payload, uint8_t protocol, unsigned depth, struct decapped *decapped)
{
    enum { ETHERIP_BYTES = 2 };
    switch (protocol) {
    case PROTOCOL_TCP:
        decapped->kind = DECAP_TCP;
        decapped->payload = payload;
        break;
    case PROTOCOL_UDP:
        decap_udp(payload, depth, decapped);
        break;
    case PROTOCOL_ICMP:
    case PROTOCOL_ICMPV6:
        decap_icmp(payload, protocol == PROTOCOL_ICMPV6, decapped);
        break;
    case PROTOCOL_IPV4:
        decap_ip(payload, depth, decapped);
        break;
    case PROTOCOL_IPV6:
        decap_ipv6(payload, depth, decapped);
        break;
    case PROTOCOL_GRE:
        decap_gre(payload, depth, decapped);
        break;
    case PROTOCOL_MPLS:
        decap_mpls(payload, depth, decapped);
        break;
    case PROTOCOL_ETHERIP:
        decap_ethernet(bytes_after(payload, ETHERIP_BYTES), depth, decapped);
        break;
    case PROTOCOL_AH:
        decap_authenticated(payload, depth, decapped);
        break;
    case PROTOCOL_ESP:
        decap_give_up(decapped, REASON_ENCRYPTED);
        break;
    default:
        break;
    }
}

/* In IPv4; of IPv6 it is an extension header. */
static void
decap_authenticated(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    enum { LEAST = 12 };
    if (bytes.captured < LEAST || extension_bytes(bytes, PROTOCOL_AH) > bytes.captured)
        decap_give_up(decapped, REASON_CUT);
    else if (depth >= DECAP_DEEPEST)
        decap_give_up(decapped, REASON_TUNNEL);
    else
        decap_protocol(bytes_after(bytes, extension_bytes(bytes, PROTOCOL_AH)), bytes.at[0], depth + 1, decapped);
}

void
decap_ip(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    struct ip_read read;
    if (depth >= DECAP_DEEPEST) {
        decap_give_up(decapped, REASON_TUNNEL);
        return;
    }
    bool is_whole = read_ip(bytes, decapped, &read);
    decapped->is_rest_of_tcp |= read.is_later_fragment && read.protocol == PROTOCOL_TCP;
    if (!is_whole)
        decap_give_up(decapped, REASON_CUT);
    else if (read.is_later_fragment)
        decap_give_up(decapped, REASON_FRAGMENT);
    else if (decapped->ipv6 || read.payload.reported > 0)
        decap_protocol(read.payload, read.protocol, depth + 1, decapped);
}

void
decap_ipv6(struct bytes bytes, unsigned depth, struct decapped *decapped)
{
    if (bytes.captured == 0 || bytes.at[0] >> 4 == 6)
        decap_ip(bytes, depth, decapped);
}
