/* datagram_header.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagram_header.h"

#include <glib.h>

#include <wsutil/pint.h>

#include "../compat.h"

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
