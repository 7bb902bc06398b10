/* bytes.h
 * A row of a packet's bytes, of which the capture may have less than there were.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_BYTES_H
#define SCAN_BYTES_H

#include <stdint.h>

/* Bytes of a packet: `captured` of them are there, of `reported` on the wire. */
struct bytes {
    const uint8_t *at;
    uint32_t captured, reported;
};

/* What follows the first `bytes`; nothing if there are not so many. */
static inline struct bytes
bytes_after(struct bytes bytes, uint32_t length)
{
    if (length > bytes.captured)
        return (struct bytes){ bytes.at + bytes.captured, 0, 0 };
    return (struct bytes){ bytes.at + length, bytes.captured - length,
                           bytes.reported > length ? bytes.reported - length : 0 };
}

/* Not more than `length` of them. */
static inline struct bytes
bytes_within(struct bytes bytes, uint32_t length)
{
    if (bytes.reported > length)
        bytes.reported = length;
    if (bytes.captured > length)
        bytes.captured = length;
    return bytes;
}

static inline uint16_t
bytes_16(struct bytes bytes, uint32_t at)
{
    return (uint16_t)(bytes.at[at] << 8 | bytes.at[at + 1]);
}

static inline uint32_t
bytes_32(struct bytes bytes, uint32_t at)
{
    return (uint32_t)bytes_16(bytes, at) << 16 | bytes_16(bytes, at + 2);
}

#endif
