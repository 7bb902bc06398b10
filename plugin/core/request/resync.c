/* resync.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resync.h"

#include <glib.h>

#include "habit.h"
#include "looks.h"
#include "outstanding.h"

struct resync {
    wmem_allocator_t *scope;
    struct outstanding requests;
    uint64_t low, high; /* the lowest and highest that are possible */
    uint64_t waiting;   /* `low`, when it was known last */
    uint64_t gap;       /* the open one, if it is */
    uint64_t whole;     /* answers that passed while nothing could be a part of one */
    bool has_parts;
    bool is_found; /* nothing has passed since something was missing */
    struct habit habits[2];
    bool is_open;
    bool had_gap;     /* since it was known last */
    bool is_distinct; /* no two requests in a row had the same number of `looks` */
};

struct resync *
resync_new(wmem_allocator_t *scope, bool has_parts)
{
    struct resync *resync = wmem_new0(scope, struct resync);
    resync->scope = scope;
    resync->has_parts = has_parts;
    outstanding_open(&resync->requests, scope);
    outstanding_at(&resync->requests, 0)->possible = resync->is_distinct = true;
    return resync;
}

void
resync_free(struct resync *resync)
{
    if (!resync)
        return;
    outstanding_close(&resync->requests);
    wmem_free(resync->scope, resync);
}

static struct slot *
slot_at(const struct resync *resync, uint64_t number)
{
    return outstanding_at(&resync->requests, number);
}

static bool
is_known(const struct resync *resync)
{
    const struct slot *slot = slot_at(resync, resync->low);
    return resync->low == resync->high && !slot->is_gap && !slot->inside;
}

/* Where a gap is possible, so is what follows it. */
static void
pass_gaps(struct resync *resync)
{
    for (uint64_t i = resync->low; i <= resync->high; i++) {
        struct slot *slot = slot_at(resync, i);
        if (!slot->possible || !slot->is_gap)
            continue;
        resync->had_gap = true;
        outstanding_pass_on(&resync->requests, i, slot->by_part);
        resync->high = MAX(resync->high, i + 1);
        slot->possible = slot->missing > 0;
    }
}

void
resync_forget_parts(struct resync *resync)
{
    for (uint64_t i = resync->low; i <= resync->high; i++)
        slot_at(resync, i)->by_part = false;
}

/* What is forgotten is like a gap. */
static void
forget_oldest(struct resync *resync)
{
    if (resync->high - resync->low < RESYNC_WINDOW)
        return;
    bool is_inside = outstanding_is_inside(&resync->requests, resync->low, resync->high);
    resync->low = resync->high - RESYNC_WINDOW + 1;
    *slot_at(resync, resync->low) = (struct slot){
        .offset = INT64_MIN, .missing = RESYNC_MANY, .is_gap = true, .possible = true, .inside = is_inside
    };
    pass_gaps(resync);
}

static void
push(struct resync *resync, struct slot slot)
{
    /* of a few, also those that may be identified yet */
    bool are_few = resync->requests.room < RESYNC_WINDOW;
    outstanding_add(&resync->requests, slot, are_few ? MIN(resync->waiting, resync->low) : resync->low);
    pass_gaps(resync);
}

/* False if it was not possible. */
static bool
know(struct resync *resync, uint64_t number)
{
    bool was_possible = slot_at(resync, number)->possible, by_part = false;
    for (uint64_t i = resync->low; i <= resync->high; i++) {
        by_part |= slot_at(resync, i)->by_part || slot_at(resync, i)->inside;
        outstanding_rule_out(&resync->requests, i);
    }
    slot_at(resync, number)->possible = true;
    slot_at(resync, number)->by_part = by_part;
    resync->low = resync->high = resync->waiting = number;
    resync->had_gap = false;
    return was_possible;
}

/* The facts contradict each other: what was asked is lost, and nobody knows what the server will answer first. */
static void
know_nothing(struct resync *resync)
{
    const uint64_t waiting = resync->waiting;
    know(resync, resync->requests.asked);
    resync->waiting = waiting;
    push(resync, (struct slot){ .offset = INT64_MIN, .missing = RESYNC_MANY, .is_gap = true });
}

