/* outstanding.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "outstanding.h"

enum { ROOM_FIRST = 8 };

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
