/* tls_cursor.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_cursor.h"

#include <glib.h>

/* RFC 5246 §6.2.3 */
enum { RECORD_LONGEST = (1 << 14) + 2048 };

struct tls_cursor
tls_cursor_begin(int64_t offset)
{
    return (struct tls_cursor){ .next = offset, .is_begun = true };
}

/* Returns false if that is no record. */
static bool
begin_record(struct tls_cursor *cursor)
{
    const uint8_t *header = cursor->header;
    cursor->held = 0;
    cursor->type = header[0];
    cursor->bytes = cursor->left = (uint32_t)header[3] << 8 | header[4];
    return header[0] >= TLS_CHANGE_CIPHER_SPEC && header[0] <= TLS_HEARTBEAT && header[1] == 3 && header[2] <= 4 &&
           cursor->bytes <= RECORD_LONGEST;
}

/* Takes what the payload has of a header. Returns whether a record begins behind it. */
static bool
take_header(struct tls_cursor *cursor, const struct segment *segment, int64_t start)
{
    while (cursor->held < TLS_HEADER_BYTES) {
        const int64_t at = cursor->next - start;
        if (at >= segment->payload_bytes)
            return false;
        cursor->is_lost = at < 0 || at >= segment->captured_bytes;
        if (cursor->is_lost)
            return false;
        cursor->header[cursor->held++] = segment->payload[at];
        cursor->next++;
    }
    cursor->is_lost = !begin_record(cursor);
    return !cursor->is_lost;
}

/* Passes over bytes of the record. */
static uint32_t
pass(struct tls_cursor *cursor, int64_t bytes)
{
    const uint32_t passed = (uint32_t)CLAMP(bytes, 0, cursor->left);
    cursor->next += passed;
    cursor->left -= passed;
    return passed;
}

bool
tls_cursor_next(struct tls_cursor *cursor, const struct segment *segment, int64_t start, struct tls_part *part)
{
    if (!cursor->is_begun)
        *cursor = tls_cursor_begin(start);
    const bool begins = !cursor->is_lost && cursor->left == 0 && take_header(cursor, segment, start);
    if (cursor->is_lost || (cursor->left == 0 && !begins))
        return false;
    *part = (struct tls_part){ .begins = begins, .missing = pass(cursor, start - cursor->next) };
    const uint32_t before = (uint32_t)CLAMP(cursor->next - start, 0, segment->payload_bytes);
    part->at = before;
    part->bytes = cursor->next >= start ? pass(cursor, segment->payload_bytes - before) : 0;
    part->captured = segment->captured_bytes > before ? MIN(part->bytes, segment->captured_bytes - before) : 0;
    part->ends = cursor->left == 0;
    return begins || part->missing > 0 || part->bytes > 0;
}
