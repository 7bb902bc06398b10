/* summary.bpf.h
 * --summary: the way of requests through one server's host, added up where it is seen. No packet goes to user space.
 *
 * By turns: what arrives at the server's socket until it sends is a request, its last packet counts; what it sends then
 * is the response, its first packet counts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SUMMARY_BPF_H
#define SUMMARY_BPF_H

#include "summary.h"

const volatile __u64 summary_interval_ns = 1000000000;
const volatile __u64 summary_offset_ns = 0; /* from the monotonic clock to the time of day */

/* A packet on its way up, by its buffer; direct-mapped. */
enum { ARRIVALS = 8192 };
struct arrival {
    __u64 buffer;
    __u64 driver_ns, ip_ns;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, ARRIVALS);
    __type(key, __u32);
    __type(value, struct arrival);
} arrivals SEC(".maps");

/* A server's socket: the request that it is at. Times are 0 where they are not known. */
struct stay {
    __u64 begun_ns;               /* the request's first packet; 0 between requests */
    __u64 arrived_ns;             /* its last packet, like all that follows */
    __u64 ends_ns[SUMMARY_PARTS]; /* of each part */
    __u64 sent_ns;                /* the server's send that has not become a packet yet */
};

enum { STAY_BITS = 14 };

struct stay_set {
    struct places places; /* by the socket's key_of() */
    struct stay stays[WAYS];
};

TABLE(stays, STAY_BITS, struct stay_set);

/* A thread that reads from servers' sockets. */
struct reader {
    __u64 woken_ns, recv_ns, sk;
};

struct reader_set {
    struct places places; /* by tid */
    struct reader readers[WAYS];
};

TABLE(readers, CALL_BITS, struct reader_set);

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, SUMMARY_INTERVALS);
    __type(key, __u32);
    __type(value, struct summary_interval);
} intervals SEC(".maps");

static const volatile struct summary_interval no_interval;

static __always_inline struct stay *
known_stay(const struct sock *sk)
{
    const __u64 key = key_of(sk);
    struct stay_set *set = set_of(&stays, STAY_BITS, key);
    const __u32 at = set ? place_with(&set->places, key) : WAYS;
    return set && at < WAYS ? &set->stays[at] : NULL;
}

static __always_inline struct stay *
stay_of(const struct sock *sk, __u64 now_ns)
{
    const __u64 key = key_of(sk);
    struct stay_set *set = set_of(&stays, STAY_BITS, key);
    return set ? ENTRY_OF(set, stays, key, now_ns) : NULL;
}

/* The reader, or with a time a new one; its tid is not 0. */
static __always_inline struct reader *
reader_of(__u32 tid, __u64 new_ns)
{
    struct reader_set *set = set_of(&readers, CALL_BITS, tid);
    if (!set)
        return NULL;
    if (new_ns)
        return ENTRY_OF(set, readers, tid, new_ns);
    const __u32 at = place_with(&set->places, tid);
    return at < WAYS ? &set->readers[at] : NULL;
}

static __always_inline struct summary_interval *
interval_at(__u64 time_ns)
{
    const __u64 number = (time_ns + summary_offset_ns) / summary_interval_ns;
    const __u32 place = number % SUMMARY_INTERVALS;
    struct summary_interval *interval = bpf_map_lookup_elem(&intervals, &place);
    if (interval && interval->number != number) {
        bpf_probe_read_kernel(interval, sizeof(*interval), (const void *)&no_interval);
        interval->number = number;
    }
    return interval;
}

static __always_inline struct arrival *
arrival_of(__u64 buffer)
{
    const __u32 number = buffer * 0x9e3779b97f4a7c15ULL >> 51;
    return bpf_map_lookup_elem(&arrivals, &number);
}