/* After numbers have been ruled out. */
static void
narrow(struct resync *resync)
{
    while (resync->low <= resync->high && !outstanding_is_open(&resync->requests, resync->low))
        resync->low++;
    while (resync->high > resync->low && !outstanding_is_open(&resync->requests, resync->high))
        resync->high--;
    if (resync->low > resync->high)
        know_nothing(resync);
    forget_oldest(resync);
    if (!is_known(resync))
        return;
    resync->waiting = resync->low;
    resync->had_gap = false;
}

uint64_t
resync_ask(struct resync *resync, int64_t offset, uint64_t looks)
{
    push(resync, (struct slot){ .offset = offset });
    resync_describe(resync, looks);
    return resync->requests.asked - 1;
}

void
resync_describe(struct resync *resync, uint64_t looks)
{
    const uint64_t last = resync->requests.asked - 1;
    const uint64_t before = last > resync->requests.first ? slot_at(resync, last - 1)->looks : 0;
    slot_at(resync, last)->looks = looks;
    resync->is_distinct &= !looks_number(looks) || looks_number(looks) != looks_number(before);
}

void
resync_open_gap(struct resync *resync, int64_t offset)
{
    if (resync->is_open)
        return;
    push(resync, (struct slot){ .offset = offset, .missing = RESYNC_MANY, .is_gap = true });
    resync->gap = resync->requests.asked - 1;
    resync->is_open = true;
}

void
resync_close_gap(struct resync *resync, uint64_t most)
{
    bool matters = resync->is_open && resync->gap >= resync->requests.first;
    resync->is_open = false;
    if (!matters)
        return;
    struct slot *slot = slot_at(resync, resync->gap);
    const uint32_t answered = RESYNC_MANY - slot->missing;
    slot->missing = most > answered ? (uint32_t)MIN(most - answered, slot->missing) : 0;
    pass_gaps(resync);
    narrow(resync);
}

void
resync_blur(struct resync *resync)
{
    struct slot *slot = slot_at(resync, resync->requests.asked - 1);
    slot->is_gap = true;
    slot->missing = RESYNC_MANY;
    if (slot->possible)
        pass_gaps(resync);
}

void
resync_acknowledge(struct resync *resync, int64_t offset)
{
    if (resync->low == resync->requests.asked)
        return;
    for (uint64_t i = resync->high + 1; i-- > resync->low && slot_at(resync, i)->offset > offset;)
        outstanding_rule_out(&resync->requests, i);
    narrow(resync);
}

void
resync_see(struct resync *resync, uint64_t looks, bool passed)
{
    if (is_known(resync))
        return;
    /* a number that was answered has become the next one, but that of a gap */
    for (uint64_t i = MAX(resync->low, resync->requests.first + passed); i <= resync->high; i++) {
        const struct slot *answered = slot_at(resync, i - passed);
        struct slot *slot = slot_at(resync, i);
        bool in_gap = answered->is_gap || slot->is_gap || (passed && answered->inside);
        slot->possible &= in_gap || looks_are_alike(answered->looks, looks);
        slot->inside &= resync->is_found || looks_can_be_part(slot->looks, looks);
    }
    narrow(resync);
}

bool
resync_identify(struct resync *resync, uint64_t looks)
{
    uint64_t found = 0, count = 0;
    const bool known = is_known(resync);
    if (known && (resync->low == resync->requests.asked || looks_are_alike(slot_at(resync, resync->low)->looks, looks)))
        return true;
    const uint64_t asked = resync->requests.asked, latest = asked - MIN(asked, RESYNC_WINDOW);
    for (uint64_t i = MAX(MAX(resync->waiting, resync->requests.first), latest); i < asked && looks_number(looks);
         i++) {
        if (slot_at(resync, i)->is_gap || looks_number(slot_at(resync, i)->looks) != looks_number(looks))
            continue;
        found = i;
        count++;
    }
    if (count == 1 && resync->is_distinct)
        return know(resync, found);
    if (known)
        know_nothing(resync);
    else
        resync_see(resync, looks, false);
    return !known;
}

