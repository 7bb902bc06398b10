/* mysql_compressed.c
 * MySQL's compressed protocol, of which nothing is read but that it is there: its requests are told by turns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mysql.h"

static uint32_t
number(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

/* MySQL's compressed packets: their bytes, their number, the bytes that they were, which they are if that is 0; behind
 * it zlib's (RFC 1950), or a packet with a command. What a client asks begins with number 0. */
bool
mysql_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    enum { COMPRESSED_HEADER = 7, LEAST = COMPRESSED_HEADER + 5, ZLIB = 0x78 };
    if (length < LEAST || bytes[3] != 0)
        return false;
    const uint32_t size = number(bytes), was = number(bytes + 4), inside = number(bytes + COMPRESSED_HEADER);
    const bool is_packet =
        was == 0 && size > HEADER && inside == size - HEADER && bytes[10] == 0 && bytes[11] > 0 && bytes[11] <= 0x1f;
    const unsigned first = bytes[COMPRESSED_HEADER], second = bytes[COMPRESSED_HEADER + 1];
    if (!is_packet && !(was > size && first == ZLIB && (first * 256 + second) % 31 == 0))
        return false;
    operation_put_text(writer, "MySQL, compressed");
    return true;
}
