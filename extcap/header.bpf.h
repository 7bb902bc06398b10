/* header.bpf.h
 * What a packet's headers say, and whether it is of interest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HEADER_BPF_H
#define HEADER_BPF_H

enum { IP4_WORDS = 5, IP6_WORDS = 10, TCP_WORDS = 8, TCP_FIN = 1, TCP_SYN = 2, TCP_ACK = 16 };

const volatile __u16 wanted_port = 0;    /* 0: every one */
volatile __u32 wanted_connections = ~0U; /* those whose hash is not above it */

struct header {
    __u32 seq, ack;
    __u32 ip_bytes; /* as the IP header says; 0 if it does not yet, or cannot (BIG TCP) */
    __u32 headers_bytes;
    __u16 source, destination; /* ports */
    __u8 flags;
    __u32 print; /* of what no device, NAT or queue changes: sequence, acknowledgement, IP ID, timestamp option */
    __u64 connection;
};

static __always_inline bool
is_wanted_port(__u16 a, __u16 b)
{
    return !wanted_port || a == wanted_port || b == wanted_port;
}

/* The upper half chooses: the same connections on every host that records. */
static __always_inline bool
is_sampled(__u64 connection)
{
    return (__u32)(connection >> 32) <= wanted_connections;
}

static __always_inline __u64
hash_end(const __u32 *address, __u32 words, __u16 port)
{
    __u64 hash = (__u64)address[0] << 16 | port;
    if (words == 4)
        hash ^= ((__u64)address[1] << 32 ^ (__u64)address[2] << 16 ^ address[3]) * 0x9e3779b97f4a7c15ULL;
    hash *= 0xff51afd7ed558ccdULL;
    return hash ^ hash >> 32;
}

/* The same for both directions. */
static __always_inline __u64
hash_ends(__u64 a, __u64 b)
{
    __u64 hash = (a + b) * 0xc4ceb9fe1a85ec53ULL;
    return hash ^ hash >> 29 ^ hash << 32;
}

/* The connection that a packet is of. */
static __always_inline __u64
hash_packet(const unsigned char *ip_header, const __u32 *words, bool six, const struct header *header,
            enum reading reading)
{
    __u32 ends[8];
    if (!six) {
        for (__u32 i = 0; i < 2; i++)
            ends[i] = reading == BY_TYPES ? WORD_AT(ip_header + (3 + i) * 4) : words[3 + i];
        return hash_ends(hash_end(ends, 1, header->source), hash_end(ends + 1, 1, header->destination));
    }
    for (__u32 i = 0; i < 8; i++)
        ends[i] = reading == BY_TYPES ? WORD_AT(ip_header + (2 + i) * 4) : words[2 + i];
    return hash_ends(hash_end(ends, 4, header->source), hash_end(ends + 4, 4, header->destination));
}

/* A word of the headers, and of the TCP header among them. */
#define IP_WORD(number)  bpf_ntohl(reading == BY_TYPES ? WORD_AT(ip_header + (number)*4) : words[number])
#define TCP_WORD(number) bpf_ntohl(reading == BY_TYPES ? WORD_AT(ip_header + (ip_words + (number)) * 4) : tcp[number])

/* False for what is not TCP, for fragments and behind extension headers, and for what is not of interest: which the
 * first words say. */
static __always_inline bool
read_header(const unsigned char *ip_header, struct header *header, enum reading reading)
{
    __u32 words[IP6_WORDS + TCP_WORDS], ip_words = IP6_WORDS, id = 0;
    const __u32 *tcp = words + IP6_WORDS;
    if (reading == BY_COPIES && bpf_probe_read_kernel(words, sizeof(words), ip_header))
        return false;
    const __u32 first = IP_WORD(0), second = IP_WORD(1);
    const bool six = first >> 28 == 6;
    if (six) {
        if ((second >> 8 & 0xff) != IPPROTO_TCP)
            return false;
        header->ip_bytes = second >> 16;
        if (header->ip_bytes)
            header->ip_bytes += IP6_WORDS * 4;
    } else {
        if (first >> 28 != 4 || (IP_WORD(2) >> 16 & 0xff) != IPPROTO_TCP || second & 0x1fff)
            return false;
        ip_words = first >> 24 & 15;
        header->ip_bytes = first & 0xffff;
        id = second >> 16;
        if (ip_words == IP4_WORDS)
            tcp = words + IP4_WORDS;
        else if (reading == BY_COPIES &&
                 bpf_probe_read_kernel(words + IP6_WORDS, TCP_WORDS * 4, ip_header + ip_words * 4))
            return false;
    }
    const __u32 ports = TCP_WORD(0);
    header->source = ports >> 16;
    header->destination = ports;
    if (!is_wanted_port(header->source, header->destination))
        return false;
    header->connection = hash_packet(ip_header, words, six, header, reading);
    if (!is_sampled(header->connection))
        return false;
    const __u32 fourth = TCP_WORD(3);
    header->seq = TCP_WORD(1);
    header->ack = TCP_WORD(2);
    header->flags = fourth >> 16;
    header->headers_bytes = ip_words * 4 + (fourth >> 28) * 4;
    header->print = header->seq * 2654435761U ^ header->ack ^ id << 16;
    /* Linux' own layout, NOP NOP TIMESTAMP: a retransmission is told from the packet that it repeats. */
    if (fourth >> 28 >= TCP_WORDS && (TCP_WORD(5) & 0xff00ff00) == 0x01000800)
        header->print ^= TCP_WORD(6) * 40503U;
    return true;
}

#endif
