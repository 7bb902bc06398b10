/* outstanding.h
 * What was asked last, by its number, as far as it may matter yet. For resync.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OUTSTANDING_H
#define LATENCY_OUTSTANDING_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

/* A request; or a gap, which stands for up to `missing` of them. */
struct slot {
    int64_t offset; /* see resync_ask() */
    uint64_t looks;
    int64_t asked_ns; /* struct still_awaited's now_ns at that time; of a gap, when it was closed */
    uint32_t missing;
    bool is_gap;
    bool possible; /* the next answer can belong to it */
    bool by_part;  /* if so, what passed since resync_forget_parts() may have been parts of one */
    bool inside;   /* what looks like one can be a part of the answer to it, whose beginning is missing */
};

/* Of a gap with any number of requests. */
struct slot slot_of_gap(int64_t offset, int64_t asked_ns);

/* The slots of the numbers from `first` to `asked`, which is the next request's. None but those from `low` to `high`
 * are possible. */
struct outstanding {
    wmem_allocator_t *scope;
    struct slot *slots;
    uint32_t room; /* a power of two */
    uint64_t first, asked;
    uint64_t low, high;
    bool had_gap; /* a gap has been possible since one alone was */
};

void outstanding_open(struct outstanding *outstanding, wmem_allocator_t *scope);
void outstanding_close(struct outstanding *outstanding);

static inline struct slot *
outstanding_at(const struct outstanding *outstanding, uint64_t number)
{
    return &outstanding->slots[number & (outstanding->room - 1)];
}

/* The next number is asked. Those below `needed` but the last may be forgotten. */
void outstanding_add(struct outstanding *outstanding, struct slot slot, uint64_t needed);

/* The number after this one is possible; `by_part`: see above. */
void outstanding_pass_on(struct outstanding *outstanding, uint64_t number, bool by_part);

/* Neither what comes next nor a part of it belongs to this number. */
void outstanding_rule_out(struct outstanding *outstanding, uint64_t number);

/* What was asked before that is not awaited any more. */
void outstanding_give_up(struct outstanding *outstanding, int64_t since_ns);

/* One number is possible, and is no gap. */
bool outstanding_is_known(const struct outstanding *outstanding);

/* After some have been ruled out; false if none is left. */
bool outstanding_narrow(struct outstanding *outstanding);

/* Where a gap is possible, so is what follows it. */
void outstanding_pass_gaps(struct outstanding *outstanding);

/* See resync_forget_parts(). */
void outstanding_forget_parts(struct outstanding *outstanding);

/* The oldest of the `count` requests that were asked last. */
uint64_t outstanding_newest(const struct outstanding *outstanding, uint64_t count);

/* See resync_row(). */
uint64_t outstanding_row(const struct outstanding *outstanding, uint64_t number, uint64_t most);

/* Of more than RESYNC_WINDOW possible numbers the lowest are given up: what is forgotten is like a gap. */
void outstanding_forget_oldest(struct outstanding *outstanding, int64_t now_ns);

/* Whether a part of the answer to a possible one can come next. */
bool outstanding_is_inside(const struct outstanding *outstanding);

#endif
