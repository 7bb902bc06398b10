/* resync_slots.h
 * What was asked last, by its number, as far as it may matter yet. For resync.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RESYNC_SLOTS_H
#define LATENCY_RESYNC_SLOTS_H

#include "resync.h"

/* A request; or a gap, which stands for up to `missing` of them. */
struct slot {
    int64_t offset; /* see resync_ask() */
    uint64_t looks;
    uint32_t missing;
    bool is_gap;
    bool possible; /* the next answer can belong to it */
};

/* There are slots of the numbers from `first` to `asked`, which is the next request's. None but those from `low` to
 * `high` are possible. */
struct resync {
    wmem_allocator_t *scope;
    struct slot *slots;
    uint64_t first, asked;
    uint64_t low, high;
    uint64_t waiting; /* `low`, when it was known last */
    uint64_t gap;     /* the open one, if it is */
    /* Of resync_note_flight(): how many requests there were when it was called last, and how often `most` were in
     * flight, which is the most there ever were. */
    uint64_t noted;
    uint32_t most, times;
    uint32_t room; /* for slots: a power of two */
    bool had_gap;  /* a gap has been possible since one alone was */
    bool is_open;
    bool is_distinct; /* no two requests in a row had the same number of `looks` */
};

static inline struct slot *
slot_at(const struct resync *resync, uint64_t number)
{
    return &resync->slots[number & (resync->room - 1)];
}

/* Of a gap with any number of requests. */
struct slot slot_of_gap(int64_t offset);

/* The next number is asked. */
void slots_add(struct resync *resync, struct slot slot);

/* What comes next does not belong to this number. */
void slots_rule_out(struct resync *resync, uint64_t number);

/* One number is possible, and is no gap. */
bool slots_are_known(const struct resync *resync);

/* The next answer belongs to that number; false if it was not possible. */
bool slots_know(struct resync *resync, uint64_t number);

/* The facts contradict each other: what was asked is lost, and nobody knows what the server will answer first. */
void slots_know_nothing(struct resync *resync);

/* After some have been ruled out. */
void slots_narrow(struct resync *resync);

/* Where a gap is possible, so is what follows it. */
void slots_pass_gaps(struct resync *resync);

#endif
