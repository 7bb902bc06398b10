/* packet_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet_tally.h"

static enum ipid_behaviour
step_kind(const struct item *item)
{
    return item->flags & ITEM_IPID_CONSTANT  ? IPID_CONSTANT
           : item->flags & ITEM_IPID_SWAPPED ? IPID_SWAPPED
           : item->flags & ITEM_IPID_RANDOM  ? IPID_RANDOM
                                             : IPID_COUNTER;
}

void
packet_tally_take(struct packet_tally *tally, const struct item *item)
{
    bool gap = item->flags & ITEM_IPID_GAP;
    tally->frames++;
    tally->gaps += gap;
    tally->missing += gap && item->ipid_delta > 0 ? (uint64_t)item->ipid_delta : 0;
    tally->out_of_order += (item->flags & ITEM_OUT_OF_ORDER) != 0;
    tally->retransmitted += (item->flags & ITEM_RETRANSMISSION) != 0;
    tally->unfilled += (item->flags & ITEM_SHORT) != 0;
    if (item->flags & ITEM_IPID)
        ipid_steps_add(&tally->steps, step_kind(item));
}

void
packet_tally_merge(struct packet_tally *tally, const struct packet_tally *other)
{
    tally->frames += other->frames;
    tally->gaps += other->gaps;
    tally->missing += other->missing;
    tally->out_of_order += other->out_of_order;
    tally->retransmitted += other->retransmitted;
    tally->unfilled += other->unfilled;
    tally->steps.total += other->steps.total;
    tally->steps.constant += other->steps.constant;
    tally->steps.swapped += other->steps.swapped;
    tally->steps.random += other->steps.random;
}
