/* evidence.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "evidence.h"

#include <string.h>

#include <glib.h>

#include "connection.h"

enum { PRINT_BYTES = 64 };

/* Offload sets PSH and the flags of RFC 3168 on one part of a packet, and takes them from another. */
enum { FLAGS_COMPARED = SEGMENT_FIN | SEGMENT_SYN | SEGMENT_RST | SEGMENT_ACK };

void
evidence_take_segment(struct evidence *evidence, const struct segment *segment)
{
    evidence->frame = segment->frame;
    evidence->time_ns = segment->time_ns;
    evidence->ipv6 = segment->ipv6;
    evidence->tcp = true;
    evidence->has_ip_id = segment->has_ip_id && segment->ip_id != 0;
    evidence->ip_id = segment->ip_id;
    evidence->flags = segment->flags & FLAGS_COMPARED;
    evidence->source = segment->source;
    evidence->destination = segment->destination;
    evidence->seq = segment->seq;
    evidence->ack = segment->ack;
    evidence->checksum = segment->checksum;
    evidence->bytes = segment->payload_bytes + !!(segment->flags & SEGMENT_SYN) + !!(segment->flags & SEGMENT_FIN);
    evidence->print_bytes = MIN(segment->captured_bytes, PRINT_BYTES);
    evidence->print = wmem_strong_hash(segment->payload, evidence->print_bytes);
}

static bool
is_same_way(const struct evidence *a, const struct evidence *b)
{
    return endpoint_equal(&a->source, &b->source) && endpoint_equal(&a->destination, &b->destination);
}

/* What a translator of addresses leaves as it was must be enough to tell packets apart. */
static bool
is_telling(const struct evidence *evidence)
{
    return evidence->tcp && (evidence->has_ip_id || evidence->print_bytes || evidence->flags & SEGMENT_SYN);
}

bool
evidence_is_same(const struct evidence *a, const struct evidence *b, bool *translated)
{
    bool print_differs = a->print_bytes == b->print_bytes && a->print != b->print;
    *translated = !is_same_way(a, b);
    return a->ipv6 == b->ipv6 && a->tcp == b->tcp && a->ip_id == b->ip_id && a->seq == b->seq && a->ack == b->ack &&
           a->bytes == b->bytes && a->flags == b->flags && !print_differs && (!*translated || is_telling(a));
}

bool
range_contains(struct range whole, struct range part)
{
    return part.seq - whole.seq <= whole.bytes && part.bytes <= whole.bytes - (part.seq - whole.seq);
}

bool
range_overlaps(struct range a, struct range b)
{
    if (a.bytes == 0 || b.bytes == 0)
        return range_contains(a, b) || range_contains(b, a);
    return b.seq - a.seq < a.bytes || a.seq - b.seq < b.bytes;
}

/* MurmurHash3's finalizer, word after word. */
static uint64_t
mix(const uint64_t *words, unsigned count)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < count; i++) {
        key ^= words[i];
        key = (key ^ key >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
        key = (key ^ key >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
        key ^= key >> 33;
    }
    return key;
}

enum key_kind { KEY_PACKET = 1, KEY_TRACKING, KEY_CONTENT };

uint64_t
evidence_packet_key(const struct evidence *evidence)
{
    const uint64_t words[] = { KEY_PACKET | (uint64_t)evidence->section << 32, evidence->packet_id,
                               (uint64_t)evidence->seq << 32 | evidence->bytes, evidence->ip_id };
    return mix(words, G_N_ELEMENTS(words));
}

uint64_t
evidence_tracking_key(const struct evidence *evidence)
{
    const uint64_t words[] = { KEY_TRACKING | (uint64_t)evidence->section << 32, evidence->tracking_id };
    return mix(words, G_N_ELEMENTS(words));
}

uint64_t
evidence_content_key(const struct evidence *evidence)
{
    const uint64_t words[] = { KEY_CONTENT, (uint64_t)evidence->seq << 32 | evidence->ack,
                               (uint64_t)evidence->bytes << 32 | evidence->flags, evidence->ip_id };
    return mix(words, G_N_ELEMENTS(words));
}
