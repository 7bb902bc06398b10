/* datagram_header.h
 * UDP headers: RFC 768.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DATAGRAM_HEADER_H
#define LATENCY_DATAGRAM_HEADER_H

#include "../core/tcp/segment.h"

enum { DATAGRAM_HEADER_BYTES = 8 };

/* Fills in the ports and what follows them, of DATAGRAM_HEADER_BYTES at least: `captured` bytes of `reported` on the
 * wire. The payload is borrowed from `bytes`; an IP packet may be longer than the datagram says it is. */
void datagram_header_read(const uint8_t *bytes, uint32_t captured, uint32_t reported, struct segment *segment);

#endif
