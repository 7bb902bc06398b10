/* events.bpf.h
 * The way to user space: what it wants, what it gets, and what was lost on the way.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EVENTS_BPF_H
#define EVENTS_BPF_H

/* How a program reads the kernel's memory: where it is, by its type, since 6.2; else through a copy of each member,
 * which takes a call. */
enum reading { BY_TYPES, BY_COPIES };
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;
#define AS(type, address) ((const type *)bpf_rdonly_cast((const void *)(address), bpf_core_type_id_kernel(type)))
/* Memory of any kind, by types that are nothing but words. */
#define WORD_AT(address)   (AS(struct in6_addr, address)->in6_u.u6_addr32[0])
#define BYTE_AT(address)   (AS(struct in6_addr, address)->in6_u.u6_addr8[0])
#define DOUBLE_AT(address) ((__u64)AS(struct timespec64, address)->tv_sec)

const volatile __u32 wanted_stages = ~0U;
const volatile __u32 wanted_bytes = PACKET_BYTES; /* of a packet */
/* Where processes have the numbers that are wanted: a file in /proc; 0: in the first PID namespace. */
const volatile __u64 pid_device = 0, pid_inode = 0;

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 24);
} events SEC(".maps");

/* For kernels whose tracepoints cannot copy payload that lies in pages: only an event of perf can. */
struct {
    __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} perf_events SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, STAGE_COUNT);
    __type(key, __u32);
    __type(value, __u64);
} lost SEC(".maps");

static __always_inline void
lose(__u32 stage)
{
    __u64 *count = bpf_map_lookup_elem(&lost, &stage);
    if (count)
        (*count)++;
}

static __always_inline bool
is_wanted(enum stage stage)
{
    return wanted_stages & 1U << stage;
}

/* Netfilter's programs have this one way to it on every kernel, and none to a process' name before 6.18. */
static __always_inline __u32
current_tid(enum reading reading)
{
    const __u64 task = bpf_get_current_task();
    return reading == BY_TYPES ? AS(struct task_struct, task)->pid : BPF_CORE_READ((struct task_struct *)task, pid);
}

/* Numbers the current process as the recorder's PID namespace does. One that is not in it has no number there: it is
 * left out, for another may have that number. */
static __always_inline void
renumber(struct process *process)
{
    struct bpf_pidns_info ids = {};
    if (!pid_inode)
        return;
    if (bpf_get_ns_current_pid_tgid(pid_device, pid_inode, &ids, sizeof(ids)))
        ids.pid = ids.tgid = 0;
    process->pid = ids.tgid;
    process->tid = ids.pid;
}

static __always_inline void
current_process(struct process *process, enum reading reading)
{
    if (reading == BY_TYPES) {
        const struct task_struct *task = AS(struct task_struct, bpf_get_current_task());
        const __u64 name[] = { DOUBLE_AT(task->comm), DOUBLE_AT(task->comm + 8) };
        process->pid = task->tgid;
        process->tid = task->pid;
        __builtin_memcpy(process->name, name, sizeof(process->name));
    } else {
        const __u64 ids = bpf_get_current_pid_tgid();
        process->pid = ids >> 32;
        process->tid = (__u32)ids;
        bpf_get_current_comm(process->name, sizeof(process->name));
    }
    renumber(process);
}

/* A stage that sees no packet bytes. */
static __always_inline void
tell(enum stage stage, __u64 packet, __u64 time_ns)
{
    struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        lose(stage);
        return;
    }
    *event = (struct event){ .time_ns = time_ns, .packet = packet, .stage = stage };
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* The same, by the current process. */
static __always_inline void
tell_of_process(enum stage stage, __u64 packet, __u64 time_ns, const struct process *process)
{
    struct known_event *known = bpf_ringbuf_reserve(&events, sizeof(*known), 0);
    if (!known) {
        lose(stage);
        return;
    }
    *known =
        (struct known_event){ .event = { .time_ns = time_ns, .packet = packet, .stage = stage }, .process = *process };
    bpf_ringbuf_submit(known, BPF_RB_NO_WAKEUP);
}

#endif
