/* reading_last.c
 * The last bytes of what a client says, for parsers that have let it pass unread and want to see how it ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "reading_parts.h"

/* Adds bytes of the client at an offset; what is not behind those that there are takes their place. */
static void
add(struct last_bytes *last, int64_t at, const uint8_t *bytes, int64_t n)
{
    const int64_t known = last->end - at;
    if (known > 0 && known < n) {
        at += known;
        bytes += known;
        n -= known;
    } else if (known > 0) {
        return;
    }
    if (at != last->end || n >= LAST_ROOM)
        last->count = 0;
    if (n > LAST_ROOM) {
        bytes += n - LAST_ROOM;
        at += n - LAST_ROOM;
        n = LAST_ROOM;
    }
    const size_t kept = MIN(last->count, LAST_ROOM - (size_t)n);
    memmove(last->bytes, last->bytes + last->count - kept, kept);
    memcpy(last->bytes + kept, bytes, (size_t)n);
    last->count = (uint16_t)(kept + (size_t)n);
    last->end = at + n;
}

/* Adds those before `end` of what the client says now. */
static void
add_current(const struct reading *reading, int64_t end, struct last_bytes *last)
{
    const struct piece *piece = reading->carrier->piece;
    const struct decryption *decryption = reading->decryption;
    struct decrypted hidden = { .bytes = piece->segment.payload, .length = piece->segment.captured_bytes };
    int64_t at = piece->start;
    if (piece->payload->sender != reading->connection->client)
        return;
    if (reading_is_decrypted(reading)) {
        hidden = plaintext_first(&decryption->followed[true].plaintext, decryption->n_ready);
        at = decryption->read_from;
    }
    if (hidden.length > 0 && at < end)
        add(last, at, hidden.bytes, MIN((int64_t)hidden.length, end - at));
}

void
reading_keeps_last(struct reading *reading, const uint8_t *bytes, size_t length, int64_t until)
{
    if (!reading->last)
        reading->last = wmem_new(reading_scope(reading), struct last_bytes);
    reading->last->until = until;
    reading->last->count = 0;
    reading->last->end = 0;
    add(reading->last, reading->flow[true].at - (int64_t)length, bytes, (int64_t)length);
}

void
reading_keep_last(struct reading *reading)
{
    add_current(reading, reading->last->until, reading->last);
    /* a parser sees that the message has got there with the next piece, at the latest */
    if (reading->flow[true].at - UNIT_BYTES > reading->last->until)
        reading_drop_last(reading);
}

void
reading_drop_last(struct reading *reading)
{
    wmem_free(reading->requests->scope, reading->last);
    reading->last = NULL;
}

size_t
reading_last(struct reading *reading, int64_t from, int64_t end, uint8_t bytes[static LAST_ROOM])
{
    struct last_bytes last = { .count = 0 };
    if (reading->last)
        last = *reading->last;
    add_current(reading, end, &last);
    if (reading->last)
        reading_drop_last(reading);
    const int64_t first = MAX(from, last.end - last.count);
    if (last.end < end || first >= end)
        return 0;
    memcpy(bytes, last.bytes + (first - (last.end - last.count)), (size_t)(end - first));
    return (size_t)(end - first);
}
