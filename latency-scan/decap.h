/* decap.h
 * From a frame's first byte to what TCP, UDP or ICMP carry: link layers and tunnels, as Wireshark's dissectors go
 * through them. IP is not reassembled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_DECAP_H
#define SCAN_DECAP_H

#include <stdbool.h>

#include "bytes.h"

enum decap_kind {
    DECAP_OTHER,  /* nothing that TCP could be in */
    DECAP_TCP,    /* `payload` begins with its header, as the next */
    DECAP_UDP,    /* or what a UDP header announced */
    DECAP_QUOTED, /* TCP in an ICMP error */
    DECAP_QUOTED_UDP,
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
    struct bytes error;           /* around what is quoted: the ICMP error's own IP header, and what follows */
    uint16_t source, destination; /* where the addresses stand in it that the packet's ends have */
    bool fragmented;                        /* a first fragment */
    bool is_rest_of_tcp;                    /* a later one, of a packet with TCP */
    uint16_t ip_id;                         /* of IPv4 */
    uint8_t icmp_type;                      /* around what is quoted */
    uint16_t source_port, destination_port; /* of UDP */
    struct bytes payload;
};

/* `encapsulation`: one of wiretap's WTAP_ENCAP_…. Never reads beyond what is captured. */
void decap(struct bytes frame, int encapsulation, struct decapped *decapped);

#endif
