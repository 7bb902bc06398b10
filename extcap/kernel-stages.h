/* kernel-stages.h
 * What the kernel's half of kernel-stages hands to user space.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef KERNEL_STAGES_H
#define KERNEL_STAGES_H

/* In the order in which a packet passes them, so that sightings of one nanosecond sort rightly. */
enum stage {
    STAGE_APP_SEND,
    STAGE_TX_TCP,
    STAGE_TX_IP,
    STAGE_TX_POST,
    STAGE_TX_QUEUE,
    STAGE_TX_DRIVER,
    STAGE_RX_GRO,
    STAGE_RX_DRIVER,
    STAGE_RX_IP,
    STAGE_RX_LOCAL,
    STAGE_RX_TCP,
    STAGE_RX_READY,
    STAGE_APP_EPOLL,
    STAGE_APP_RECV,
    STAGE_APP_COPY,
    STAGE_APP_RECV_RET,
    STAGE_COUNT
};

enum {
    PROCESS_NAME_BYTES = 16, /* TASK_COMM_LEN */
    PACKET_BYTES = 512,      /* of a packet, at most */
    HEAD_BYTES = 128,        /* of them what the stack of a BPF program holds */
    HEADERS_BYTES = 256,     /* more than the headers of a packet have */
    SMALL_BYTES = 128        /* most packets that ask for something have fewer */
};

struct process {
    unsigned int pid;
    unsigned int tid;
    char name[PROCESS_NAME_BYTES];
};

/* One packet at one stage. All times are of CLOCK_MONOTONIC. */
struct event {
    unsigned long long time_ns;
    unsigned long long packet;
    unsigned long long connection; /* hash of its two ends; 0 where only the packet is known */
    unsigned int wire_bytes;       /* from the link header on, if there is one */
    unsigned short data_bytes;     /* that follow. 0: they are those that the same `packet` had last */
    unsigned short more_bytes;     /* that follow HEAD_BYTES after the event: only perf's events have them */
    unsigned char link_bytes;      /* of the Ethernet header that the bytes begin with, or 0 */
    unsigned char stage;
    unsigned char unused[6];
};

/* With who works at it, and the calls before it, which became this packet's only now: app:send and tx:tcp of a sent
 * packet, app:epoll and app:recv of a received one; 0 where there was none. */
struct known_event {
    struct event event;
    unsigned long long earlier_ns[2];
    struct process process; /* at this stage; pid 0 where the kernel worked for nobody in particular */
    struct process caller;  /* of the earlier calls */
};

/* As they come through the ring buffer: an event, a known event, or one of these. */
struct small_event {
    struct known_event known;
    unsigned char data[2 * SMALL_BYTES];
};

struct packet_event {
    struct known_event known;
    unsigned char data[HEADERS_BYTES + PACKET_BYTES];
};

/* At the beginning of perf's. */
struct head_event {
    struct known_event known;
    unsigned char data[HEAD_BYTES];
};

#endif