/* Whether the packet that arrives is for the server's port; `ip_at` is where it stands in its buffer. */
static __always_inline bool
is_for_server(const struct sk_buff *skb, __u32 ip_at)
{
    const unsigned char *ip = skb->head + ip_at;
    const __u32 first = bpf_ntohl(WORD_AT(ip));
    const bool six = first >> 28 == 6;
    const __u32 tcp_at = (six ? IP6_WORDS : first >> 24 & 15) * 4;
    return BYTE_AT(ip + (six ? 6 : 9)) == IPPROTO_TCP && (bpf_ntohl(WORD_AT(ip + tcp_at)) & 0xffff) == wanted_port;
}

/* Whether it is more than an acknowledgement. */
static __always_inline bool
has_payload(const struct sk_buff *skb)
{
    const __u32 tcp_at = skb->transport_header, data_at = skb->data - skb->head;
    return skb->len + data_at > tcp_at + (BYTE_AT(skb->head + tcp_at + 12) >> 4) * 4;
}

SEC("?tp_btf/netif_receive_skb")
int
BPF_PROG(summary_driver, struct sk_buff *skb)
{
    const __u64 buffer = buffer_of(skb);
    struct arrival *arrival;
    if (!is_for_server(skb, skb->data - skb->head) || !(arrival = arrival_of(buffer)))
        return 0;
    arrival->buffer = buffer;
    arrival->driver_ns = bpf_ktime_get_ns();
    arrival->ip_ns = 0;
    return 0;
}

SEC("?netfilter")
int
netfilter_summary_ip(struct netfilter_context *context)
{
    const __u64 buffer = buffer_of(context->skb);
    struct arrival *arrival = arrival_of(buffer);
    if (arrival && arrival->buffer == buffer && !arrival->ip_ns)
        arrival->ip_ns = bpf_ktime_get_ns();
    return NETFILTER_ACCEPT;
}

/* TCP takes the packet in, for an established connection. */
SEC("?tp_btf/tcp_probe")
int
BPF_PROG(summary_tcp, const struct sock *sock, const struct sk_buff *skb)
{
    if (sock->__sk_common.skc_num != wanted_port)
        return 0;
    const __u64 buffer = buffer_of(skb);
    struct arrival *arrival = arrival_of(buffer);
    if (!arrival || arrival->buffer != buffer)
        return 0;
    arrival->buffer = 0;
    if (!has_payload(skb))
        return 0;
    struct stay *stay = stay_of(sock, arrival->driver_ns);
    if (!stay)
        return 0;
    if (!stay->begun_ns || stay->sent_ns) {
        struct summary_interval *interval = interval_at(arrival->driver_ns);
        if (interval)
            interval->begun++;
        *stay = (struct stay){ 0 };
        stay->begun_ns = arrival->driver_ns;
    }
    stay->arrived_ns = arrival->driver_ns;
    stay->ends_ns[SUMMARY_RX] = arrival->ip_ns;
    stay->ends_ns[SUMMARY_TCPIP_RX] = 0;
    return 0;
}

SEC("?tp_btf/sk_data_ready")
int
BPF_PROG(summary_ready, const struct sock *sock)
{
    if (sock->__sk_common.skc_num != wanted_port)
        return 0;
    struct stay *stay = known_stay(sock);
    if (stay && !stay->ends_ns[SUMMARY_TCPIP_RX])
        stay->ends_ns[SUMMARY_TCPIP_RX] = bpf_ktime_get_ns();
    return 0;
}

/* The server's call to send: the request has been read. */
static __always_inline void
summary_send(struct stay *stay)
{
    if (stay->sent_ns || !stay->begun_ns)
        return;
    stay->sent_ns = stay->ends_ns[SUMMARY_APPLICATION] = bpf_ktime_get_ns();
}

