/* kernel-stages.bpf.c
 * Sees packets pass the stages of the kernel, and the calls of the processes that they are for.
 *
 * Every program is optional: user space loads those that the kernel, and the caller's privileges, let it (probes.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel-stages.h"
#include "events.bpf.h"
#include "identity.bpf.h"
#include "calls.bpf.h"
#include "call-stages.bpf.h"

char LICENSE[] SEC("license") = "GPL";

enum { ARPHRD_ETHER = 1, ARPHRD_LOOPBACK = 772, UNSET = 0xffff };

/* Where a stage finds the packet in its buffer, and how its bytes are had. */
enum place { IN_NETWORK, AT_SENDING_DEVICE, AT_RECEIVING_DEVICE };

/* Since 6.4 for netfilter, since 6.12 for tracepoints. */
extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags, struct bpf_dynptr *dynptr) __ksym __weak;

/* <linux/netfilter.h> of 6.4 */
struct netfilter_context {
    const void *state;
    struct sk_buff *skb;
};
enum { NETFILTER_ACCEPT = 1 };

/* The calls that made this packet, if this is the first sight of bytes never sent before. */
static __always_inline void
add_send(struct event *event, __u64 sk, const struct header *header, __u32 payload_bytes)
{
    struct connection *connection = bpf_map_lookup_elem(&connections, &sk);
    if (!connection)
        return;
    event->earlier_ns[1] = connection->transmit_ns;
    connection->transmit_ns = 0;
    if (!payload_bytes || (connection->has_sent && (__s32)(header->seq - connection->sent_to) < 0))
        return;
    connection->sent_to = header->seq + payload_bytes;
    connection->has_sent = true;
    struct send *send = send_of(connection, header->seq);
    if (!send)
        return;
    event->earlier_ns[0] = send->time_ns;
    event->caller = send->process;
    if (!event->earlier_ns[1])
        event->earlier_ns[1] = send->tcp_ns;
}

/* Who sends: the thread that is in a call on this very socket, or who connects it. A softirq sends in anyone's name. */
static __always_inline void
add_sender(struct process *process, __u64 sk, __u8 flags)
{
    __u32 tid = current_tid();
    const struct thread *thread = bpf_map_lookup_elem(&threads, &tid);
    if (thread && thread->sk == sk) {
        *process = thread->process;
    } else if ((flags & (TCP_SYN | TCP_ACK)) == TCP_SYN) {
        const struct connection *connection = bpf_map_lookup_elem(&connections, &sk);
        if (connection)
            *process = connection->owner;
    }
}

/* The calls in which the application takes this packet. It may have made them long before there was a packet: at it
 * they are when it arrived. */
static __always_inline void
add_read(struct event *event, struct packet *packet)
{
    __u32 tid = current_tid();
    struct thread *thread = bpf_map_lookup_elem(&threads, &tid);
    current_process(&event->process);
    event->caller = event->process;
    if (!thread || !thread->sk)
        return;
    if (thread->woken_ns && packet->woken_ns != thread->woken_ns) {
        event->earlier_ns[0] = thread->woken_ns > packet->arrived_ns ? thread->woken_ns : packet->arrived_ns;
        packet->woken_ns = thread->woken_ns;
    }
    event->earlier_ns[1] = thread->recv_ns > packet->arrived_ns ? thread->recv_ns : packet->arrived_ns;
    thread->packets[thread->copied++ % READS] = event->packet;
}

/* `event` as far as its data; it is the caller's memory. False: not of interest. *start: the first byte in the buffer.
 */
