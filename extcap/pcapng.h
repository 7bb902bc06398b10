/* pcapng.h
 * Writes a pcapng file: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html
 *
 * Whole blocks only: a file that no more fits on its disk ends with the last block that does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PCAPNG_H
#define PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel-stages.h"

struct pcapng;

struct pcapng_packet {
    uint32_t interface;
    uint64_t time_ns; /* since 1970 */
    const unsigned char *data;
    uint32_t data_bytes, wire_bytes;
    uint64_t id;
    uint64_t dropped; /* packets, at this interface, since its previous one */
    bool sent;
    const char *comments[2];       /* "" or NULL: none */
    const struct process *process; /* or NULL */
};

/* To what is open there; NULL and errno if nothing is. */
struct pcapng *pcapng_open(int fd);

/* The section: first of all. `comment` may be NULL. */
void pcapng_section(struct pcapng *file, const char *application, const char *comment);

/* Ethernet, times in nanoseconds. Interfaces are numbered from 0 in this order. */
void pcapng_interface(struct pcapng *file, const char *name, const char *description, uint32_t snap_bytes);

void pcapng_packet(struct pcapng *file, const struct pcapng_packet *packet);

/* At the end of the section. */
void pcapng_statistics(struct pcapng *file, uint32_t interface, uint64_t time_ns, uint64_t received, uint64_t dropped);

/* Writes what is buffered. False and errno, now and ever after, if that was not possible once. */
bool pcapng_flush(struct pcapng *file);

/* Time that writing has taken so far, if it is to a pipe, whose reader may be slow; else 0. */
uint64_t pcapng_writing_ns(const struct pcapng *file);

/* Waits `milliseconds`. False if the reader of the pipe has gone. */
bool pcapng_wait(struct pcapng *file, int milliseconds);

/* Flushes too. */
bool pcapng_close(struct pcapng *file);

#endif
