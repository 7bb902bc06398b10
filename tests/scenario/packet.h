/* packet.h
 * IP packets that carry a scenario's segment.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_PACKET_H
#define SCENARIO_PACKET_H

#include "scenario.h"

/* In network byte order. */
void put8(GByteArray *bytes, unsigned value);
void put16(GByteArray *bytes, unsigned value);
void put32(GByteArray *bytes, uint32_t value);
void put_bytes(GByteArray *bytes, const void *from, size_t length);

struct packet_header {
    struct scenario_endpoint source, destination; /* ports unused */
    uint8_t protocol;
    uint8_t ttl;
    uint16_t ip_id;
    uint16_t fragment; /* flags and offset as in the IPv4 header */
};

enum { PACKET_DONT_FRAGMENT = 0x4000, PACKET_MORE_FRAGMENTS = 0x2000 };

/* A new IPv4 or IPv6 packet, by the family of its addresses. */
GByteArray *packet_new(const struct packet_header *header, const uint8_t *payload, size_t length);

/* Appends the packets to `packets`, a GPtrArray of GByteArray *: fragments where the segment asks for them, and
 * for SCENARIO_ICMP_QUOTED the ICMP error that quotes it. */
void packet_build(const struct scenario_segment *segment, GPtrArray *packets);

#endif
