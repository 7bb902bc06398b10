/* decap_inside.h
 * What decap's files ask of each other: what follows is of this kind. `depth`: how many headers there were.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_DECAP_INSIDE_H
#define SCAN_DECAP_INSIDE_H

#include "decap.h"

enum { DECAP_DEEPEST = 32 };

/* False if nothing is known of the type. */
bool decap_ethertype(struct bytes bytes, uint16_t type, unsigned depth, struct decapped *decapped);
typedef void decapper(struct bytes bytes, unsigned depth, struct decapped *decapped);
decapper decap_ethernet, decap_ppp, decap_ip;
decapper decap_ipv6;   /* of no other version */
decapper decap_unread; /* TCP may be in it, but it is not read */

/* Whether the packet is what most are: TCP in IPv4, without options, and whole. Then it has been decapped. */
bool decap_plain_tcp(struct bytes bytes, struct decapped *decapped);

/* What IP carries. */
decapper decap_gre, decap_udp, decap_mpls;
bool decap_udp_header(struct bytes bytes, struct decapped *decapped); /* ports and payload; false if it is cut */

/* TCP may be in it, but it is not understood. */
void decap_give_up(struct decapped *decapped, enum decap_reason reason);

#endif
