/* process.h
 * The process a packet belongs to, as a capture names it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROCESS_H
#define LATENCY_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

enum { PROCESS_NAME_BYTES = 256 };

struct process {
    uint32_t pid, tid; /* tid: 0 if unknown */
    bool has_pid;
    bool bystander;                /* merely what ran when the packet passed; not that of its connection */
    char name[PROCESS_NAME_BYTES]; /* "" if unknown */
};

/* Whether anything is known. */
bool process_is_known(const struct process *process);

/* Takes what a packet's comment says, in ptcpdump's keys ("PID: 42", "Cmd: memcached", "ThreadId: 43", a line each, or
 * all on that of "PID: ") or in retis' form ("time (cpu) [name] pid …"); nothing changes if that is nothing. */
void process_read(struct process *process, const char *comment);

/* retis' tracking id, "#" and hexadecimal digits in its comment, as a number that no other id is likely to have.
 * 0 without. */
uint64_t tracking_read(const char *comment);

/* "Sample: 1/16", with which kernel-stages says that it records one connection in sixteen from here on: 16.
 * 0 without. */
uint16_t sample_read(const char *comment);

/* Each process once. */
struct process_table;
struct process_table *process_table_new(wmem_allocator_t *scope);
bool process_table_is_empty(const struct process_table *table);
const struct process *process_table_put(struct process_table *table, const struct process *process);

#endif
