/* sequence.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sequence.h"
#include "../util/seldom.h"

#include <string.h>

static SELDOM void
insert_hole(struct sequence *sequence, unsigned at, struct hole hole, wmem_allocator_t *scope)
{
    if (sequence->n_holes == SEQUENCE_HOLES) {
        if (at == 0)
            return;
        memmove(sequence->holes, sequence->holes + 1, (SEQUENCE_HOLES - 1) * sizeof *sequence->holes);
        sequence->n_holes--;
        at--;
    }
    if (sequence->n_holes == sequence->room) {
        sequence->room = sequence->room == 0 ? 1 : sequence->room == 1 ? 4 : SEQUENCE_HOLES;
        sequence->holes = wmem_realloc(scope, sequence->holes, sequence->room * sizeof *sequence->holes);
    }
    memmove(sequence->holes + at + 1, sequence->holes + at, (sequence->n_holes - at) * sizeof *sequence->holes);
    sequence->holes[at] = hole;
    sequence->n_holes++;
}

static SELDOM void
remove_hole(struct sequence *sequence, unsigned at)
{
    sequence->n_holes--;
    memmove(sequence->holes + at, sequence->holes + at + 1, (sequence->n_holes - at) * sizeof *sequence->holes);
}

SELDOM void
sequence_start(struct sequence *sequence, uint32_t seq, bool history, wmem_allocator_t *scope)
{
    sequence->end = SEQUENCE_FIRST;
    sequence->end_seq = seq;
    sequence->known = true;
    sequence->n_holes = 0;
    if (history)
        insert_hole(sequence, 0, (struct hole){ 0, sequence->end }, scope);
}

void
sequence_clear(struct sequence *sequence, wmem_allocator_t *scope)
{
    wmem_free(scope, sequence->holes);
    *sequence = (struct sequence){ 0 };
}

inline int64_t
sequence_offset(const struct sequence *sequence, uint32_t seq)
{
    return sequence->end + (int32_t)(seq - sequence->end_seq);
}

/* The part of [start, end) that fills holes; the holes shrink, split or vanish. */
static SELDOM uint32_t
fill_holes(struct sequence *sequence, int64_t start, int64_t end, wmem_allocator_t *scope)
{
    int64_t filled = 0;
    for (unsigned i = sequence->n_holes; i-- > 0;) {
        struct hole *hole = &sequence->holes[i];
        if (hole->end <= start)
            break;
        int64_t from = MAX(start, hole->start);
        int64_t to = MIN(end, hole->end);
        if (from >= to)
            continue;
        filled += to - from;
        struct hole after = { to, hole->end };
        hole->end = from;
        if (hole->start == hole->end) {
            if (after.start < after.end)
                *hole = after;
            else
                remove_hole(sequence, i);
        } else if (after.start < after.end) {
            insert_hole(sequence, i + 1, after, scope);
        }
    }
    return (uint32_t)filled;
}

SELDOM void
sequence_begin_at(struct sequence *sequence, uint32_t seq, wmem_allocator_t *scope)
{
    const int64_t first = sequence_offset(sequence, seq);
    if (sequence->n_holes > 0 && first <= sequence->holes[sequence->n_holes - 1].end)
        fill_holes(sequence, 0, first, scope);
}

inline uint32_t
sequence_add(struct sequence *sequence, int64_t start, uint32_t bytes, wmem_allocator_t *scope)
{
    int64_t end = start + bytes;
    uint32_t fresh = 0;
    if (start < sequence->end && sequence->n_holes > 0)
        fresh = fill_holes(sequence, start, MIN(end, sequence->end), scope);
    if (end > sequence->end) {
        if (start > sequence->end)
            insert_hole(sequence, sequence->n_holes, (struct hole){ sequence->end, start }, scope);
        fresh += (uint32_t)(end - MAX(start, sequence->end));
        sequence->end_seq += (uint32_t)(end - sequence->end);
        sequence->end = end;
    }
    return fresh;
}

bool
sequence_lacks(const struct sequence *sequence, int64_t from, int64_t to)
{
    bool lacks = false;
    for (unsigned i = 0; i < sequence->n_holes; i++)
        lacks |= sequence->holes[i].end > from && sequence->holes[i].start < to;
    return lacks;
}