SEC("?tp_btf/sys_enter")
int
BPF_PROG(summary_enter, struct pt_regs *registers, long number)
{
    const enum call_kind kind = kind_of(number);
    if (kind != CALL_RECV && kind != CALL_SEND)
        return 0;
    const struct sock *sock = socket_of((__u32)SYSCALL_FIRST(registers));
    if (!sock || sock->__sk_common.skc_num != wanted_port)
        return 0;
    if (kind == CALL_SEND) {
        struct stay *stay = known_stay(sock);
        if (stay)
            summary_send(stay);
        return 0;
    }
    const __u64 now_ns = bpf_ktime_get_ns();
    struct reader *reader = reader_of(current_tid(BY_TYPES), now_ns);
    if (!reader)
        return 0;
    reader->sk = (__u64)sock;
    reader->recv_ns = now_ns;
    return 0;
}

SEC("?tp_btf/sys_exit")
int
BPF_PROG(summary_exit, struct pt_regs *registers, long result)
{
    const enum call_kind kind = kind_of(SYSCALL_NUMBER(registers));
    if ((kind != CALL_WAIT && kind != CALL_RECV) || result <= 0)
        return 0;
    struct reader *reader = reader_of(current_tid(BY_TYPES), 0);
    if (!reader)
        return 0;
    if (kind == CALL_WAIT) {
        reader->woken_ns = bpf_ktime_get_ns();
        return 0;
    }
    struct stay *stay = reader->sk ? known_stay((const struct sock *)reader->sk) : NULL;
    reader->sk = 0;
    if (!stay || stay->sent_ns)
        return 0;
    stay->ends_ns[SUMMARY_EPOLL] = reader->woken_ns;
    stay->ends_ns[SUMMARY_WAIT] = reader->recv_ns;
    stay->ends_ns[SUMMARY_READ] = bpf_ktime_get_ns();
    return 0;
}

/* The rule of stay_parts() in plugin/core/points/stage_times.c: no part ends before the one before it, nor after all.
 */
static __always_inline void
add_stay(struct summary_interval *interval, const struct stay *stay, __u64 end_ns)
{
    __u64 reached_ns = stay->arrived_ns;
    for (__u32 part = 0; part < SUMMARY_PARTS; part++) {
        __u64 part_end_ns = part == SUMMARY_TX ? end_ns : stay->ends_ns[part];
        if (part_end_ns > end_ns)
            part_end_ns = end_ns;
        if (part_end_ns <= reached_ns)
            continue;
        interval->parts_ns[part] += part_end_ns - reached_ns;
        reached_ns = part_end_ns;
    }
    __u32 bucket = summary_bucket(end_ns - stay->arrived_ns);
    asm volatile("" : "+r"(bucket)); /* for the verifier, which does not know that it is one */
    interval->total_ns += end_ns - stay->arrived_ns;
    interval->whole++;
    if (bucket < SUMMARY_BUCKETS)
        interval->totals[bucket]++;
}

/* The response's first packet leaves. */
SEC("?tp_btf/net_dev_start_xmit")
int
BPF_PROG(summary_xmit, const struct sk_buff *skb)
{
    const struct sock *sock = skb->sk;
    if (!sock || sock->__sk_common.skc_num != wanted_port)
        return 0;
    struct stay *stay = known_stay(sock);
    if (!stay || !stay->sent_ns || !has_payload(skb))
        return 0;
    const __u64 now_ns = bpf_ktime_get_ns();
    struct summary_interval *interval = interval_at(stay->begun_ns);
    if (interval && stay->arrived_ns < now_ns)
        add_stay(interval, stay, now_ns);
    stay->begun_ns = stay->sent_ns = 0;
    return 0;
}

/* A socket's memory is used again. */
SEC("?tp_btf/inet_sock_set_state")
int
BPF_PROG(summary_state, const struct sock *sock, int old_state, int new_state)
{
    if (new_state != TCP_CLOSE || sock->__sk_common.skc_num != wanted_port)
        return 0;
    struct stay *stay = known_stay(sock);
    if (stay)
        *stay = (struct stay){ 0 };
    return 0;
}

#endif
