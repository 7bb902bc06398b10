/* decap.h
 * From a frame's first byte to what TCP, UDP or ICMP carry: link layers and tunnels, as Wireshark's dissectors go
 * through them. IP is not reassembled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_DECAP_H
#define SCAN_DECAP_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a packet: `captured` of them are there, of `reported` on the wire. */
struct bytes {
    const uint8_t *at;
    uint32_t captured, reported;
};

enum decap_kind {
    DECAP_OTHER,  /* nothing that TCP could be in */
    DECAP_TCP,    /* `payload` begins with its header, as the next */
    DECAP_UDP,    /* or what a UDP header announced */
    DECAP_QUOTED, /* TCP in an ICMP error */
    DECAP_NOT_UNDERSTOOD
};

/* Why TCP may be in what is not understood. */
enum decap_reason {
    REASON_LINK,      /* of this type, `what`: one of wiretap's encapsulations */
    REASON_TUNNEL,    /* it carries a protocol that is not read */
    REASON_FRAGMENT,  /* of an IP packet, and not the first */
    REASON_CUT,       /* by the snap length, before TCP could begin */
    REASON_ENCRYPTED, /* IPsec */
    DECAP_REASONS
};

struct decapped {
    enum decap_kind kind;
    enum decap_reason reason;
    struct bytes ip; /* the innermost IP header, and what follows; nothing if there is none */
    bool ipv6;
    bool fragmented;                        /* a first fragment */
    uint16_t ip_id;                         /* of IPv4 */
    uint8_t icmp_type;                      /* around what is quoted */
    uint16_t source_port, destination_port; /* of UDP */
    struct bytes payload;
};

/* `encapsulation`: one of wiretap's WTAP_ENCAP_…. Never reads beyond what is captured. */
void decap(struct bytes frame, int encapsulation, struct decapped *decapped);

/* For decap's own files: what follows is of this kind. `depth`: how many headers there were. */
enum { DECAP_DEEPEST = 32 };

/* False if nothing is known of the type. */
bool decap_ethertype(struct bytes bytes, uint16_t type, unsigned depth, struct decapped *decapped);
void decap_ethernet(struct bytes bytes, unsigned depth, struct decapped *decapped);
void decap_ppp(struct bytes bytes, unsigned depth, struct decapped *decapped);
void decap_ip(struct bytes bytes, unsigned depth, struct decapped *decapped);

/* What IP carries. */
void decap_gre(struct bytes bytes, unsigned depth, struct decapped *decapped);
void decap_udp(struct bytes bytes, unsigned depth, struct decapped *decapped);
void decap_mpls(struct bytes bytes, unsigned depth, struct decapped *decapped);

/* TCP may be in it, but it is not understood. */
void decap_give_up(struct decapped *decapped, enum decap_reason reason);

/* What is left behind the first `bytes`; nothing if there are not so many. */
static inline struct bytes
bytes_after(struct bytes bytes, uint32_t length)
{
    if (length > bytes.captured)
        return (struct bytes){ bytes.at + bytes.captured, 0, 0 };
    return (struct bytes){ bytes.at + length, bytes.captured - length,
                           bytes.reported > length ? bytes.reported - length : 0 };
}

/* Not more than `length` of them. */
static inline struct bytes
bytes_within(struct bytes bytes, uint32_t length)
{
    if (bytes.reported > length)
        bytes.reported = length;
    if (bytes.captured > length)
        bytes.captured = length;
    return bytes;
}

static inline uint16_t
bytes_16(struct bytes bytes, uint32_t at)
{
    return (uint16_t)(bytes.at[at] << 8 | bytes.at[at + 1]);
}

static inline uint32_t
bytes_32(struct bytes bytes, uint32_t at)
{
    return (uint32_t)bytes_16(bytes, at) << 16 | bytes_16(bytes, at + 2);
}

#endif
