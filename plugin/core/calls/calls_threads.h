/* calls_threads.h
 * Which threads sent and read packets, where whoever recorded them says so (kernel-stages).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_THREADS_H
#define LATENCY_CALLS_THREADS_H

#include <stdint.h>

#include <glib.h>

struct points;
struct sighting;

/* The threads that sent packets, and those that read them: arrays of struct call_thread, by the frame with which the
 * packet is analysed. */
struct calls_threads {
    GArray *sent, *read;
};

void calls_threads_init(struct calls_threads *threads);
void calls_threads_clear(struct calls_threads *threads);

/* Takes a sighting of a packet, once it is known whether it is the one that counts. */
void calls_threads_take(struct calls_threads *threads, const struct points *points, const struct sighting *sighting);

/* Notes the thread that sent, or read, the packet of a frame. */
void calls_threads_note(GArray *threads, uint32_t frame, uint32_t thread);

/* To be called before threads are asked for. */
void calls_threads_settle(struct calls_threads *threads);

/* Returns the thread that sent, or read, the packet of the frame; 0 if that is not known, or several did. */
uint32_t calls_threads_of(const GArray *threads, uint32_t frame);

#endif
