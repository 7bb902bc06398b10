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
#include "tables.bpf.h"
#include "header.bpf.h"
#include "identity.bpf.h"
#include "calls.bpf.h"
#include "call-stages.bpf.h"

char LICENSE[] SEC("license") = "GPL";

enum { ARPHRD_ETHER = 1, UNSET = 0xffff };

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
add_send(struct known_event *event, __u64 sk, const struct header *header, __u32 payload_bytes)
{
    struct connection *connection = known_connection(sk);
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
add_sender(struct process *process, __u64 sk, __u8 flags, enum reading reading)
{
    __u32 tid = current_tid(reading);
    const struct thread *thread = known_thread(tid);
    if (thread && thread->sk == sk) {
        *process = thread->process;
    } else if ((flags & (TCP_SYN | TCP_ACK)) == TCP_SYN) {
        const struct connection *connection = known_connection(sk);
        if (connection)
            *process = connection->owner;
    }
}

/* The calls in which the application takes this packet. It may have made them long before there was a packet: at it
 * they are when it arrived. */
static __always_inline void
add_read(struct known_event *event, struct packet *packet, enum reading reading)
{
    __u32 tid = current_tid(reading);
    struct thread *thread = known_thread(tid);
    if (!thread || !thread->sk) {
        current_process(&event->process, reading);
        return;
    }
    event->process = event->caller = thread->process;
    if (thread->woken_ns && packet->woken_ns != thread->woken_ns) {
        event->earlier_ns[0] = thread->woken_ns > packet->arrived_ns ? thread->woken_ns : packet->arrived_ns;
        packet->woken_ns = thread->woken_ns;
    }
    event->earlier_ns[1] = thread->recv_ns > packet->arrived_ns ? thread->recv_ns : packet->arrived_ns;
    thread->packets[thread->copied++ % READS] = event->event.packet;
}

/* Whether user space does not have the packet's bytes yet, as they are here. */
static __always_inline bool
is_news(const struct packet *packet, __u32 told, __u64 now_ns)
{
    return packet->told != told || now_ns - packet->told_ns > TOLD_AGE_NS;
}

struct view {
    struct packet *packet;
    __u32 start; /* of the bytes in the buffer */
    __u32 told;  /* a hash of what may differ from stage to stage; 0 if user space has the bytes */
};

static __always_inline __u32
ip_of(const struct sk_buff *skb, enum place place)
{
    return place == AT_RECEIVING_DEVICE ? skb->data - skb->head : skb->network_header;
}

/* `known`, which is all zero, as far as its data; it is the caller's memory. False: not of interest. */
static __always_inline bool
describe(struct known_event *known, struct view *view, struct sk_buff *skb, struct header *header, enum stage stage,
         enum place place, struct sock *sock, enum reading reading)
{
    const __u32 data_at = skb->data - skb->head, ip_at = ip_of(skb, place);
    const __u32 mac_at = skb->mac_header;
    const __u64 sk = (__u64)(sock ? sock : skb->sk);
    struct event *event = &known->event;
    bool fresh;

    if (!header->ip_bytes)
        header->ip_bytes = skb->len + data_at - ip_at;
    const __u32 payload_bytes = header->ip_bytes - header->headers_bytes;
    event->time_ns = bpf_ktime_get_ns();
    struct packet *packet = identify(buffer_of(skb), header, payload_bytes, event->time_ns, stage, &fresh);
    if (!packet)
        return false;
    event->packet = packet->id;
    event->connection = header->connection;
    event->stage = stage;
    if (stage == STAGE_APP_COPY) {
        add_read(known, packet, reading);
    } else if (stage >= STAGE_RX_GRO) {
        packet->arrived_ns = event->time_ns;
    } else if (sk) {
        add_sender(&known->process, sk, header->flags, reading);
        if (fresh)
            add_send(known, sk, header, payload_bytes);
    }
    if (stage == STAGE_RX_TCP && payload_bytes) {
        struct connection *connection = connection_of(sk, event->time_ns);
        if (connection) {
            connection->probed = packet->id;
            connection->probed_buffer = buffer_of(skb);
            connection->probed_to = header->seq + payload_bytes;
        }
    }
    view->start = ip_at;
    /* Loopback's has no more in it than the one that user space makes up. */
    if (place != IN_NETWORK && mac_at != UNSET && mac_at < ip_at && ip_at - mac_at <= 22 && skb->dev &&
        skb->dev->type == ARPHRD_ETHER)
        view->start = mac_at;
    event->link_bytes = ip_at - view->start;
    event->wire_bytes = header->ip_bytes + event->link_bytes;
    /* What was told with a link header serves where there is none. */
    const __u32 told = ((__u32)header->connection ^ header->ip_bytes * 2654435761U) << 1 | 1;
    view->packet = packet;
    view->told = told ^ (event->link_bytes ? 1U << 31 : 0);
    if (!is_news(packet, view->told, event->time_ns) ||
        (!event->link_bytes && !is_news(packet, told ^ 1U << 31, event->time_ns)))
        view->told = 0;
    return is_wanted(stage) || known->earlier_ns[0] || known->earlier_ns[1];
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
    struct header header;
    if (!read_header(skb->head + ip_of(skb, place), &header, BY_COPIES))
        return;
    struct head_event head = { 0 };
    struct event *event = &head.known.event;
    struct view view;
    __u32 before, offset, after;
    if (!describe(&head.known, &view, skb, &header, stage, place, sock, BY_COPIES))
        return;
    split(skb, view.start, event->wire_bytes, &before, &offset, &after);
    /* What bpf_skb_output() adds begins at the buffer's `data`, and must follow. */
    if (before >= HEAD_BYTES || offset)
        after = 0;
    if (before >= HEAD_BYTES)
        before = HEAD_BYTES - 1;
    asm volatile("" : "+r"(before)); /* for the verifier, as below */
    before &= HEAD_BYTES - 1;
    if (before && !bpf_probe_read_kernel(head.data, before, skb->head + view.start))
        event->data_bytes = before;
    event->more_bytes = after;
    if (bpf_skb_output(skb, &perf_events, BPF_F_CURRENT_CPU | (__u64)after << 32, &head, sizeof(head)))
        lose(stage);
}

/* The bytes of a packet, to an event of a type that has room for them. */
#define SEE_BYTES(type, before_bytes, after_bytes)                                                                     \
    do {                                                                                                               \
        type *seen = bpf_ringbuf_reserve(&events, sizeof(*seen), 0);                                                   \
        if (!seen) {                                                                                                   \
            lose(stage);                                                                                               \
            return;                                                                                                    \
        }                                                                                                              \
        /* For the verifier, which follows masks, but not sums. */                                                     \
        asm volatile("" : "+r"(before));                                                                               \
        before &= (before_bytes)-1;                                                                                    \
        if (before && !bpf_probe_read_kernel(seen->data, before, skb->head + view.start))                              \
            known.event.data_bytes = before;                                                                           \
        asm volatile("" : "+r"(after));                                                                                \
        after &= 2 * (after_bytes)-1;                                                                                  \
        if (after > (after_bytes))                                                                                     \
            after = after_bytes;                                                                                       \
        if (after && known.event.data_bytes == before && !bpf_dynptr_from_skb((struct __sk_buff *)skb, 0, &bytes) &&   \
            !bpf_dynptr_read(seen->data + before, after, &bytes, offset, 0))                                           \
            known.event.data_bytes += after;                                                                           \
        seen->known = known;                                                                                           \
        bpf_ringbuf_submit(seen, BPF_RB_NO_WAKEUP);                                                                    \
    } while (0)

static __always_inline void
see(struct sk_buff *skb, enum stage stage, enum place place, struct sock *sock)
{
    struct header header;
    if (!read_header(skb->head + ip_of(skb, place), &header, BY_TYPES))
        return;
    struct known_event known = { 0 };
    struct bpf_dynptr bytes;
    struct view view;
    __u32 before, offset, after;
    if (!describe(&known, &view, skb, &header, stage, place, sock, BY_TYPES))
        return;
    if (view.told) {
        split(skb, view.start, known.event.wire_bytes, &before, &offset, &after);
        if (before < SMALL_BYTES && after < SMALL_BYTES)
            SEE_BYTES(struct small_event, SMALL_BYTES, SMALL_BYTES);
        else
            SEE_BYTES(struct packet_event, HEADERS_BYTES, PACKET_BYTES);
        if (known.event.data_bytes) {
            view.packet->told = view.told;
            view.packet->told_ns = known.event.time_ns;
        }
    } else if (known.process.pid || known.caller.pid || known.earlier_ns[1]) {
        struct known_event *seen = bpf_ringbuf_reserve(&events, sizeof(*seen), 0);
        if (!seen) {
            lose(stage);
            return;
        }
        *seen = known;
        bpf_ringbuf_submit(seen, BPF_RB_NO_WAKEUP);
    } else {
        struct event *seen = bpf_ringbuf_reserve(&events, sizeof(*seen), 0);
        if (!seen) {
            lose(stage);
            return;
        }
        *seen = known.event;
        bpf_ringbuf_submit(seen, BPF_RB_NO_WAKEUP);
    }
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

#include "summary.bpf.h"
