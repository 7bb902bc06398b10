/* identity.bpf.h
 * Which sightings are of one packet: by the address of its buffer as long as that holds the same bytes, and by
 * the bytes themselves where the kernel copied it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef IDENTITY_BPF_H
#define IDENTITY_BPF_H

enum { IP4_BYTES = 20, IP6_BYTES = 40, TCP_READ_BYTES = 32, TCP_FIN = 1, TCP_SYN = 2, TCP_ACK = 16 };

/* A buffer is not remembered for longer, nor are its bytes: sequence numbers come again. */
#define BUFFER_AGE_NS  60000000000ULL
#define CONTENT_AGE_NS 1000000000ULL

struct header {
    __u32 seq, ack;
    __u32 ip_bytes; /* as the IP header says; 0 if it does not yet, or cannot (BIG TCP) */
    __u32 headers_bytes;
    __u16 source, destination; /* ports */
    __u8 flags;
    __u32 print; /* of what no device, NAT or queue changes: sequence, acknowledgement, IP ID, timestamp option */
};

struct packet {
    __u64 id;
    __u64 seen_ns;
    __u64 arrived_ns; /* last seen on its way up to the application */
    __u64 woken_ns;   /* the wake-up that was given as its own */
    __u32 print;
    __u32 stages; /* it has passed, as bits */
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 65536);
    __type(key, __u64);
    __type(value, struct packet);
} by_buffer SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 65536);
    __type(key, __u64);
    __type(value, struct packet);
} by_content SEC(".maps");

__u64 packets = 0;

static __always_inline __u32
word(const __u8 *bytes)
{
    return (__u32)bytes[0] << 24 | (__u32)bytes[1] << 16 | (__u32)bytes[2] << 8 | bytes[3];
}

/* False for what is not TCP, for fragments and behind extension headers. */
static __always_inline bool
read_header(const unsigned char *ip_header, struct header *header)
{
    __u8 ip[IP6_BYTES] = { 0 }, tcp[TCP_READ_BYTES] = { 0 };
    __u32 ip_header_bytes, id = 0;
    if (bpf_probe_read_kernel(ip, sizeof(ip), ip_header))
        return false;
    if (ip[0] >> 4 == 4) {
        if (ip[9] != IPPROTO_TCP || (ip[6] & 0x1f) || ip[7])
            return false;
        ip_header_bytes = (ip[0] & 15) * 4;
        header->ip_bytes = ip[2] << 8 | ip[3];
        id = ip[4] << 8 | ip[5];
    } else if (ip[0] >> 4 == 6) {
        if (ip[6] != IPPROTO_TCP)
            return false;
        ip_header_bytes = IP6_BYTES;
        header->ip_bytes = ip[4] << 8 | ip[5];
        if (header->ip_bytes)
            header->ip_bytes += IP6_BYTES;
    } else {
        return false;
    }
    if (bpf_probe_read_kernel(tcp, sizeof(tcp), ip_header + ip_header_bytes))
        return false;
    header->source = tcp[0] << 8 | tcp[1];
    header->destination = tcp[2] << 8 | tcp[3];
    header->seq = word(tcp + 4);
    header->ack = word(tcp + 8);
    header->flags = tcp[13];
    header->headers_bytes = ip_header_bytes + (tcp[12] >> 4) * 4;
    header->print = header->seq * 2654435761U ^ header->ack ^ id << 16;
    /* Linux' own layout, NOP NOP TIMESTAMP: a retransmission is told from the packet that it repeats. */
    if (tcp[12] >> 4 >= 8 && tcp[20] == 1 && tcp[22] == 8)
        header->print ^= word(tcp + 24) * 40503U;
    return true;
}

/* The packet in this buffer, which is at `stage`. Packets begin at tx:ip: what comes there again, be it from the same
 * buffer, is a retransmission. *fresh: never seen before. NULL only if memory lacks. */
static __always_inline struct packet *
identify(__u64 buffer, const struct header *header, __u32 payload_bytes, __u64 now_ns, enum stage stage, bool *fresh)
{
    struct packet *known = bpf_map_lookup_elem(&by_buffer, &buffer), packet = { 0 };
    const __u32 here = 1U << stage, begins = here & 1U << STAGE_TX_IP;
    *fresh = false;
    if (known && known->print == header->print && !(known->stages & begins) &&
        now_ns - known->seen_ns < BUFFER_AGE_NS) {
        known->seen_ns = now_ns;
        known->stages |= here;
        return known;
    }
    __u64 key = (__u64)header->print << 32 | (__u32)(header->source << 16 | header->destination);
    key ^= (__u64)payload_bytes << 20 ^ (__u64)header->flags << 56;
    /* Two acknowledgements may have the same bytes; but a copy has not been where its original came from. */
    const struct packet *same = begins ? NULL : bpf_map_lookup_elem(&by_content, &key);
    if (same && !(same->stages & here) && now_ns - same->seen_ns < CONTENT_AGE_NS) {
        packet = *same;
    } else {
        packet.id = __sync_fetch_and_add(&packets, 1) + 1;
        *fresh = true;
    }
    packet.print = header->print;
    packet.stages |= here;
    packet.seen_ns = now_ns;
    bpf_map_update_elem(&by_content, &key, &packet, BPF_ANY);
    bpf_map_update_elem(&by_buffer, &buffer, &packet, BPF_ANY);
    return bpf_map_lookup_elem(&by_buffer, &buffer);
}

#endif
