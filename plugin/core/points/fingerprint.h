/* fingerprint.h
 * What a frame says of the packet in it, by which its other sightings are known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FINGERPRINT_H
#define LATENCY_FINGERPRINT_H

#include "../tcp/segment.h"

struct fingerprint {
    uint64_t packet_id;   /* unique in the section, or used again later; meaningful if has_packet_id */
    uint64_t tracking_id; /* retis'; 0 without */
    uint32_t section;
    struct endpoint source, destination; /* ports 0 without TCP */
    uint32_t seq, ack;                   /* without TCP what tells such packets apart */
    uint32_t bytes;                      /* of the sequence: payload, SYN and FIN; without TCP 0 */
    uint32_t print; /* of the first bytes of the payload; without TCP of what follows the IP header */
    uint16_t ip_id;
    uint16_t checksum;   /* of TCP */
    uint8_t flags;       /* of TCP */
    uint8_t print_bytes; /* how many `print` is of */
    bool ipv6 : 1;
    bool tcp : 1;
    bool has_ip_id : 1; /* and it is not 0, which says nothing: RFC 6864 §4.1 */
    bool has_packet_id : 1;
};

/* Fills in what a segment says. `key`: see fingerprint_take_print(). */
void fingerprint_take_segment(struct fingerprint *fingerprint, const struct segment *segment, uint64_t key);

/* Fills in the print of so many bytes, of which it takes the first. `key`: hashed_new_key(), the capture's. */
void fingerprint_take_print(struct fingerprint *fingerprint, const uint8_t *bytes, uint32_t captured, uint64_t key);

/* Returns whether both frames have the same packet, by what they contain. `translated`: addresses and ports may differ. */
bool fingerprint_is_same(const struct fingerprint *a, const struct fingerprint *b, bool *translated);

/* Bytes of the sequence. */
struct range {
    uint32_t seq, bytes;
};

/* Returns whether either begins within the other. */
static inline bool
ranges_meet(struct range a, struct range b)
{
    return b.seq - a.seq < a.bytes || a.seq - b.seq < b.bytes;
}

/* Returns whether bytes lie in both, or they are the same empty place. */
bool range_overlaps(struct range a, struct range b);

static inline bool
range_contains(struct range whole, struct range part)
{
    return part.seq - whole.seq <= whole.bytes && part.bytes <= whole.bytes - (part.seq - whole.seq);
}

/* Keys of a hash table, by which sightings of one packet find each other: equal for one packet, and rarely for two. */
uint64_t fingerprint_packet_key(const struct fingerprint *fingerprint);
uint64_t fingerprint_tracking_key(const struct fingerprint *fingerprint);
uint64_t fingerprint_content_key(const struct fingerprint *fingerprint);

#endif
