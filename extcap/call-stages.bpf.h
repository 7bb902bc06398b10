/* call-stages.bpf.h
 * The programs that see no packet, but calls, connections and threads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CALL_STAGES_BPF_H
#define CALL_STAGES_BPF_H

/* `tcp` where it is not certain that the packet in hand is ready. */
static __always_inline void
become_ready(__u64 sk, const struct tcp_sock *tcp)
{
    struct connection *connection = known_connection(sk);
    if (!connection || !connection->probed)
        return;
    const __u64 packet_id = connection->probed, buffer = connection->probed_buffer;
    connection->probed = 0;
    /* It is not as long as one before it is missing. */
    if (tcp && (__s32)(BPF_CORE_READ(tcp, rcv_nxt) - connection->probed_to) < 0)
        return;
    const __u64 now_ns = bpf_ktime_get_ns();
    if (is_wanted(STAGE_RX_READY))
        tell(STAGE_RX_READY, packet_id, now_ns);
    struct packet *packet = in_buffer(buffer);
    if (packet && packet->id == packet_id)
        packet->arrived_ns = now_ns;
}

SEC("?tp_btf/sk_data_ready")
int
BPF_PROG(sk_data_ready, const struct sock *sk)
{
    become_ready((__u64)sk, NULL);
    return 0;
}

SEC("?fexit/tcp_rcv_established")
int
BPF_PROG(tcp_rcv_established_exit, struct sock *sk)
{
    become_ready((__u64)sk, (const struct tcp_sock *)sk);
    return 0;
}

static __always_inline void
enter_call(__u64 sk, enum call_kind kind, enum reading reading)
{
    const __u64 now_ns = bpf_ktime_get_ns();
    struct thread *thread = thread_of(current_tid(reading), now_ns);
    if (!thread)
        return;
    thread->sk = sk;
    thread->copied = 0;
    current_process(&thread->process, reading);
    if (kind == CALL_RECV) {
        thread->recv_ns = now_ns;
        return;
    }
    struct connection *connection = connection_of(sk, now_ns);
    if (!connection)
        return;
    struct send *send = &connection->sends[connection->next_send++ % SENDS];
    send->seq = reading == BY_TYPES ? AS(struct tcp_sock, sk)->write_seq
                                    : BPF_CORE_READ((const struct tcp_sock *)sk, write_seq);
    send->tcp_ns = 0;
    send->process = thread->process;
    send->time_ns = now_ns;
}

#define SYS_ENTER(name, tcp_socket, reading)                                                                           \
    SEC("?tp_btf/sys_enter")                                                                                           \
    int BPF_PROG(name, struct pt_regs *registers, long number)                                                         \
    {                                                                                                                  \
        const enum call_kind kind = kind_of(number);                                                                   \
        if (kind != CALL_RECV && kind != CALL_SEND)                                                                    \
            return 0;                                                                                                  \
        const __u64 sk = tcp_socket((__u32)SYSCALL_FIRST(registers));                                                  \
        if (sk)                                                                                                        \
            enter_call(sk, kind, reading);                                                                             \
        return 0;                                                                                                      \
    }

SYS_ENTER(sys_enter, socket_by_types, BY_TYPES)
SYS_ENTER(sys_enter_by_copies, socket_by_copies, BY_COPIES)

SEC("?tp_btf/sys_exit")
int
BPF_PROG(sys_exit, struct pt_regs *registers, long result)
{
    const enum call_kind kind = kind_of(SYSCALL_NUMBER(registers));
    if (kind == CALL_OTHER || (kind == CALL_WAIT && result <= 0))
        return 0;
    __u32 tid = (__u32)bpf_get_current_pid_tgid();
    if (kind == CALL_WAIT) {
        const __u64 now_ns = bpf_ktime_get_ns();
        struct thread *thread = thread_of(tid, now_ns);
        if (thread)
            thread->woken_ns = now_ns;
        return 0;
    }
    struct thread *thread = known_thread(tid);
    if (!thread || !thread->sk)
        return 0;
    thread->sk = 0;
    if (!thread->copied || !is_wanted(STAGE_APP_RECV_RET))
        return 0;
    const __u64 now_ns = bpf_ktime_get_ns();
    for (__u32 i = 0; i < READS && i < thread->copied; i++)
        tell_of_process(STAGE_APP_RECV_RET, thread->packets[i], now_ns, &thread->process);
    thread->copied = 0;
    return 0;
}

/* Since 6.16, once for each part of a call that goes into a packet: the first is when TCP began. */
SEC("?tp_btf/tcp_sendmsg_locked")
int
BPF_PROG(tcp_sendmsg_locked, const struct sock *sock)
{
    __u64 sk = (__u64)sock;
    struct connection *connection = known_connection(sk);
    if (!connection || !connection->next_send)
        return 0;
    struct send *send = &connection->sends[(connection->next_send - 1) % SENDS];
    if (!send->tcp_ns)
        send->tcp_ns = bpf_ktime_get_ns();
    return 0;
}

SEC("?fentry/__tcp_transmit_skb")
int
BPF_PROG(tcp_transmit_skb_entry, struct sock *sk)
{
    const __u64 now_ns = bpf_ktime_get_ns();
    struct connection *connection = connection_of((__u64)sk, now_ns);
    if (connection)
        connection->transmit_ns = now_ns;
    return 0;
}

/* A socket's memory is used again: what is remembered of it ends with its connection. */
SEC("?tp_btf/inet_sock_set_state")
int
BPF_PROG(inet_sock_set_state, const struct sock *sock, int old_state, int new_state)
{
    __u64 sk = (__u64)sock;
    if (new_state != TCP_SYN_SENT && new_state != TCP_CLOSE && old_state != TCP_SYN_RECV)
        return 0;
    forget_connection(sk);
    if (new_state != TCP_SYN_SENT)
        return 0;
    /* connect(), in the context of the process. */
    struct connection *connection = connection_of(sk, bpf_ktime_get_ns());
    if (connection)
        current_process(&connection->owner, BY_COPIES);
    return 0;
}

#endif
