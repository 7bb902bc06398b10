/* ca_backlog.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_backlog.h"

#include <string.h>

#include "ca_message.h"

static bool
is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static void
drop(struct ca_backlog *backlog, wmem_allocator_t *scope, struct ca_chunk **link)
{
    struct ca_chunk *chunk = *link;
    *link = chunk->next;
    backlog->bytes -= chunk->end - chunk->start;
    backlog->chunks--;
    wmem_free(scope, chunk);
}

void
ca_backlog_add(struct ca_backlog *backlog, wmem_allocator_t *scope, uint32_t start, const uint8_t *bytes, uint32_t n)
{
    if (n > CA_BACKLOG_BYTES - backlog->bytes || backlog->chunks == CA_BACKLOG_CHUNKS) {
        while (backlog->first)
            drop(backlog, scope, &backlog->first);
        return;
    }
    struct ca_chunk **link = &backlog->first;
    while (*link && is_before((*link)->start, start))
        link = &(*link)->next;
    struct ca_chunk *chunk = wmem_alloc(scope, sizeof *chunk + n);
    *chunk = (struct ca_chunk){ .next = *link, .start = start, .end = start + n };
    memcpy(chunk->bytes, bytes, n);
    *link = chunk;
    backlog->bytes += n;
    backlog->chunks++;
}

static uint32_t
contiguous_end(const struct ca_backlog *backlog, uint32_t start)
{
    uint32_t end = start;
    for (const struct ca_chunk *chunk = backlog->first; chunk && !is_before(end, chunk->start); chunk = chunk->next)
        if (is_before(end, chunk->end))
            end = chunk->end;
    return end;
}

bool
ca_backlog_has_gap(const struct ca_backlog *backlog, uint32_t start)
{
    uint32_t end = contiguous_end(backlog, start);
    for (const struct ca_chunk *chunk = backlog->first; chunk; chunk = chunk->next)
        if (is_before(end, chunk->start))
            return true;
    return false;
}

void
ca_backlog_gather(const struct ca_backlog *backlog, uint32_t start, uint8_t *bytes, uint32_t n)
{
    uint32_t copied = 0;
    for (const struct ca_chunk *chunk = backlog->first; chunk && copied < n; chunk = chunk->next) {
        uint32_t at = start + copied;
        if (is_before(at, chunk->start))
            return;
        if (!is_before(at, chunk->end))
            continue;
        uint32_t part = MIN(chunk->end - at, n - copied);
        memcpy(bytes + copied, chunk->bytes + (at - chunk->start), part);
        copied += part;
    }
}

bool
ca_backlog_find(const struct ca_backlog *backlog, struct ca_stream *stream, uint32_t *start, uint32_t *n,
                uint32_t *missed)
{
    struct ca_hole holes[CA_STREAM_HOLES + 1];
    unsigned count = ca_stream_missed(stream, holes);
    for (unsigned i = 0; i < count; i++) {
        uint8_t header[CA_EXTENDED_HEADER_BYTES];
        struct ca_message message = { .size = 0 };
        *start = holes[i].start;
        *missed = holes[i].end - holes[i].start;
        *n = contiguous_end(backlog, *start) - *start;
        uint32_t there = MIN(*n, CA_EXTENDED_HEADER_BYTES);
        ca_backlog_gather(backlog, *start, header, there);
        enum ca_reading reading = ca_message_read(header, there, &message);
        uint32_t needed = message.header_bytes + message.size;
        if (reading == CA_IMPOSSIBLE)
            ca_stream_take(stream, *start, *start + *n, false);
        else if (reading == CA_COMPLETE && needed > CA_BACKLOG_BYTES)
            ca_stream_take(stream, *start, *start + needed, true);
        else if (reading == CA_COMPLETE && needed <= *n)
            return true;
    }
    return false;
}

void
ca_backlog_prune(struct ca_backlog *backlog, wmem_allocator_t *scope, const struct ca_stream *stream)
{
    for (struct ca_chunk **link = &backlog->first; *link;) {
        if (ca_stream_misses(stream, (*link)->start, (*link)->end))
            link = &(*link)->next;
        else
            drop(backlog, scope, link);
    }
}
