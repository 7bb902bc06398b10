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

/* Tables of packets: a key has a place in one of the sets, whose oldest packet makes room for a new one. An LRU hash of
 * the kernel's takes a microsecond for a new packet. */
enum { SETS = 8192, WAYS = 4 };

struct set {
    __u64 keys[WAYS]; /* buffer_of(), or a hash of the bytes */
    __u64 seen_ns[WAYS];
    struct packet packets[WAYS];
};

#define PACKET_TABLE(name)                                                                                             \
    struct {                                                                                                           \
        __uint(type, BPF_MAP_TYPE_ARRAY);                                                                              \
        __uint(max_entries, SETS);                                                                                     \
        __type(key, __u32);                                                                                            \
        __type(value, struct set);                                                                                     \
    } name SEC(".maps")

PACKET_TABLE(by_buffer);
PACKET_TABLE(by_content);

__u64 packets = 0;

/* The key of a buffer: its address, as a number whose bytes are swapped, with which the verifier lets one calculate. */
static __always_inline __u64
buffer_of(const struct sk_buff *skb)
{
    return __builtin_bswap64((__u64)skb->head);
}

/* Of the table in which `key` may be. NULL never, but the verifier does not know. */
static __always_inline struct set *
set_of(void *table, __u64 key)
{
    const __u32 number = key * 0x9e3779b97f4a7c15ULL >> 51;
    return bpf_map_lookup_elem(table, &number);
}

/* Which of a set's places has this key, or is to have it: not less than WAYS never, but the verifier does not know. */
static __always_inline __u32
place(const struct set *set, __u64 key)
{
    __u32 oldest = 0;
    for (__u32 i = 0; i < WAYS; i++) {
        if (set->keys[i] == key)
            return i;
        if (set->seen_ns[i] < set->seen_ns[oldest % WAYS])
            oldest = i;
    }
    return oldest;
}

/* The packet that was last seen in this buffer, or NULL. */
static __always_inline struct packet *
in_buffer(__u64 buffer)
{
    struct set *set = set_of(&by_buffer, buffer);
    if (!set)
        return NULL;
    const __u32 at = place(set, buffer) % WAYS;
    return set->keys[at] == buffer ? &set->packets[at] : NULL;
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
    struct set *set = set_of(&by_content, key);
    if (!set)
        return NULL;
    const __u32 at = place(set, key) % WAYS;
    struct packet *packet = &set->packets[at];
    /* Two acknowledgements may have the same bytes; but a copy has not been where its original came from. */
    *fresh = begins || set->keys[at] != key || packet->stages & here || now_ns - set->seen_ns[at] >= CONTENT_AGE_NS;
    set->keys[at] = key;
    set->seen_ns[at] = now_ns;
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
    struct set *set = set_of(&by_buffer, buffer);
    const __u32 here = 1U << stage, begins = here & 1U << STAGE_TX_IP;
    *fresh = false;
    if (!set)
        return NULL;
    const __u32 at = place(set, buffer) % WAYS;
    struct packet *known = &set->packets[at];
    if (set->keys[at] == buffer && known->print == header->print && !(known->stages & begins) &&
        now_ns - set->seen_ns[at] < BUFFER_AGE_NS) {
        known->stages |= here;
    } else {
        const struct packet *packet = by_bytes(header, payload_bytes, now_ns, here, fresh);
        if (!packet)
            return NULL;
        *known = *packet;
        set->keys[at] = buffer;
    }
    set->seen_ns[at] = now_ns;
    return known;
}

#endif
