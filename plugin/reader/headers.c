/* headers.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "headers.h"

#include <string.h>

#include <glib.h>

#include <wsutil/pint.h>

#include "../compat.h"

enum { HEADER_BYTES = 20 };

/* RFC 9293 §3.2: kind 2 is the MSS. */
static void
read_options(const uint8_t *header, uint32_t captured, uint32_t header_bytes, struct segment *segment)
{
    const uint8_t *options = header + HEADER_BYTES;
    uint32_t bytes = header_bytes - HEADER_BYTES;
    segment->options_bytes = (uint8_t)bytes;
    segment->options_captured = captured >= header_bytes;
    segment->mss = 0;
    if (!segment->options_captured || !(segment->flags & SEGMENT_SYN))
        return;
    for (uint32_t i = 0; i < bytes && options[i] != 0;) {
        if (options[i] == 1) {
            i++;
            continue;
        }
        if (i + 1 >= bytes || options[i + 1] < 2 || i + options[i + 1] > bytes)
            return;
        if (options[i] == 2 && options[i + 1] == 4)
            segment->mss = (uint16_t)(options[i + 2] << 8 | options[i + 3]);
        i += options[i + 1];
    }
}

inline bool
segment_header_read(const uint8_t *bytes, uint32_t captured, uint32_t reported, struct segment *segment)
{
    uint8_t filled[HEADER_BYTES] = { 0 };
    if (captured < SEGMENT_HEADER_LEAST)
        return false;
    const uint8_t *header = captured < HEADER_BYTES ? memcpy(filled, bytes, captured) : bytes;
    uint32_t header_bytes = (uint32_t)(header[12] >> 4) * 4;
    if (header_bytes < HEADER_BYTES || header_bytes > reported)
        return false;
    segment->source.port = pntohu16(header);
    segment->destination.port = pntohu16(header + 2);
    segment->seq = pntohu32(header + 4);
    segment->ack = pntohu32(header + 8);
    segment->flags = header[13];
    segment->window = pntohu16(header + 14);
    segment->checksum = pntohu16(header + 16);
    segment->payload_bytes = reported - header_bytes;
    read_options(bytes, captured, header_bytes, segment);
    segment->captured_bytes = captured > header_bytes ? captured - header_bytes : 0;
    segment->payload = captured > header_bytes ? bytes + header_bytes : NULL;
    return true;
}

void
segment_header_read_quoted(const uint8_t *bytes, struct segment *quoted)
{
    quoted->source.port = pntohu16(bytes);
    quoted->destination.port = pntohu16(bytes + 2);
    quoted->seq = pntohu32(bytes + 4);
}

void
datagram_header_read(const uint8_t *bytes, uint32_t captured, uint32_t reported, struct segment *segment)
{
    enum { DESTINATION = 2, LENGTH = 4 };
    const uint32_t length = pntohu16(bytes + LENGTH);
    const uint32_t most = length >= DATAGRAM_HEADER_BYTES ? length : UINT32_MAX;
    segment->source.port = pntohu16(bytes);
    segment->destination.port = pntohu16(bytes + DESTINATION);
    segment->payload = bytes + DATAGRAM_HEADER_BYTES;
    segment->captured_bytes = MIN(captured, most) - DATAGRAM_HEADER_BYTES;
    segment->payload_bytes = MAX(MIN(reported, most) - DATAGRAM_HEADER_BYTES, segment->captured_bytes);
}

/* RFC 792 types 3, 11, 12; RFC 4443 types 1, 3. */
bool
icmp_is_undelivered(bool ipv6, uint8_t type)
{
    return ipv6 ? type == 1 || type == 3 : type == 3 || type == 11 || type == 12;
}