static __always_inline bool
describe(struct event *event, struct sk_buff *skb, enum stage stage, enum place place, struct sock *sock, __u32 *start)
{
    const __u32 data_at = skb->data - skb->head;
    const __u32 ip_at = place == AT_RECEIVING_DEVICE ? data_at : skb->network_header;
    const __u32 mac_at = skb->mac_header;
    const __u64 sk = (__u64)(sock ? sock : skb->sk);
    struct header header;
    bool fresh;

    if (!read_header(skb->head + ip_at, &header))
        return false;
    if (wanted_port && header.source != wanted_port && header.destination != wanted_port)
        return false;
    if (!header.ip_bytes)
        header.ip_bytes = skb->len + data_at - ip_at;
    const __u32 payload_bytes = header.ip_bytes - header.headers_bytes;
    event->time_ns = bpf_ktime_get_ns();
    struct packet *packet = identify((__u64)skb->head, &header, payload_bytes, event->time_ns, stage, &fresh);
    if (!packet)
        return false;
    event->packet = packet->id;
    event->stage = stage;
    if (stage == STAGE_APP_COPY) {
        add_read(event, packet);
    } else if (stage >= STAGE_RX_GRO) {
        packet->arrived_ns = event->time_ns;
    } else if (sk) {
        add_sender(&event->process, sk, header.flags);
        if (fresh)
            add_send(event, sk, &header, payload_bytes);
    }
    if (stage == STAGE_RX_TCP && payload_bytes) {
        struct connection *connection = connection_of(sk);
        if (connection) {
            connection->probed = packet->id;
            connection->probed_buffer = (__u64)skb->head;
            connection->probed_to = header.seq + payload_bytes;
        }
    }
    *start = ip_at;
    if (place != IN_NETWORK && mac_at != UNSET && mac_at < ip_at && ip_at - mac_at <= 22 && skb->dev &&
        (skb->dev->type == ARPHRD_ETHER || skb->dev->type == ARPHRD_LOOPBACK))
        *start = mac_at;
    event->link_bytes = ip_at - *start;
    event->wire_bytes = header.ip_bytes + event->link_bytes;
    return is_wanted(stage) || event->earlier_ns[0] || event->earlier_ns[1];
}

/* Bytes from `start` to the buffer's `data` come from the buffer, the others from the packet, which may be paged. */
static __always_inline void
split(const struct sk_buff *skb, __u32 start, __u32 wire_bytes, __u32 *before, __u32 *offset, __u32 *after)
{
    const __u32 data_at = skb->data - skb->head;
    const __u32 bytes = wire_bytes < wanted_bytes ? wire_bytes : wanted_bytes;
    *before = data_at > start ? data_at - start : 0;
    *before = *before < bytes ? *before : bytes;
    *offset = start > data_at ? start - data_at : 0;
    *after = bytes - *before;
    if (*offset >= skb->len)
        *after = 0;
    else if (*after > skb->len - *offset)
        *after = skb->len - *offset;
}

/* Through perf, which alone can copy paged payload on older kernels. */
static __always_inline void
see_by_perf(struct sk_buff *skb, enum stage stage, enum place place, struct sock *sock)
{
    struct head_event head = { 0 };
    __u32 start, before, offset, after;
    if (!describe(&head.event, skb, stage, place, sock, &start))
        return;
    split(skb, start, head.event.wire_bytes, &before, &offset, &after);
    /* What bpf_skb_output() adds begins at the buffer's `data`, and must follow. */
    if (before >= HEAD_BYTES || offset)
        after = 0;
    if (before >= HEAD_BYTES)
        before = HEAD_BYTES - 1;
    asm volatile("" : "+r"(before)); /* for the verifier, as below */
    before &= HEAD_BYTES - 1;
    if (before && !bpf_probe_read_kernel(head.data, before, skb->head + start))
        head.event.data_bytes = before;
    head.event.more_bytes = after;
    if (bpf_skb_output(skb, &perf_events, BPF_F_CURRENT_CPU | (__u64)after << 32, &head, sizeof(head)))
        lose(stage);
}

static __always_inline void
see(struct sk_buff *skb, enum stage stage, enum place place, struct sock *sock)
{
    struct event event = { 0 };
    struct bpf_dynptr bytes;
    __u32 start, before, offset, after;
    if (!describe(&event, skb, stage, place, sock, &start))
        return;
    struct packet_event *seen = bpf_ringbuf_reserve(&events, sizeof(*seen), 0);
    if (!seen) {
        lose(stage);
        return;
    }
    split(skb, start, event.wire_bytes, &before, &offset, &after);
    /* For the verifier, which follows masks, but not sums. */
    asm volatile("" : "+r"(before));
    before &= HEADERS_BYTES - 1;
    if (before && !bpf_probe_read_kernel(seen->data, before, skb->head + start))
        event.data_bytes = before;
    asm volatile("" : "+r"(after));
    after &= 2 * PACKET_BYTES - 1;
    if (after > PACKET_BYTES)
        after = PACKET_BYTES;
    if (after && event.data_bytes == before && !bpf_dynptr_from_skb((struct __sk_buff *)skb, 0, &bytes) &&
        !bpf_dynptr_read(seen->data + before, after, &bytes, offset, 0))
        event.data_bytes += after;
    seen->event = event;
    bpf_ringbuf_submit(seen, BPF_RB_NO_WAKEUP);
}

