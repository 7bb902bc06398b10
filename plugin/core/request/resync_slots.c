/* resync_slots.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resync_slots.h"

#include <glib.h>

enum { ROOM_FIRST = 2 };

/* What will be asked next. */
static const struct slot nothing = { .offset = INT64_MAX };

struct resync *
resync_new(wmem_allocator_t *scope)
{
    struct resync *resync = wmem_new0(scope, struct resync);
    resync->scope = scope;
    resync->slots = wmem_alloc_array(scope, struct slot, ROOM_FIRST);
    resync->room = ROOM_FIRST;
    resync->slots[0] = nothing;
    resync->slots[0].possible = resync->is_distinct = true;
    return resync;
}

void
resync_free(struct resync *resync)
{
    if (!resync)
        return;
    wmem_free(resync->scope, resync->slots);
    wmem_free(resync->scope, resync);
}

static void
grow(struct resync *resync)
{
    const struct resync before = *resync;
    resync->room *= 2;
    resync->slots = wmem_alloc_array(resync->scope, struct slot, resync->room);
    for (uint64_t i = resync->first; i <= resync->asked; i++)
        *slot_at(resync, i) = *slot_at(&before, i);
    wmem_free(resync->scope, before.slots);
}

void
slots_add(struct resync *resync, struct slot slot)
{
    /* of a few, also those that may be identified yet */
    const bool are_few = resync->room < RESYNC_WINDOW;
    const uint64_t needed = are_few ? MIN(resync->waiting, resync->low) : resync->low;
    const bool is_full = resync->asked + 2 - resync->first > resync->room;
    if (is_full && resync->first + 1 < needed)
        resync->first++;
    else if (is_full)
        grow(resync);
    slot.possible = slot_at(resync, resync->asked)->possible;
    *slot_at(resync, resync->asked++) = slot;
    *slot_at(resync, resync->asked) = nothing;
    slots_pass_gaps(resync);
}

void
slots_rule_out(struct resync *resync, uint64_t number)
{
    slot_at(resync, number)->possible = false;
}

bool
slots_are_known(const struct resync *resync)
{
    const struct slot *slot = slot_at(resync, resync->low);
    return resync->low == resync->high && !slot->is_gap;
}

void
slots_pass_gaps(struct resync *resync)
{
    for (uint64_t i = resync->low; i <= resync->high; i++) {
        struct slot *slot = slot_at(resync, i);
        if (!slot->possible || !slot->is_gap)
            continue;
        resync->had_gap = true;
        slot_at(resync, i + 1)->possible = true;
        resync->high = MAX(resync->high, i + 1);
        slot->possible = slot->missing > 0;
    }
}

uint64_t
resync_row(const struct resync *resync, uint64_t number, uint64_t most)
{
    uint64_t count = 0;
    while (count < most && number - count > resync->first && !slot_at(resync, number - count - 1)->is_gap)
        count++;
    return count;
}

struct slot
slot_of_gap(int64_t offset)
{
    return (struct slot){ .offset = offset, .missing = RESYNC_MANY, .is_gap = true };
}

/* Of more than RESYNC_WINDOW possible numbers the lowest are given up: what is forgotten is like a gap. */
static void
forget_oldest(struct resync *resync)
{
    if (resync->high - resync->low < RESYNC_WINDOW)
        return;
    resync->low = resync->high - RESYNC_WINDOW + 1;
    struct slot *lowest = slot_at(resync, resync->low);
    *lowest = slot_of_gap(INT64_MIN);
    lowest->possible = true;
    slots_pass_gaps(resync);
}

bool
slots_know(struct resync *resync, uint64_t number)
{
    const bool was_possible = slot_at(resync, number)->possible;
    for (uint64_t i = resync->low; i <= resync->high; i++)
        slots_rule_out(resync, i);
    slot_at(resync, number)->possible = true;
    resync->low = resync->high = resync->waiting = number;
    resync->had_gap = false;
    return was_possible;
}

void
slots_know_nothing(struct resync *resync)
{
    const uint64_t waiting = resync->waiting;
    slots_know(resync, resync->asked);
    resync->waiting = waiting;
    slots_add(resync, slot_of_gap(INT64_MIN));
}

void
slots_narrow(struct resync *resync)
{
    while (resync->low <= resync->high && !slot_at(resync, resync->low)->possible)
        resync->low++;
    while (resync->high > resync->low && !slot_at(resync, resync->high)->possible)
        resync->high--;
    if (resync->low > resync->high)
        slots_know_nothing(resync);
    forget_oldest(resync);
    if (!slots_are_known(resync))
        return;
    resync->waiting = resync->low;
    resync->had_gap = false;
}

struct interval
resync_next(const struct resync *resync)
{
    return (struct interval){
        .low = resync->low, .high = resync->high, .known = slots_are_known(resync), .idle = resync->low == resync->asked
    };
}
