/* calls.bpf.h
 * What threads and connections are at: the calls that a packet sighted later came from, or went to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CALLS_BPF_H
#define CALLS_BPF_H

/* The numbers of system calls; the header holds nothing else. */
#include <asm/unistd.h>

enum { AF_INET = 2, AF_INET6 = 10, S_IFMT = 0170000, S_IFSOCK = 0140000, SENDS = 4, READS = 8 };
enum call_kind { CALL_OTHER, CALL_RECV, CALL_SEND, CALL_WAIT };

/* A thread inside a call on a TCP socket. */
struct thread {
    __u64 woken_ns; /* its last poll, select or epoll_wait came back with something */
    __u64 recv_ns;
    __u64 sk; /* of that socket; 0: in no such call */
    struct process process;
    __u64 packets[READS]; /* copied to it by this call */
    __u32 copied;
};

struct send {
    __u64 time_ns;
    __u64 tcp_ns; /* reached TCP */
    __u32 seq;    /* of its first byte */
    struct process process;
};

struct connection {
    struct process owner; /* who connected */
    struct send sends[SENDS];
    __u32 next_send;
    __u32 sent_to; /* the sequence number after what was sent; what is before it is sent again */
    bool has_sent;
    __u64 transmit_ns; /* TCP began to make the packet that comes next */
    __u64 probed;      /* the packet that TCP takes in */
    __u64 probed_buffer;
    __u32 probed_to; /* and the sequence number after it */
};

enum { CALL_BITS = 12 };

struct thread_set {
    struct places places; /* by tid */
    struct thread threads[WAYS];
};

struct connection_set {
    struct places places; /* by the socket's key_of() */
    struct connection connections[WAYS];
};

TABLE(threads, CALL_BITS, struct thread_set);
TABLE(connections, CALL_BITS, struct connection_set);

/* A connection, if it is remembered. */
static __always_inline struct connection *
known_connection(__u64 sk)
{
    const __u64 key = key_of((const void *)sk);
    struct connection_set *set = set_of(&connections, CALL_BITS, key);
    const __u32 at = set ? place_with(&set->places, key) : WAYS;
    return set && at < WAYS ? &set->connections[at] : NULL;
}

static __always_inline struct connection *
connection_of(__u64 sk, __u64 now_ns)
{
    const __u64 key = key_of((const void *)sk);
    struct connection_set *set = set_of(&connections, CALL_BITS, key);
    return set ? ENTRY_OF(set, connections, key, now_ns) : NULL;
}

static __always_inline void
forget_connection(__u64 sk)
{
    const __u64 key = key_of((const void *)sk);
    struct connection_set *set = set_of(&connections, CALL_BITS, key);
    const __u32 at = set ? place_with(&set->places, key) : WAYS;
    if (set && at < WAYS)
        set->places.keys[at] = set->places.seen_ns[at] = 0;
}

/* A thread, if it is remembered; what runs where there is none has the number 0. */
static __always_inline struct thread *
known_thread(__u32 tid)
{
    struct thread_set *set = set_of(&threads, CALL_BITS, tid);
    const __u32 at = set && tid ? place_with(&set->places, tid) : WAYS;
    return set && at < WAYS ? &set->threads[at] : NULL;
}

static __always_inline struct thread *
thread_of(__u32 tid, __u64 now_ns)
{
    struct thread_set *set = set_of(&threads, CALL_BITS, tid);
    return set ? ENTRY_OF(set, threads, tid, now_ns) : NULL;
}

/* The last send that began at or before this sequence number: a send that would have blocked is made again. */
static __always_inline struct send *
send_of(struct connection *connection, __u32 seq)
{
    for (__u32 back = 1; back <= SENDS; back++) {
        struct send *send = &connection->sends[(connection->next_send - back) % SENDS];
        if (send->time_ns && (__s32)(seq - send->seq) >= 0)
            return send;
    }
    return NULL;
}

#if defined(__TARGET_ARCH_x86)
#define SYSCALL_NUMBER(registers) ((long)(registers)->orig_ax)
#define SYSCALL_FIRST(registers)  ((registers)->di)
#elif defined(__TARGET_ARCH_arm64)
#define SYSCALL_NUMBER(registers) ((long)(registers)->syscallno)
#define SYSCALL_FIRST(registers)  ((registers)->orig_x0)
#else
#error "kernel-stages knows the system calls of x86-64 and arm64"
#endif

static __always_inline enum call_kind
kind_of(long number)
{
    switch (number) {
    case __NR_read:
    case __NR_readv:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_recvmmsg:
        return CALL_RECV;
    case __NR_write:
    case __NR_writev:
    case __NR_sendto:
    case __NR_sendmsg:
    case __NR_sendmmsg:
    case __NR_sendfile:
        return CALL_SEND;
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
    case __NR_ppoll:
    case __NR_pselect6:
#ifdef __NR_epoll_wait
    case __NR_epoll_wait:
    case __NR_poll:
    case __NR_select:
#endif
        return CALL_WAIT;
    }
    return CALL_OTHER;
}

