/* resync.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resync.h"

#include <glib.h>

#include "looks.h"

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

/* Makes possible what follows a possible gap. */
static void
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

/* Adds a slot for the next number. */
static void
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

/* Returns whether one number is possible, and is no gap. */
static inline bool
slots_are_known(const struct resync *resync)
{
    const struct slot *slot = slot_at(resync, resync->low);
    return resync->low == resync->high && !slot->is_gap;
}

/* Returns a gap with any number of requests. */
static struct slot
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

/* Notes that the next answer belongs to that number. Returns false if it was not possible. */
static bool
slots_know(struct resync *resync, uint64_t number)
{
    const bool was_possible = slot_at(resync, number)->possible;
    for (uint64_t i = resync->low; i <= resync->high; i++)
        slot_at(resync, i)->possible = false;
    slot_at(resync, number)->possible = true;
    resync->low = resync->high = resync->waiting = number;
    resync->had_gap = false;
    return was_possible;
}

/* Gives up what was asked, because the facts contradict each other: nobody knows what the server answers first. */
static void
slots_know_nothing(struct resync *resync)
{
    const uint64_t waiting = resync->waiting;
    slots_know(resync, resync->asked);
    resync->waiting = waiting;
    slots_add(resync, slot_of_gap(INT64_MIN));
}

/* Moves the bounds to what is possible still, after some numbers have been ruled out. */
static inline void
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

bool
resync_precede(struct resync *resync)
{
    struct slot *first = slot_at(resync, resync->first);
    if (!slots_are_known(resync) || !first->is_gap || resync->low != resync->first + 1)
        return false;
    first->missing = RESYNC_MANY;
    first->possible = true;
    resync->low = resync->first;
    slots_pass_gaps(resync);
    return true;
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

inline void
resync_acknowledge(struct resync *resync, int64_t offset)
{
    if (resync->low == resync->asked)
        return;
    for (uint64_t i = resync->high + 1; i-- > resync->low && slot_at(resync, i)->offset > offset;)
        slot_at(resync, i)->possible = false;
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
        slot_at(resync, i)->possible = false;
    slots_narrow(resync);
}

inline struct interval
resync_next(const struct resync *resync)
{
    return (struct interval){
        .low = resync->low, .high = resync->high, .known = slots_are_known(resync), .idle = resync->low == resync->asked
    };
}

uint64_t
resync_row(const struct resync *resync, uint64_t number, uint64_t most)
{
    uint64_t count = 0;
    while (count < most && number - count > resync->first && !slot_at(resync, number - count - 1)->is_gap)
        count++;
    return count;
}
