/* held.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "held.h"
#include "../util/seldom.h"

#include <string.h>

static uint32_t
bytes_of(const struct held *held)
{
    return (uint32_t)sizeof *held + held->segment.captured_bytes;
}

inline unsigned
held_count(const struct held_parts *parts)
{
    return parts->array ? parts->array->len : 0;
}

struct held *
held_at(const struct held_parts *parts, unsigned i)
{
    return g_ptr_array_index(parts->array, i);
}

struct held *
held_remove_first(struct held_parts *parts, uint64_t *total)
{
    struct held *held = g_ptr_array_remove_index(parts->array, 0);
    parts->bytes -= bytes_of(held);
    *total -= bytes_of(held);
    return held;
}

void
held_clear(struct held_parts *parts, uint64_t *total)
{
    if (!parts->array)
        return;
    for (unsigned i = 0; i < parts->array->len; i++)
        g_free(held_at(parts, i));
    g_ptr_array_free(parts->array, TRUE);
    *total -= parts->bytes;
    parts->bytes = 0;
    parts->array = NULL;
}

struct segment
segment_part(const struct segment *segment, uint32_t from, uint32_t bytes)
{
    struct segment part = *segment;
    uint32_t skipped = MIN(from, segment->captured_bytes);
    part.seq = segment_first_seq(segment) + from;
    part.payload_bytes = bytes;
    part.captured_bytes = MIN(segment->captured_bytes - skipped, bytes);
    part.payload = part.captured_bytes > 0 ? segment->payload + skipped : NULL;
    return part;
}

static SELDOM void
hold_part(struct held_parts *parts, const struct payload *payload, unsigned at, int64_t start, int64_t end,
          uint64_t *total)
{
    uint32_t from = start == end ? 0 : (uint32_t)(start - payload->packet.start);
    struct segment part = segment_part(payload->segment, from, (uint32_t)(end - start));
    const size_t text_bytes = part.operation ? strlen(part.operation) + 1 : 0;
    struct held *held = g_malloc(sizeof *held + part.captured_bytes + text_bytes);
    held->payload = *payload;
    held->payload.segment = &held->segment;
    held->segment = part;
    held->start = start;
    held->end = end;
    held->again = false;
    if (part.captured_bytes > 0)
        memcpy(held->bytes, part.payload, part.captured_bytes);
    held->segment.payload = held->bytes;
    if (part.operation)
        held->segment.operation = memcpy(held->bytes + part.captured_bytes, part.operation, text_bytes);
    if (!parts->array)
        parts->array = g_ptr_array_new();
    g_ptr_array_insert(parts->array, (int)at, held);
    parts->bytes += bytes_of(held);
    *total += bytes_of(held);
}

/* The index of the first held part that ends after `offset`. */
static unsigned
find_after(const struct held_parts *parts, int64_t offset)
{
    unsigned low = 0, high = held_count(parts);
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (held_at(parts, middle)->end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SELDOM void
held_add(struct held_parts *parts, const struct payload *payload, int64_t next, uint64_t *total)
{
    int64_t at = MAX(payload->packet.start, next);
    unsigned i = find_after(parts, at), n_parts = 0;
    while (at < payload->packet.end) {
        int64_t end = i < held_count(parts) ? MIN(held_at(parts, i)->start, payload->packet.end) : payload->packet.end;
        if (at < end) {
            hold_part(parts, payload, i, at, end, total);
            held_at(parts, i++)->again = n_parts++ > 0;
        }
        at = end;
        if (i < held_count(parts)) {
            at = MAX(end, held_at(parts, i)->end);
            i++;
        }
    }
    if (n_parts > 0)
        return;
    /* Only sent again: behind what it repeats, and what has repeated that before. */
    i = MIN(find_after(parts, payload->packet.end - 1), held_count(parts) - 1);
    int64_t behind = held_at(parts, i)->end;
    hold_part(parts, payload, find_after(parts, behind), behind, behind, total);
}
