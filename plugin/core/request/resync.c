/* resync.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resync.h"

#include <glib.h>

#include "looks.h"
#include "resync_slots.h"

uint64_t
resync_ask(struct resync *resync, int64_t offset, uint64_t looks)
{
    slots_add(resync, (struct slot){ .offset = offset });
    resync_describe(resync, looks);
    return resync->asked - 1;
}

void
resync_describe(struct resync *resync, uint64_t looks)
{
    const uint64_t last = resync->asked - 1;
    const uint64_t before = last > resync->first ? slot_at(resync, last - 1)->looks : 0;
    slot_at(resync, last)->looks = looks;
    resync->is_distinct &= !looks_number(looks) || looks_number(looks) != looks_number(before);
}

void
resync_open_gap(struct resync *resync, int64_t offset)
{
    if (resync->is_open)
        return;
    slots_add(resync, slot_of_gap(offset));
    resync->gap = resync->asked - 1;
    resync->is_open = true;
}

void
resync_close_gap(struct resync *resync, uint64_t most)
{
    bool matters = resync->is_open && resync->gap >= resync->first;
    resync->is_open = false;
    if (!matters)
        return;
    struct slot *slot = slot_at(resync, resync->gap);
    const uint32_t answered = RESYNC_MANY - slot->missing;
    slot->missing = most > answered ? (uint32_t)MIN(most - answered, slot->missing) : 0;
    slots_pass_gaps(resync);
    slots_narrow(resync);
}

void
resync_blur(struct resync *resync)
{
    struct slot *slot = slot_at(resync, resync->asked - 1);
    slot->is_gap = true;
    slot->missing = RESYNC_MANY;
    if (slot->possible)
        slots_pass_gaps(resync);
}

void
resync_acknowledge(struct resync *resync, int64_t offset)
{
    if (resync->low == resync->asked)
        return;
    for (uint64_t i = resync->high + 1; i-- > resync->low && slot_at(resync, i)->offset > offset;)
        slots_rule_out(resync, i);
    slots_narrow(resync);
}

void
resync_see(struct resync *resync, uint64_t looks, bool passed)
{
    if (slots_are_known(resync))
        return;
    /* a number that was answered has become the next one, but that of a gap */
    for (uint64_t i = MAX(resync->low, resync->first + passed); i <= resync->high; i++) {
        const struct slot *answered = slot_at(resync, i - passed);
        struct slot *slot = slot_at(resync, i);
        bool in_gap = answered->is_gap || slot->is_gap;
        slot->possible &= in_gap || looks_are_alike(answered->looks, looks);
    }
    slots_narrow(resync);
}

bool
resync_identify(struct resync *resync, uint64_t looks)
{
    uint64_t found = 0, count = 0;
    const bool known = slots_are_known(resync);
    if (known && (resync->low == resync->asked || looks_are_alike(slot_at(resync, resync->low)->looks, looks)))
        return true;
    const uint64_t asked = resync->asked, latest = asked - MIN(asked, RESYNC_WINDOW);
    for (uint64_t i = MAX(MAX(resync->waiting, resync->first), latest); i < asked && looks_number(looks); i++) {
        if (slot_at(resync, i)->is_gap || looks_number(slot_at(resync, i)->looks) != looks_number(looks))
            continue;
        found = i;
        count++;
    }
    if (count == 1 && resync->is_distinct)
        return slots_know(resync, found);
    if (known)
        slots_know_nothing(resync);
    else
        resync_see(resync, looks, false);
    return !known;
}

void
resync_answer(struct resync *resync)
{
    if (resync->low == resync->asked)
        return;
    for (uint64_t i = resync->high + 1; i-- > resync->low;) {
        struct slot *slot = slot_at(resync, i);
        if (!slot->possible)
            continue;
        if (slot->is_gap) {
            /* as soon as nobody can get into it any more, its requests are counted */
            slot->missing -= i == resync->low;
        } else if (i < resync->asked) {
            slot->possible = false;
            slot_at(resync, i + 1)->possible = true;
        }
    }
    resync->high = MIN(resync->high + 1, resync->asked);
    slots_pass_gaps(resync);
    slots_narrow(resync);
}

bool
resync_awaits(const struct resync *resync, uint64_t looks)
{
    bool awaits = false;
    for (uint64_t i = resync->low; i < resync->asked && !awaits; i++)
        awaits = !slot_at(resync, i)->is_gap && looks_are_alike(slot_at(resync, i)->looks, looks);
    return awaits;
}

void
resync_miss(struct resync *resync)
{
    for (uint64_t i = resync->low; i <= resync->asked; i++)
        slot_at(resync, i)->possible = true;
    resync->high = resync->asked;
    slots_pass_gaps(resync);
    slots_narrow(resync);
}

void
resync_repeat(struct resync *resync)
{
    if (resync->low <= resync->first)
        return;
    resync->low--;
    for (uint64_t i = resync->low; i < resync->high; i++)
        slot_at(resync, i)->possible |= slot_at(resync, i + 1)->possible;
    slots_pass_gaps(resync);
    slots_narrow(resync);
}

bool
resync_finish(struct resync *resync)
{
    return slots_know(resync, resync->asked);
}

/* The oldest of the `count` requests that were asked last. */
static uint64_t
newest(const struct resync *resync, uint64_t count)
{
    uint64_t number = resync->asked;
    for (; count > 0 && number > resync->first; number--)
        count -= !slot_at(resync, number - 1)->is_gap;
    return number;
}

void
resync_note_flight(struct resync *resync)
{
    /* On 400 conversations of each kind with 2 % of the packets missing, with 4 the first responses were given to a
     * wrong request (tests/bars). */
    enum { HABIT_TIMES = 5 };
    const bool known = slots_are_known(resync), is_new = resync->asked != resync->noted;
    const uint64_t flight = resync->asked - resync->high;
    /* what is not known exactly confirms nothing, nor does another segment of the request that was asked last */
    const bool confirms = is_new && (known || (flight > 0 && !resync->had_gap));
    if (flight > resync->most) {
        resync->most = known ? (uint32_t)MIN(flight, UINT32_MAX) : 0;
        resync->times = 0;
    }
    resync->times += flight == resync->most && confirms;
    resync->noted = resync->asked;
    if (known || resync->times < HABIT_TIMES || resync->most > RESYNC_WINDOW)
        return;
    const uint64_t low = newest(resync, resync->most);
    if (low > resync->high)
        resync->noted = resync->most = resync->times = 0;
    for (uint64_t i = resync->low; i < low && low <= resync->high; i++)
        slots_rule_out(resync, i);
    slots_narrow(resync);
}
