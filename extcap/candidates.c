/* candidates.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "candidates.h"

/* enum nf_inet_hooks */
enum { PRE_ROUTING = 0, LOCAL_IN = 1, LOCAL_OUT = 3, POST_ROUTING = 4 };

#define TRACEPOINT(point, name, program)                                                                               \
    {                                                                                                                  \
        POINT_##point, "tracepoint " name, { program }, NOT_NETFILTER                                                  \
    }
#define PACKET_TRACEPOINT(point, name, program)                                                                        \
    TRACEPOINT(point, name, program), TRACEPOINT(point, name, program "_by_perf")
#define NETFILTER(point, program)                                                                                      \
    {                                                                                                                  \
        POINT_##point, "netfilter " #point, { program }, point                                                         \
    }
#define FUNCTIONS(point, event, first, second)                                                                         \
    {                                                                                                                  \
        POINT_##point, event, { first, second }, NOT_NETFILTER                                                         \
    }

const struct candidate candidates[] = {
    PACKET_TRACEPOINT(GRO, "net:napi_gro_receive_entry", "rx_gro"),
    PACKET_TRACEPOINT(RECEIVE, "net:netif_receive_skb", "rx_driver"),
    NETFILTER(PRE_ROUTING, "netfilter_pre_routing"),
    FUNCTIONS(PRE_ROUTING, "entry of ip_rcv, ipv6_rcv", "ip_rcv_entry", "ipv6_rcv_entry"),
    NETFILTER(LOCAL_IN, "netfilter_local_in"),
    FUNCTIONS(LOCAL_IN, "entry of tcp_v4_rcv, tcp_v6_rcv", "tcp_v4_rcv_entry", "tcp_v6_rcv_entry"),
    PACKET_TRACEPOINT(PROBE, "tcp:tcp_probe", "rx_tcp"),
    TRACEPOINT(READY, "sock:sk_data_ready", "sk_data_ready"),
    FUNCTIONS(READY, "end of tcp_rcv_established", "tcp_rcv_established_exit", NULL),
    PACKET_TRACEPOINT(COPY, "skb:skb_copy_datagram_iovec", "app_copy"),
    TRACEPOINT(ENTER, "raw_syscalls:sys_enter", "sys_enter"),
    TRACEPOINT(ENTER, "raw_syscalls:sys_enter", "sys_enter_by_copies"),
    TRACEPOINT(EXIT, "raw_syscalls:sys_exit", "sys_exit"),
    TRACEPOINT(TAKE, "tcp:tcp_sendmsg_locked", "tcp_sendmsg_locked"),
    FUNCTIONS(TAKE, "entry of __tcp_transmit_skb", "tcp_transmit_skb_entry", NULL),
    NETFILTER(LOCAL_OUT, "netfilter_local_out"),
    FUNCTIONS(LOCAL_OUT, "entry of ip_output, ip6_output", "ip_output_entry", "ip6_output_entry"),
    NETFILTER(POST_ROUTING, "netfilter_post_routing"),
    PACKET_TRACEPOINT(QUEUE, "net:net_dev_queue", "tx_queue"),
    PACKET_TRACEPOINT(XMIT, "net:net_dev_start_xmit", "tx_driver"),
    TRACEPOINT(STATE, "sock:inet_sock_set_state", "inet_sock_set_state"),
};
const size_t candidate_count = sizeof(candidates) / sizeof(*candidates);

#define AND(point) | 1U << POINT_##point

/* The calls of a sent packet are told with its first sight, at tx:driver at the latest; those of a received one when
 * it is copied. */
static const struct {
    enum point point;
    uint32_t others;
} stages[STAGE_COUNT] = {
    [STAGE_APP_SEND] = { POINT_ENTER, 0 AND(XMIT) AND(EXIT) },
    [STAGE_TX_TCP] = { POINT_TAKE, 0 AND(ENTER) AND(EXIT) AND(XMIT) },
    [STAGE_TX_IP] = { POINT_LOCAL_OUT, 0 },
    [STAGE_TX_POST] = { POINT_POST_ROUTING, 0 },
    [STAGE_TX_QUEUE] = { POINT_QUEUE, 0 },
    [STAGE_TX_DRIVER] = { POINT_XMIT, 0 },
    [STAGE_RX_GRO] = { POINT_GRO, 0 },
    [STAGE_RX_DRIVER] = { POINT_RECEIVE, 0 },
    [STAGE_RX_IP] = { POINT_PRE_ROUTING, 0 },
    [STAGE_RX_LOCAL] = { POINT_LOCAL_IN, 0 },
    [STAGE_RX_TCP] = { POINT_PROBE, 0 },
    [STAGE_RX_READY] = { POINT_READY, 0 AND(PROBE) },
    [STAGE_APP_EPOLL] = { POINT_EXIT, 0 AND(ENTER) AND(COPY) },
    [STAGE_APP_RECV] = { POINT_ENTER, 0 AND(EXIT) AND(COPY) },
    [STAGE_APP_COPY] = { POINT_COPY, 0 },
    [STAGE_APP_RECV_RET] = { POINT_EXIT, 0 AND(ENTER) AND(COPY) },
};

uint32_t
points_of(enum stage stage)
{
    return stages[stage].others | 1U << stages[stage].point;
}

enum point
point_of(enum stage stage)
{
    return stages[stage].point;
}