/* The file that a descriptor of the current thread stands for: its address, or 0. */
static __always_inline __u64
file_of(__u32 descriptor, enum reading reading)
{
    const struct task_struct *task = bpf_get_current_task_btf();
    const struct fdtable *table = task->files->fdt;
    __u64 file = 0;
    if (!table || descriptor >= table->max_fds)
        return 0;
    const __u64 place = (__u64)table->fd + descriptor * sizeof(file);
    if (reading == BY_TYPES)
        return DOUBLE_AT(place);
    bpf_probe_read_kernel(&file, sizeof(file), (const void *)place);
    return file;
}

/* What of a packet's headers its socket knows. */
struct ends {
    __u16 family, local_port, remote_port;
    __u32 local[4], remote[4];
};

/* GET(sk, member) reads one of `struct sock_common`. */
#define READ_ENDS(ends, sk, GET)                                                                                       \
    do {                                                                                                               \
        (ends)->family = GET(sk, skc_family);                                                                          \
        (ends)->local_port = GET(sk, skc_num);                                                                         \
        (ends)->remote_port = bpf_ntohs(GET(sk, skc_dport));                                                           \
        if (!is_wanted_port((ends)->local_port, (ends)->remote_port))                                                  \
            break;                                                                                                     \
        for (int i = 0; i < 4 && (ends)->family == AF_INET6; i++) {                                                    \
            (ends)->local[i] = GET(sk, skc_v6_rcv_saddr.in6_u.u6_addr32[i]);                                           \
            (ends)->remote[i] = GET(sk, skc_v6_daddr.in6_u.u6_addr32[i]);                                              \
        }                                                                                                              \
        if ((ends)->family == AF_INET || is_mapped((ends)->remote)) {                                                  \
            (ends)->family = AF_INET;                                                                                  \
            (ends)->local[0] = GET(sk, skc_rcv_saddr);                                                                 \
            (ends)->remote[0] = GET(sk, skc_daddr);                                                                    \
        }                                                                                                              \
    } while (0)
#define BY_TYPE(sk, member) ((sk)->__sk_common.member)
#define BY_COPY(sk, member) BPF_CORE_READ(sk, __sk_common.member)

/* IPv4 in an IPv6 socket. */
static __always_inline bool
is_mapped(const __u32 *address)
{
    return !address[0] && !address[1] && address[2] == bpf_htonl(0xffff);
}

static __always_inline bool
are_wanted(const struct ends *ends)
{
    const __u32 words = ends->family == AF_INET6 ? 4 : 1;
    return is_wanted_port(ends->local_port, ends->remote_port) &&
           is_sampled(hash_ends(hash_end(ends->local, words, ends->local_port),
                                hash_end(ends->remote, words, ends->remote_port)));
}

static __always_inline bool
is_wanted_socket(const struct sock *sk)
{
    struct ends ends = { 0 };
    READ_ENDS(&ends, sk, BY_TYPE);
    return are_wanted(&ends);
}

/* The TCP socket that a descriptor of the current thread stands for, or NULL. */
static __always_inline const struct sock *
socket_of(__u32 descriptor)
{
    const __u64 address = file_of(descriptor, BY_TYPES);
    if (!address)
        return NULL;
    const struct file *file = AS(struct file, address);
    if ((file->f_inode->i_mode & S_IFMT) != S_IFSOCK)
        return NULL;
    const struct sock *sk = AS(struct socket, file->private_data)->sk;
    const __u16 family = sk->__sk_common.skc_family;
    return (family == AF_INET || family == AF_INET6) && sk->sk_protocol == IPPROTO_TCP ? sk : NULL;
}

/* Its address, if it is of interest, or 0. */
static __always_inline __u64
socket_by_types(__u32 descriptor)
{
    const struct sock *sk = socket_of(descriptor);
    return sk && is_wanted_socket(sk) ? (__u64)sk : 0;
}

/* The same on kernels before 6.2. */
static __always_inline __u64
socket_by_copies(__u32 descriptor)
{
    struct file *file = (struct file *)file_of(descriptor, BY_COPIES);
    struct ends ends = { 0 };
    if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
        return 0;
    struct socket *socket = BPF_CORE_READ(file, private_data);
    struct sock *sk = BPF_CORE_READ(socket, sk);
    const __u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
    if ((family != AF_INET && family != AF_INET6) || BPF_CORE_READ_BITFIELD_PROBED(sk, sk_protocol) != IPPROTO_TCP)
        return 0;
    READ_ENDS(&ends, sk, BY_COPY);
    return are_wanted(&ends) ? (__u64)sk : 0;
}

#endif
