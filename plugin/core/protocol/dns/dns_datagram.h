/* dns_datagram.h
 * A message of DNS in a datagram: RFC 1035 §4.2.1; of mDNS that which is answered to the one who asked: RFC 6762 §5.5
 * and §6.7.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DNS_DATAGRAM_H
#define LATENCY_DNS_DATAGRAM_H

#include "../../request/datagrams.h"

/* Whether a datagram between these ports may be one. */
bool dns_datagram_is_between(uint16_t source, uint16_t destination);

/* Reads the payload of `segment`, which is a datagram. False for what is no query that is answered to the one who
 * asked, and no answer to one. `datagram` points into itself. */
bool dns_datagram_read(const struct segment *segment, struct datagram *datagram);

#endif
