/* run.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "run.h"

inline struct run
run_begin(int64_t start)
{
    return (struct run){ .start = start, .low = start };
}

inline bool
run_is_chunk_boundary(int64_t offset, const struct settings *settings)
{
    return settings->chunk_bytes > 0 && offset >= settings->chunk_bytes && offset % settings->chunk_bytes == 0;
}

/* What the capture has before the packet: in the row, unless it was captured out of its order. */
static struct row_before
before(const struct run *run, const struct segment *segment, const struct packet *packet)
{
    bool is_behind_others = packet->fresh > 0 && packet->before.frame > run->last_frame;
    struct row_before before = { run->last_ns, run->last_frame, run->last_short };
    if (!run->first_frame || segment->frame < run->last_frame || is_behind_others) {
        before = packet->before;
        before.was_short &= before.frame != run->begin_frame;
    }
    return before;
}

/* What the packet is by itself; of the fields that a first packet does not show, those too. */
static inline uint16_t
flags_of(const struct packet *packet, const struct settings *settings)
{
    static const uint16_t kinds[] = {
        [IPID_COUNTER] = 0,
        [IPID_CONSTANT] = ITEM_IPID_CONSTANT,
        [IPID_SWAPPED] = ITEM_IPID_SWAPPED,
        [IPID_RANDOM] = ITEM_IPID_RANDOM,
    };
    unsigned flags = 0;
    if (packet->has_ipid) {
        flags |= ITEM_IPID | kinds[packet->ipid_step.kind];
        /* analyze-tcp.py, whose rule the sizes ask for, takes every sender for a counter. */
        if (packet->ipid_step.delta != 0 && (settings->is_full_size || packet->counts_ipids))
            flags |= ITEM_IPID_GAP;
    }
    if (!packet->in_order)
        flags |= ITEM_OUT_OF_ORDER;
    if (packet->fresh == 0)
        flags |= ITEM_RETRANSMISSION;
    if (packet->is_short)
        flags |= ITEM_SHORT;
    return (uint16_t)flags;
}

inline void
run_note_packet(const struct packet *packet, const struct settings *settings, struct item *item)
{
    item->flags |= flags_of(packet, settings);
    item->ipid_delta = packet->ipid_step.delta;
}

inline void
run_add(struct run *run, const struct segment *segment, int64_t start, const struct packet *packet,
        const struct settings *settings, struct item *item)
{
    const struct row_before last = before(run, segment, packet);
    bool is_first = run->first_frame == 0 || (segment->frame < run->first_frame && packet->fresh > 0);
    if (run->first_frame == 0) {
        run->begin_frame = segment->frame;
        run->start = packet->start;
    }
    run_note_packet(packet, settings, item);
    item->spacing_ns = MAX(segment->time_ns - last.ns, 0);
    item->byte_offset = (uint64_t)MAX(packet->end - run->start, 0);
    if (last.was_short)
        item->flags |= ITEM_AFTER_SHORT;
    if (run_is_chunk_boundary(packet->start - run->start, settings))
        item->flags |= ITEM_CHUNK_BOUNDARY;
    if (is_first)
        item->flags |= ITEM_FIRST;
    if (segment->frame >= run->last_frame) {
        run->last_short = packet->is_short && segment->frame != run->begin_frame;
        run->last_ns = segment->time_ns;
        run->last_frame = segment->frame;
    }
    if (is_first) {
        run->first_frame = segment->frame;
        run->first_flags = item->flags;
    }
    if (segment->payload_bytes > 0 && packet->fresh > 0) {
        run->low = MIN(run->low, start);
        run->end = MAX(run->end, start + segment->payload_bytes);
    }
}

void
run_go_on(struct run *run, const struct run *part, const struct settings *settings, struct item *item)
{
    item->spacing_ns = MAX(part->last_ns - run->last_ns, 0);
    item->byte_offset = (uint64_t)MAX(part->start + (int64_t)item->byte_offset - run->start, 0);
    item->flags &= (uint16_t) ~(ITEM_FIRST | ITEM_AFTER_SHORT | ITEM_CHUNK_BOUNDARY);
    if (run->last_short)
        item->flags |= ITEM_AFTER_SHORT;
    if (run_is_chunk_boundary(part->start - run->start, settings))
        item->flags |= ITEM_CHUNK_BOUNDARY;
    run->low = MIN(run->low, part->low);
    run->end = MAX(run->end, part->end);
    if (part->last_frame < run->last_frame)
        return;
    run->last_short = part->first_flags & ITEM_SHORT;
    run->last_ns = part->last_ns;
    run->last_frame = part->last_frame;
}
