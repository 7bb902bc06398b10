/* outstanding.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "outstanding.h"

#include "resync.h"

enum { ROOM_FIRST = 2 };

/* What will be asked next. */
static const struct slot nothing = { .offset = INT64_MAX };

void
outstanding_open(struct outstanding *outstanding, wmem_allocator_t *scope)
{
    *outstanding = (struct outstanding){
        .scope = scope,
        .slots = wmem_alloc_array(scope, struct slot, ROOM_FIRST),
        .room = ROOM_FIRST,
    };
    outstanding->slots[0] = nothing;
}

void
outstanding_close(struct outstanding *outstanding)
{
    wmem_free(outstanding->scope, outstanding->slots);
}

static void
grow(struct outstanding *outstanding)
{
    const struct outstanding before = *outstanding;
    outstanding->room *= 2;
    outstanding->slots = wmem_alloc_array(outstanding->scope, struct slot, outstanding->room);
    for (uint64_t i = outstanding->first; i <= outstanding->asked; i++)
        *outstanding_at(outstanding, i) = *outstanding_at(&before, i);
    wmem_free(outstanding->scope, before.slots);
}

void
outstanding_add(struct outstanding *outstanding, struct slot slot, uint64_t needed)
{
    bool is_full = outstanding->asked + 2 - outstanding->first > outstanding->room;
    if (is_full && outstanding->first + 1 < needed)
        outstanding->first++;
    else if (is_full)
        grow(outstanding);
    slot.possible = outstanding_at(outstanding, outstanding->asked)->possible;
    *outstanding_at(outstanding, outstanding->asked++) = slot;
    *outstanding_at(outstanding, outstanding->asked) = nothing;
}

void
outstanding_pass_on(struct outstanding *outstanding, uint64_t number, bool by_part)
{
    struct slot *next = outstanding_at(outstanding, number + 1);
    next->possible = true;
    next->by_part |= by_part;
}

void
outstanding_rule_out(struct outstanding *outstanding, uint64_t number)
{
    struct slot *slot = outstanding_at(outstanding, number);
    slot->possible = slot->inside = slot->by_part = false;
}

void
outstanding_give_up(struct outstanding *outstanding, int64_t since_ns)
{
    for (uint64_t i = outstanding->low; i <= outstanding->high && i < outstanding->asked; i++)
        if (outstanding_at(outstanding, i)->asked_ns < since_ns)
            outstanding_rule_out(outstanding, i);
}

static bool
is_open(const struct outstanding *outstanding, uint64_t number)
{
    const struct slot *slot = outstanding_at(outstanding, number);
    return slot->possible || slot->inside;
}

bool
outstanding_is_known(const struct outstanding *outstanding)
{
    const struct slot *slot = outstanding_at(outstanding, outstanding->low);
    return outstanding->low == outstanding->high && !slot->is_gap && !slot->inside;
}

bool
outstanding_narrow(struct outstanding *outstanding)
{
    while (outstanding->low <= outstanding->high && !is_open(outstanding, outstanding->low))
        outstanding->low++;
    while (outstanding->high > outstanding->low && !is_open(outstanding, outstanding->high))
        outstanding->high--;
    return outstanding->low <= outstanding->high;
}

void
outstanding_pass_gaps(struct outstanding *outstanding)
{
    for (uint64_t i = outstanding->low; i <= outstanding->high; i++) {
        struct slot *slot = outstanding_at(outstanding, i);
        if (!slot->possible || !slot->is_gap)
            continue;
        outstanding->had_gap = true;
        outstanding_pass_on(outstanding, i, slot->by_part);
        outstanding->high = MAX(outstanding->high, i + 1);
        slot->possible = slot->missing > 0;
    }
}

void
outstanding_forget_parts(struct outstanding *outstanding)
{
    for (uint64_t i = outstanding->low; i <= outstanding->high; i++)
        outstanding_at(outstanding, i)->by_part = false;
}

uint64_t
outstanding_newest(const struct outstanding *outstanding, uint64_t count)
{
    uint64_t number = outstanding->asked;
    for (; count > 0 && number > outstanding->first; number--)
        count -= !outstanding_at(outstanding, number - 1)->is_gap;
    return number;
}

uint64_t
outstanding_row(const struct outstanding *outstanding, uint64_t number, uint64_t most)
{
    uint64_t count = 0;
    while (count < most && number - count > outstanding->first &&
           !outstanding_at(outstanding, number - count - 1)->is_gap)
        count++;
    return count;
}

bool
outstanding_is_inside(const struct outstanding *outstanding)
{
    bool is_inside = false;
    for (uint64_t i = outstanding->low; i <= outstanding->high; i++)
        is_inside |= outstanding_at(outstanding, i)->inside;
    return is_inside;
}

struct slot
slot_of_gap(int64_t offset, int64_t asked_ns)
{
    return (struct slot){ .offset = offset, .asked_ns = asked_ns, .missing = RESYNC_MANY, .is_gap = true };
}

void
outstanding_forget_oldest(struct outstanding *outstanding, int64_t now_ns)
{
    if (outstanding->high - outstanding->low < RESYNC_WINDOW)
        return;
    bool is_inside = outstanding_is_inside(outstanding);
    outstanding->low = outstanding->high - RESYNC_WINDOW + 1;
    struct slot *lowest = outstanding_at(outstanding, outstanding->low);
    *lowest = slot_of_gap(INT64_MIN, now_ns);
    lowest->possible = true;
    lowest->inside = is_inside;
    outstanding_pass_gaps(outstanding);
}
