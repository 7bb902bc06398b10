/* resync.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resync.h"

#include <glib.h>

#include "habit.h"
#include "looks.h"
#include "outstanding.h"
#include "still_awaited.h"

struct resync {
    struct outstanding requests;
    uint64_t waiting; /* `low`, when it was known last */
    uint64_t gap;     /* the open one, if it is */
    uint64_t whole;   /* answers that passed while nothing could be a part of one */
    struct habit habit;
    struct still_awaited awaited;
    bool has_parts;
    bool is_found; /* nothing has passed since something was missing */
    bool is_open;
    bool is_distinct; /* no two requests in a row had the same number of `looks` */
};

struct resync *
resync_new(wmem_allocator_t *scope, bool has_parts)
{
    struct resync *resync = wmem_new0(scope, struct resync);
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
    wmem_allocator_t *scope = resync->requests.scope;
    outstanding_close(&resync->requests);
    wmem_free(scope, resync);
}

static struct slot *
slot_at(const struct resync *resync, uint64_t number)
{
    return outstanding_at(&resync->requests, number);
}

static bool
is_known(const struct resync *resync)
{
    return outstanding_is_known(&resync->requests);
}

void
resync_forget_parts(struct resync *resync)
{
    outstanding_forget_parts(&resync->requests);
}

static void
push(struct resync *resync, struct slot slot)
{
    /* of a few, also those that may be identified yet */
    bool are_few = resync->requests.room < RESYNC_WINDOW;
    outstanding_add(&resync->requests, slot,
                    are_few ? MIN(resync->waiting, resync->requests.low) : resync->requests.low);
    outstanding_pass_gaps(&resync->requests);
}

/* False if it was not possible. */
static bool
know(struct resync *resync, uint64_t number)
{
    bool was_possible = slot_at(resync, number)->possible, by_part = false;
    for (uint64_t i = resync->requests.low; i <= resync->requests.high; i++) {
        by_part |= slot_at(resync, i)->by_part || slot_at(resync, i)->inside;
        outstanding_rule_out(&resync->requests, i);
    }
    slot_at(resync, number)->possible = true;
    slot_at(resync, number)->by_part = by_part;
    resync->requests.low = resync->requests.high = resync->waiting = number;
    resync->requests.had_gap = false;
    return was_possible;
}

/* The facts contradict each other: what was asked is lost, and nobody knows what the server will answer first. */
static void
know_nothing(struct resync *resync)
{
    const uint64_t waiting = resync->waiting;
    know(resync, resync->requests.asked);
    resync->waiting = waiting;
    push(resync, slot_of_gap(INT64_MIN, resync->awaited.now_ns));
}

/* After numbers have been ruled out. */
static void
narrow(struct resync *resync)
{
    if (!outstanding_narrow(&resync->requests))
        know_nothing(resync);
    outstanding_forget_oldest(&resync->requests, resync->awaited.now_ns);
    if (!is_known(resync))
        return;
    resync->waiting = resync->requests.low;
    resync->requests.had_gap = false;
}

uint64_t
resync_ask(struct resync *resync, int64_t offset, uint64_t looks)
{
    push(resync, (struct slot){ .offset = offset, .asked_ns = resync->awaited.now_ns });
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
    push(resync, slot_of_gap(offset, INT64_MAX));
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
    slot->asked_ns = resync->awaited.now_ns;
    const uint32_t answered = RESYNC_MANY - slot->missing;
    slot->missing = most > answered ? (uint32_t)MIN(most - answered, slot->missing) : 0;
    outstanding_pass_gaps(&resync->requests);
    narrow(resync);
}

void
resync_blur(struct resync *resync)
{
    struct slot *slot = slot_at(resync, resync->requests.asked - 1);
    slot->is_gap = true;
    slot->missing = RESYNC_MANY;
    if (slot->possible)
        outstanding_pass_gaps(&resync->requests);
}

void
resync_acknowledge(struct resync *resync, int64_t offset)
{
    if (resync->requests.low == resync->requests.asked)
        return;
    for (uint64_t i = resync->requests.high + 1; i-- > resync->requests.low && slot_at(resync, i)->offset > offset;)
        outstanding_rule_out(&resync->requests, i);
    narrow(resync);
}

