/* headers.h
 * Headers of TCP and UDP as segments of the core.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HEADERS_H
#define LATENCY_HEADERS_H

#include "../core/tcp/segment.h"

/* Of a TCP header so many bytes must be there: up to the flags. */
enum { SEGMENT_HEADER_LEAST = 14 };

/* The ports and the sequence number: so much of it an ICMP error quotes at least. */
enum { SEGMENT_QUOTED_LEAST = 8 };

/* Fills in what the header says and what follows it: `captured` bytes of `reported` on the wire. The segment has frame,
 * time, addresses and what IP says already; its payload is borrowed from `bytes`. False for what is too short or too
 * odd to be a segment. */
bool segment_header_read(const uint8_t *bytes, uint32_t captured, uint32_t reported, struct segment *segment);

/* The same of a beginning of SEGMENT_QUOTED_LEAST bytes: ports and seq. */
void segment_header_read_quoted(const uint8_t *bytes, struct segment *quoted);

/* RFC 768. */
enum { DATAGRAM_HEADER_BYTES = 8 };

/* Fills in the ports and what follows them, of DATAGRAM_HEADER_BYTES at least: `captured` bytes of `reported` on the
 * wire. The payload is borrowed from `bytes`; an IP packet may be longer than the datagram says it is. */
void datagram_header_read(const uint8_t *bytes, uint32_t captured, uint32_t reported, struct segment *segment);

/* Whether an ICMP message of this type says that what it quotes did not arrive. */
bool icmp_is_undelivered(bool ipv6, uint8_t type);

#endif
