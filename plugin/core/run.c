/* run.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "run.h"

struct run
run_begin(int64_t start)
{
    return (struct run){ .start = start, .low = start };
}

bool
run_is_chunk_boundary(int64_t offset, const struct settings *settings)
{
    return settings->chunk_bytes > 0 && offset > 0 && offset % settings->chunk_bytes == 0;
}

void
run_add(struct run *run, const struct segment *segment, const struct place *place, const struct continuity *continuity,
        const struct settings *settings, struct item *item)
{
    item->spacing_ns = MAX(segment->time_ns - run->last_ns, 0);
    item->byte_offset = (uint64_t)MAX(place->end - run->start, 0);
    if (place->ipid_step) {
        static const uint16_t kinds[] = {
            [IPID_COUNTER] = 0,
            [IPID_CONSTANT] = ITEM_IPID_CONSTANT,
            [IPID_SWAPPED] = ITEM_IPID_SWAPPED,
            [IPID_RANDOM] = ITEM_IPID_RANDOM,
        };
        item->ipid_delta = place->ipid_step->delta;
        item->flags |= ITEM_IPID | kinds[place->ipid_step->kind];
        /* analyze-tcp.py, whose rule the sizes ask for, takes every sender for a counter. */
        if (item->ipid_delta != 0 &&
            (settings->is_full_size || ipid_steps_behaviour(&continuity->steps) == IPID_COUNTER))
            item->flags |= ITEM_IPID_GAP;
    }
    if (!place->in_order)
        item->flags |= ITEM_OUT_OF_ORDER;
    if (place->fresh == 0)
        item->flags |= ITEM_RETRANSMISSION;
    if (!continuity_is_full(continuity, segment, settings))
        item->flags |= ITEM_SHORT;
    if (run->last_short)
        item->flags |= ITEM_AFTER_SHORT;
    if (run_is_chunk_boundary(place->start - run->start, settings))
        item->flags |= ITEM_CHUNK_BOUNDARY;
    if (!run->after_first)
        item->flags |= ITEM_FIRST;
    run->last_short = run->after_first && item->flags & ITEM_SHORT;
    run->after_first = true;
    run->last_ns = segment->time_ns;
    if (place->fresh > 0) {
        run->low = MIN(run->low, place->start);
        run->end = MAX(run->end, place->end);
    }
}
