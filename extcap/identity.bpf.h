/* identity.bpf.h
 * Which sightings are of one packet: by the address of its buffer as long as that holds the same bytes, and by
 * the bytes themselves where the kernel copied it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef IDENTITY_BPF_H
#define IDENTITY_BPF_H

/* A buffer is not remembered for longer, nor are its bytes: sequence numbers come again. */
#define BUFFER_AGE_NS  60000000000ULL
#define CONTENT_AGE_NS 1000000000ULL
/* User space keeps a packet's bytes until a number of others came, which takes longer than this. */
#define TOLD_AGE_NS 50000000ULL

struct packet {
    __u64 id;
    __u64 arrived_ns; /* last seen on its way up to the application */
    __u64 woken_ns;   /* the wake-up that was given as its own */
    __u64 told_ns;    /* when its bytes went to user space */
    __u32 told;       /* hash of what they said */
    __u32 print;
    __u32 stages; /* it has passed, as bits */
};

enum { PACKET_BITS = 13 };

struct packet_set {
    struct places places; /* by buffer_of(), or by a hash of the bytes */
    struct packet packets[WAYS];
};

TABLE(by_buffer, PACKET_BITS, struct packet_set);
TABLE(by_content, PACKET_BITS, struct packet_set);

__u64 packets = 0;

static __always_inline __u64
buffer_of(const struct sk_buff *skb)
{
    return key_of(skb->head);
}

/* The packet that was last seen in this buffer, or NULL. */
static __always_inline struct packet *
in_buffer(__u64 buffer)
{
    struct packet_set *set = set_of(&by_buffer, PACKET_BITS, buffer);
    const __u32 at = set ? place_with(&set->places, buffer) : WAYS;
    return set && at < WAYS ? &set->packets[at] : NULL;
}

static __always_inline __u64
content_key(const struct header *header, __u32 payload_bytes)
{
    __u64 key = (__u64)header->print << 32 | (__u32)(header->source << 16 | header->destination);
    key ^= (__u64)payload_bytes << 20 ^ (__u64)header->flags << 56;
    return key ? key : 1;
}

/* The packet with these bytes, of which there are copies, or a new one. */
static __always_inline const struct packet *
by_bytes(const struct header *header, __u32 payload_bytes, __u64 now_ns, __u32 here, bool *fresh)
{
    const __u64 key = content_key(header, payload_bytes);
    const bool begins = here & 1U << STAGE_TX_IP;
    struct packet_set *set = set_of(&by_content, PACKET_BITS, key);
    if (!set)
        return NULL;
    const __u32 at = place(&set->places, key) % WAYS;
    struct packet *packet = &set->packets[at];
    /* Two acknowledgements may have the same bytes; but a copy has not been where its original came from. */
    *fresh = begins || set->places.keys[at] != key || packet->stages & here ||
             now_ns - set->places.seen_ns[at] >= CONTENT_AGE_NS;
    set->places.keys[at] = key;
    set->places.seen_ns[at] = now_ns;
    if (*fresh)
        *packet = (struct packet){ .id = __sync_fetch_and_add(&packets, 1) + 1, .print = header->print };
    packet->stages |= here;
    return packet;
}

/* The packet in this buffer, which is at `stage`. Packets begin at tx:ip: what comes there again, be it from the same
 * buffer, is a retransmission. *fresh: never seen before. NULL never, but the verifier does not know. */
static __always_inline struct packet *
identify(__u64 buffer, const struct header *header, __u32 payload_bytes, __u64 now_ns, enum stage stage, bool *fresh)
{
    struct packet_set *set = set_of(&by_buffer, PACKET_BITS, buffer);
    const __u32 here = 1U << stage, begins = here & 1U << STAGE_TX_IP;
    *fresh = false;
    if (!set)
        return NULL;
    const __u32 at = place(&set->places, buffer) % WAYS;
    struct packet *known = &set->packets[at];
    if (set->places.keys[at] == buffer && known->print == header->print && !(known->stages & begins) &&
        now_ns - set->places.seen_ns[at] < BUFFER_AGE_NS) {
        known->stages |= here;
    } else {
        const struct packet *packet = by_bytes(header, payload_bytes, now_ns, here, fresh);
        if (!packet)
            return NULL;
        *known = *packet;
        set->places.keys[at] = buffer;
    }
    set->places.seen_ns[at] = now_ns;
    return known;
}

#endif