void
resync_pass_time(struct resync *resync, int64_t time_ns, int64_t longest_ns)
{
    const uint64_t asked = resync->requests.asked;
    if (is_known(resync) || resync->requests.low == asked)
        return;
    const int64_t youngest_ns = slot_at(resync, MIN(resync->requests.high, asked - 1))->asked_ns;
    outstanding_give_up(&resync->requests, still_awaited_since(&resync->awaited, time_ns, longest_ns, youngest_ns));
    narrow(resync);
}

void
resync_see(struct resync *resync, uint64_t looks, bool passed)
{
    if (is_known(resync))
        return;
    /* a number that was answered has become the next one, but that of a gap */
    for (uint64_t i = MAX(resync->requests.low, resync->requests.first + passed); i <= resync->requests.high; i++) {
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
    if (known && (resync->requests.low == resync->requests.asked ||
                  looks_are_alike(slot_at(resync, resync->requests.low)->looks, looks)))
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
        if (number == resync->requests.low && !part)
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
    if (resync->requests.low == resync->requests.asked)
        return;
    if (is_known(resync))
        still_awaited_note_known(&resync->awaited);
    resync->is_found = false;
    resync->whole++;
    if (outstanding_is_inside(&resync->requests))
        resync->whole = 0;
    for (uint64_t i = resync->requests.high + 1; i-- > resync->requests.low;)
        move(resync, i, part);
    resync->requests.high = MIN(resync->requests.high + 1, resync->requests.asked);
    outstanding_pass_gaps(&resync->requests);
    narrow(resync);
}

void
resync_miss(struct resync *resync)
{
    for (uint64_t i = resync->requests.low; i <= resync->requests.asked; i++) {
        struct slot *slot = slot_at(resync, i);
        slot->possible = true;
        slot->by_part = false;
        bool may_have_parts = !looks_kinds(slot->looks) || looks_parts(slot->looks);
        slot->inside = resync->has_parts && i < resync->requests.asked && may_have_parts;
    }
    resync->requests.high = resync->requests.asked;
    resync->is_found = true;
    outstanding_pass_gaps(&resync->requests);
    narrow(resync);
}

void
resync_repeat(struct resync *resync)
{
    if (resync->requests.low <= resync->requests.first)
        return;
    resync->requests.low--;
    for (uint64_t i = resync->requests.low; i < resync->requests.high; i++)
        if (slot_at(resync, i + 1)->possible) {
            slot_at(resync, i)->possible = true;
            slot_at(resync, i)->by_part |= slot_at(resync, i + 1)->by_part;
        }
    outstanding_pass_gaps(&resync->requests);
    narrow(resync);
}

bool
resync_finish(struct resync *resync)
{
    return know(resync, resync->requests.asked);
}

void
resync_note_flight(struct resync *resync)
{
    struct habit *habit = &resync->habit;
    const bool known = is_known(resync);
    const uint64_t flight = resync->requests.asked - resync->requests.high;
    habit_note(habit, flight, resync->requests.asked, known, known || (flight > 0 && !resync->requests.had_gap));
    if (known || !habit_holds(habit) || habit->most > RESYNC_WINDOW)
        return;
    const uint64_t low = outstanding_newest(&resync->requests, habit->most);
    if (low > resync->requests.high)
        *habit = (struct habit){ 0 };
    for (uint64_t i = resync->requests.low; i < low && low <= resync->requests.high; i++)
        outstanding_rule_out(&resync->requests, i);
    narrow(resync);
}

struct interval
resync_next(const struct resync *resync)
{
    return (struct interval){ .low = resync->requests.low,
                              .high = resync->requests.high,
                              .known = is_known(resync),
                              .idle = resync->requests.low == resync->requests.asked,
                              .whole = slot_at(resync, resync->requests.low)->by_part ? resync->whole : UINT64_MAX };
}

uint64_t
resync_row(const struct resync *resync, uint64_t number, uint64_t most)
{
    return outstanding_row(&resync->requests, number, most);
}
