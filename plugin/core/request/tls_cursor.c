/* tls_cursor.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_cursor.h"

#include <glib.h>

/* RFC 5246 §6.2.3 */
enum { RECORD_LONGEST = (1 << 14) + 2048 };

/* Of SSLv2: a length has this bit, a cipher 3 bytes, a session none or 16, a challenge 16 to 32. */
enum {
    SSLV2 = 0x80,
    CLIENT_HELLO = 1,
    CIPHER_BYTES = 3,
    SESSION_BYTES = 16,
    CHALLENGE_LEAST = 16,
    CHALLENGE_MOST = 32
};

static unsigned
number(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static unsigned
sslv2_length(const uint8_t *header)
{
    return number(header) & 0x7fff;
}

bool
tls_may_be_sslv2(const uint8_t *bytes, size_t n)
{
    if (n < 1 || !(bytes[0] & SSLV2) || (n > 2 && bytes[2] != CLIENT_HELLO) || (n > 3 && bytes[3] != 3) ||
        (n > 4 && bytes[4] > 4))
        return false;
    const unsigned least = TLS_SSLV2_BYTES - 2 + CIPHER_BYTES + CHALLENGE_LEAST;
    if (n < TLS_SSLV2_BYTES)
        return n < 2 || sslv2_length(bytes) >= least;
    const unsigned ciphers = number(bytes + 5), session = number(bytes + 7), challenge = number(bytes + 9);
    return ciphers > 0 && ciphers % CIPHER_BYTES == 0 && (session == 0 || session == SESSION_BYTES) &&
           challenge >= CHALLENGE_LEAST && challenge <= CHALLENGE_MOST &&
           TLS_SSLV2_BYTES - 2 + ciphers + session + challenge == sslv2_length(bytes);
}

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
    cursor->n_header = 0;
    cursor->is_sslv2 = !cursor->has_record && tls_may_be_sslv2(header, TLS_HEADER_BYTES);
    cursor->has_record = true;
    if (cursor->is_sslv2) {
        cursor->type = TLS_HANDSHAKE_RECORD;
        cursor->bytes = cursor->left = sslv2_length(header) + 2 - TLS_HEADER_BYTES;
        return true;
    }
    cursor->type = header[0];
    cursor->bytes = cursor->left = (uint32_t)header[3] << 8 | header[4];
    return header[0] >= TLS_CHANGE_CIPHER_SPEC && header[0] <= TLS_HEARTBEAT && header[1] == 3 && header[2] <= 4 &&
           cursor->bytes <= RECORD_LONGEST;
}

/* Takes what the payload has of a header. Returns whether a record begins behind it. */
static bool
take_header(struct tls_cursor *cursor, const struct segment *segment, int64_t start)
{
    while (cursor->n_header < TLS_HEADER_BYTES) {
        const int64_t at = cursor->next - start;
        if (at >= segment->payload_bytes)
            return false;
        cursor->is_lost = at < 0 || at >= segment->captured_bytes;
        if (cursor->is_lost)
            return false;
        cursor->header[cursor->n_header++] = segment->payload[at];
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
