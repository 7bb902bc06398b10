/* fingerprint.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fingerprint.h"

#include <string.h>

#include <glib.h>

#include "../tcp/connection.h"
#include "../util/hashed.h"

enum { PRINT_BYTES = 64 };

/* Offload sets PSH and the flags of RFC 3168 on one part of a packet, and takes them from another. */
enum { FLAGS_COMPARED = SEGMENT_FIN | SEGMENT_SYN | SEGMENT_RST | SEGMENT_ACK };

void
fingerprint_take_print(struct fingerprint *fingerprint, const uint8_t *bytes, uint32_t captured, uint64_t key)
{
    fingerprint->print_bytes = (uint8_t)MIN(captured, PRINT_BYTES);
    fingerprint->print = captured ? (uint32_t)hashed_bytes(key, bytes, fingerprint->print_bytes) : 0;
}

void
fingerprint_take_segment(struct fingerprint *fingerprint, const struct segment *segment, uint64_t key)
{
    fingerprint->ipv6 = segment->ipv6;
    fingerprint->tcp = true;
    fingerprint->has_ip_id = segment->has_ip_id && segment->ip_id != 0;
    fingerprint->ip_id = segment->ip_id;
    fingerprint->flags = segment->flags & FLAGS_COMPARED;
    fingerprint->source = segment->source;
    fingerprint->destination = segment->destination;
    fingerprint->seq = segment->seq;
    fingerprint->ack = segment->ack;
    fingerprint->checksum = segment->checksum;
    fingerprint->bytes = segment->payload_bytes + !!(segment->flags & SEGMENT_SYN) + !!(segment->flags & SEGMENT_FIN);
    fingerprint_take_print(fingerprint, segment->payload, segment->captured_bytes, key);
}

static bool
is_same_way(const struct fingerprint *a, const struct fingerprint *b)
{
    return endpoint_equal(&a->source, &b->source) && endpoint_equal(&a->destination, &b->destination);
}

/* What a translator of addresses leaves as it was must be enough to tell packets apart. */
static bool
is_telling(const struct fingerprint *fingerprint)
{
    return fingerprint->tcp && (fingerprint->has_ip_id || fingerprint->print_bytes || fingerprint->flags & SEGMENT_SYN);
}

bool
fingerprint_is_same(const struct fingerprint *a, const struct fingerprint *b, bool *translated)
{
    bool print_differs = a->print_bytes == b->print_bytes && a->print != b->print;
    *translated = !is_same_way(a, b);
    return a->ipv6 == b->ipv6 && a->tcp == b->tcp && a->ip_id == b->ip_id && a->seq == b->seq && a->ack == b->ack &&
           a->bytes == b->bytes && a->flags == b->flags && !print_differs && (!*translated || is_telling(a));
}

bool
range_overlaps(struct range a, struct range b)
{
    if (a.bytes == 0 || b.bytes == 0)
        return range_contains(a, b) || range_contains(b, a);
    return ranges_meet(a, b);
}

/* No secret is in it: the table of names has a key of its own. */
static inline uint64_t
mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15), other = UINT64_C(0xC4CEB9FE1A85EC53);
    return hashed_mix(hashed_mix(a ^ odd, b ^ other), hashed_mix(c ^ odd, d ^ other) ^ odd);
}

enum key_kind { KEY_PACKET = 1, KEY_TRACKING, KEY_CONTENT };

uint64_t
fingerprint_packet_key(const struct fingerprint *fingerprint)
{
    return mix(KEY_PACKET | (uint64_t)fingerprint->section << 32, fingerprint->packet_id,
               (uint64_t)fingerprint->seq << 32 | fingerprint->bytes, fingerprint->ip_id);
}

uint64_t
fingerprint_tracking_key(const struct fingerprint *fingerprint)
{
    return mix(KEY_TRACKING | (uint64_t)fingerprint->section << 32, fingerprint->tracking_id, 0, 0);
}

uint64_t
fingerprint_content_key(const struct fingerprint *fingerprint)
{
    return mix(KEY_CONTENT, (uint64_t)fingerprint->seq << 32 | fingerprint->ack,
               (uint64_t)fingerprint->bytes << 32 | fingerprint->flags, fingerprint->ip_id);
}
