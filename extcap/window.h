/* window.h
 * Puts sightings into the order of their times: they come a little out of it, from several processors.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel-stages.h"

/* Owns itself: free() it. */
struct sighting {
    uint64_t time_ns; /* of CLOCK_MONOTONIC */
    uint64_t packet;
    uint64_t connection; /* struct event's */
    uint64_t number;     /* the window's */
    enum stage stage;
    struct process process; /* pid 0: none */
    uint32_t wire_bytes, link_bytes;
    uint32_t data_bytes;
    unsigned char data[];
};

/* All zero is an empty one. Most sightings come in order, or nearly, and wait in a queue; a heap has the others. */
struct window {
    struct sighting **queue;                /* a ring */
    size_t queue_begin, queued, queue_room; /* room is a power of two */
    struct sighting **heap;
    size_t heaped, heap_room;
    uint64_t next;
};

/* Takes the sighting. False if memory lacks; it is freed then. */
bool window_push(struct window *window, struct sighting *sighting);

/* The earliest one of all up to this time, now the caller's; or NULL. */
struct sighting *window_pop(struct window *window, uint64_t until_ns);

void window_clear(struct window *window);

#endif
