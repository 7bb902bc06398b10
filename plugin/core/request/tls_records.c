/* tls_records.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_records.h"

enum { FIRST_TYPE = 20, APPLICATION_DATA = 23, LAST_TYPE = 24 };

/* RFC 5246 §6.2.3 */
enum { LONGEST = (1 << 14) + 2048 };

/* Of TLS 1.3: an alert has 2 bytes, a new key 5; with them a type and 16 bytes of authentication. */
enum { SMALL = 5 + 1 + 16 };

struct tls_records
tls_records_begin(int64_t offset)
{
    return (struct tls_records){ .next = offset };
}

bool
tls_record_is_small(uint32_t bytes)
{
    return bytes <= SMALL;
}

static bool
begin_record(struct tls_records *records)
{
    const uint8_t *header = records->header;
    const uint32_t bytes = (uint32_t)header[3] << 8 | header[4];
    if (header[0] < FIRST_TYPE || header[0] > LAST_TYPE || header[1] != 3 || header[2] > 4 || bytes > LONGEST)
        return false;
    records->bytes = bytes;
    records->is_data = header[0] == APPLICATION_DATA;
    records->goes_on = true;
    records->next += TLS_HEADER_BYTES + (int64_t)bytes;
    records->held = 0;
    return true;
}

bool
tls_records_take(struct tls_records *records, const struct segment *segment, int64_t start,
                 void (*ended)(void *data, uint32_t bytes), void *data)
{
    const int64_t end = start + segment->payload_bytes;
    while (records->next + records->held <= end) {
        const int64_t at = records->next + records->held;
        if (records->goes_on && records->is_data)
            ended(data, records->bytes);
        records->goes_on = false;
        if (at == end)
            break;
        if (at < start || at - start >= segment->captured_bytes)
            return false;
        records->header[records->held++] = segment->payload[at - start];
        if (records->held == TLS_HEADER_BYTES && !begin_record(records))
            return false;
    }
    return true;
}
