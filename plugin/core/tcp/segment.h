/* segment.h
 * A TCP segment as the capture shows it: what the IP and TCP headers say, nothing derived.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SEGMENT_H
#define LATENCY_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* RFC 9293 §3.1 */
enum { SEGMENT_FIN = 0x01, SEGMENT_SYN = 0x02, SEGMENT_RST = 0x04, SEGMENT_PSH = 0x08, SEGMENT_ACK = 0x10 };

enum { ADDRESS_BYTES = 16 };

enum transport { TRANSPORT_TCP, TRANSPORT_QUIC };

struct endpoint {
    uint8_t address[ADDRESS_BYTES]; /* an IPv4 address fills the first 4, zeros follow */
    uint16_t port;
    uint16_t transport; /* enum transport: of DNS over UDP TCP, too, for its servers have the same port in both */
};

/* Whether both have one address and port. */
static inline bool
endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
    /* ports differ more often, and at less cost */
    return a->port == b->port && memcmp(a->address, b->address, ADDRESS_BYTES) == 0;
}

struct segment {
    int64_t time_ns; /* since the epoch */
    uint32_t frame;  /* number in the capture, from 1 */
    struct endpoint source;
    struct endpoint destination;
    bool ipv6;
    bool has_ip_id;
    uint16_t ip_id;
    uint32_t seq;
    uint32_t ack;
    uint8_t flags;
    uint8_t options_bytes;
    bool options_captured;
    bool fragmented; /* a first IP fragment: the segment is longer than payload_bytes */
    uint16_t mss;    /* the MSS option; 0 without one */
    uint16_t window;
    uint16_t checksum;
    uint32_t payload_bytes;  /* on the wire */
    uint32_t captured_bytes; /* of the payload */
    const uint8_t *payload;  /* captured_bytes of it, borrowed for the call */
    const char *operation;   /* what it asks for, if that is known without the payload; else NULL. Borrowed likewise */
};

/* When something was captured, and with which frame. */
struct instant {
    int64_t ns;
    uint32_t frame;
};

static inline struct instant
segment_instant(const struct segment *segment)
{
    return (struct instant){ segment->time_ns, segment->frame };
}

/* The number of its first byte: a SYN has one, too. */
static inline uint32_t
segment_first_seq(const struct segment *segment)
{
    return segment->seq + (segment->flags & SEGMENT_SYN ? 1 : 0);
}

#endif