/* A stage as two programs: the first for kernels that can copy a packet in a tracepoint. */
#define PACKET_STAGE(name, section, stage, place, skb, sock, ...)                                                      \
    SEC("?" section)                                                                                                   \
    int BPF_PROG(name, __VA_ARGS__)                                                                                    \
    {                                                                                                                  \
        see((struct sk_buff *)skb, stage, place, sock);                                                                \
        return 0;                                                                                                      \
    }                                                                                                                  \
    SEC("?" section)                                                                                                   \
    int BPF_PROG(name##_by_perf, __VA_ARGS__)                                                                          \
    {                                                                                                                  \
        see_by_perf((struct sk_buff *)skb, stage, place, sock);                                                        \
        return 0;                                                                                                      \
    }

PACKET_STAGE(rx_gro, "tp_btf/napi_gro_receive_entry", STAGE_RX_GRO, AT_RECEIVING_DEVICE, skb, NULL, struct sk_buff *skb)
PACKET_STAGE(rx_driver, "tp_btf/netif_receive_skb", STAGE_RX_DRIVER, AT_RECEIVING_DEVICE, skb, NULL,
             struct sk_buff *skb)
PACKET_STAGE(rx_tcp, "tp_btf/tcp_probe", STAGE_RX_TCP, IN_NETWORK, skb, sk, struct sock *sk, struct sk_buff *skb)
PACKET_STAGE(app_copy, "tp_btf/skb_copy_datagram_iovec", STAGE_APP_COPY, IN_NETWORK, skb, NULL, struct sk_buff *skb)
PACKET_STAGE(tx_queue, "tp_btf/net_dev_queue", STAGE_TX_QUEUE, AT_SENDING_DEVICE, skb, NULL, struct sk_buff *skb)
PACKET_STAGE(tx_driver, "tp_btf/net_dev_start_xmit", STAGE_TX_DRIVER, AT_SENDING_DEVICE, skb, NULL, struct sk_buff *skb)

/* Netfilter's programs have a section of their own since libbpf 1.2; probes.c says what they are to older ones. */
#define NETFILTER_STAGE(name, stage)                                                                                   \
    SEC("?netfilter")                                                                                                  \
    int name(struct netfilter_context *context)                                                                        \
    {                                                                                                                  \
        see(context->skb, stage, IN_NETWORK, NULL);                                                                    \
        return NETFILTER_ACCEPT;                                                                                       \
    }

NETFILTER_STAGE(netfilter_pre_routing, STAGE_RX_IP)
NETFILTER_STAGE(netfilter_local_in, STAGE_RX_LOCAL)
NETFILTER_STAGE(netfilter_local_out, STAGE_TX_IP)
NETFILTER_STAGE(netfilter_post_routing, STAGE_TX_POST)

/* Kernels before 6.4 have no such programs. */
#define FUNCTION_STAGE(function, stage)                                                                                \
    SEC("?fentry/" #function)                                                                                          \
    int BPF_PROG(function##_entry, struct sk_buff *skb)                                                                \
    {                                                                                                                  \
        see_by_perf(skb, stage, IN_NETWORK, NULL);                                                                     \
        return 0;                                                                                                      \
    }

FUNCTION_STAGE(ip_rcv, STAGE_RX_IP)
FUNCTION_STAGE(ipv6_rcv, STAGE_RX_IP)
FUNCTION_STAGE(tcp_v4_rcv, STAGE_RX_LOCAL)
FUNCTION_STAGE(tcp_v6_rcv, STAGE_RX_LOCAL)

/* Once netfilter has let it pass: earlier the IP header has no length yet. What is forwarded has no socket. */
#define OUTPUT(function)                                                                                               \
    SEC("?fentry/" #function)                                                                                          \
    int BPF_PROG(function##_entry, struct net *net, struct sock *sk, struct sk_buff *skb)                              \
    {                                                                                                                  \
        if (sk)                                                                                                        \
            see_by_perf(skb, STAGE_TX_IP, IN_NETWORK, sk);                                                             \
        return 0;                                                                                                      \
    }

OUTPUT(ip_output)
OUTPUT(ip6_output)