/* The answer goes on where it is a part of one. */
static void
move(struct resync *resync, uint64_t number, uint64_t part)
{
    struct slot *slot = slot_at(resync, number);
    const struct slot before = *slot;
    slot->by_part = false;
    if (before.inside)
        outstanding_pass_on(&resync->requests, number, true);
    if (slot->is_gap) {
        slot->possible |= before.inside;
        slot->by_part = before.by_part || before.inside;
    }
    if (!before.possible)
        return;
    bool stays = part && looks_are_alike(slot->looks, part), moves = !stays || !looks_kinds(slot->looks);
    if (slot->is_gap) {
        /* as soon as nobody can get into it any more, its requests are counted */
        if (number == resync->low && !part)
            slot->missing--;
        return;
    }
    slot->possible = stays && number < resync->requests.asked;
    if (moves && number < resync->requests.asked)
        outstanding_pass_on(&resync->requests, number, before.by_part);
}

void
resync_answer(struct resync *resync, uint64_t part)
{
    if (resync->low == resync->requests.asked)
        return;
    resync->is_found = false;
    resync->whole++;
    if (outstanding_is_inside(&resync->requests, resync->low, resync->high))
        resync->whole = 0;
    for (uint64_t i = resync->high + 1; i-- > resync->low;)
        move(resync, i, part);
    resync->high = MIN(resync->high + 1, resync->requests.asked);
    pass_gaps(resync);
    narrow(resync);
}

void
resync_miss(struct resync *resync)
{
    for (uint64_t i = resync->low; i <= resync->requests.asked; i++) {
        struct slot *slot = slot_at(resync, i);
        slot->possible = true;
        slot->by_part = false;
        bool may_have_parts = !looks_kinds(slot->looks) || looks_parts(slot->looks);
        slot->inside = resync->has_parts && i < resync->requests.asked && may_have_parts;
    }
    resync->high = resync->requests.asked;
    resync->is_found = true;
    pass_gaps(resync);
    narrow(resync);
}

void
resync_repeat(struct resync *resync)
{
    if (resync->low <= resync->requests.first)
        return;
    resync->low--;
    for (uint64_t i = resync->low; i < resync->high; i++)
        if (slot_at(resync, i + 1)->possible) {
            slot_at(resync, i)->possible = true;
            slot_at(resync, i)->by_part |= slot_at(resync, i + 1)->by_part;
        }
    pass_gaps(resync);
    narrow(resync);
}

bool
resync_finish(struct resync *resync)
{
    return know(resync, resync->requests.asked);
}

void
resync_note_flight(struct resync *resync, bool has_asked)
{
    struct habit *habit = &resync->habits[has_asked];
    const bool known = is_known(resync);
    const uint64_t flight = resync->requests.asked - resync->high;
    habit_note(habit, flight, known, known || (flight > 0 && !resync->had_gap));
    if (known || !habit_holds(habit) || habit->most > RESYNC_WINDOW)
        return;
    const uint64_t low = outstanding_newest(&resync->requests, habit->most);
    if (low > resync->high)
        *habit = (struct habit){ 0 };
    for (uint64_t i = resync->low; i < low && low <= resync->high; i++)
        outstanding_rule_out(&resync->requests, i);
    narrow(resync);
}

struct interval
resync_next(const struct resync *resync)
{
    return (struct interval){ .low = resync->low,
                              .high = resync->high,
                              .known = is_known(resync),
                              .idle = resync->low == resync->requests.asked,
                              .whole = slot_at(resync, resync->low)->by_part ? resync->whole : UINT64_MAX };
}

uint64_t
resync_row(const struct resync *resync, uint64_t number, uint64_t most)
{
    return outstanding_row(&resync->requests, number, most);
}
