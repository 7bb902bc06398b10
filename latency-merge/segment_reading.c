/* segment_reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "segment_reading.h"

#include "core/util/settings.h"
#include "table/event_row.h"

/* What the files say of ports; one table for all replays, for the core asks by port alone. */
static uint8_t port_kinds[UINT16_MAX + 1];

enum port_kind
port_likelihood(uint16_t port)
{
    return (enum port_kind)port_kinds[port];
}

void
segment_reading_ends(struct record *record, struct endpoint *endpoint, bool *ipv6)
{
    bool of_end[2] = { false, false };
    struct elements addresses = record_array(record, "address");
    struct elements ports = record_array(record, "port");
    struct elements likelihood = record_array(record, "server_likelihood");
    for (unsigned i = 0; i < 2; i++) {
        if (!address_read(record_next_text(record, "address", &addresses), &endpoint[i], &of_end[i]))
            record->wrong = record->wrong ? record->wrong : "address";
        endpoint[i].port = (uint16_t)record_next_int(record, "port", &ports, 0, UINT16_MAX);
        port_kinds[endpoint[i].port] =
            (uint8_t)record_next_int(record, "server_likelihood", &likelihood, PORT_PLAIN, PORT_CONFIGURED);
    }
    if (of_end[0] != of_end[1])
        record->wrong = record->wrong ? record->wrong : "address";
    *ipv6 = of_end[0];
}

bool
segment_reading_row(struct record *record, struct elements columns, const struct endpoint *endpoint, bool ipv6,
                    struct segment_row *row)
{
    static const char name[] = "segments";
    const int64_t furthest_ns = INT64_C(1) << 62;
    struct segment *segment = &row->segment;
    row->frame = (uint64_t)record_next_int(record, name, &columns, 1, INT64_MAX >> 1);
    *segment = (struct segment){ .time_ns = record_next_int(record, name, &columns, -furthest_ns, furthest_ns) };
    const int64_t side = record_next_int(record, name, &columns, 0, 1);
    segment->source = endpoint[side];
    segment->destination = endpoint[!side];
    segment->ipv6 = ipv6;
    segment->seq = (uint32_t)record_next_int(record, name, &columns, 0, UINT32_MAX);
    segment->ack = (uint32_t)record_next_int(record, name, &columns, 0, UINT32_MAX);
    row->flags = (unsigned)record_next_int(record, name, &columns, 0, FLAGS_MOST);
    segment->flags = (uint8_t)row->flags;
    segment->fragmented = row->flags & FLAG_FRAGMENT;
    segment->has_ip_id = row->flags & FLAG_HAS_IP_ID;
    segment->payload_bytes = (uint32_t)record_next_int(record, name, &columns, 0, UINT32_MAX);
    segment->window = (uint16_t)record_next_int(record, name, &columns, 0, UINT16_MAX);
    segment->checksum = (uint16_t)record_next_int(record, name, &columns, 0, UINT16_MAX);
    segment->ip_id = (uint16_t)record_next_int(record, name, &columns, 0, UINT16_MAX);
    segment->operation = record_next_operation(record, name, &columns);
    return !record->wrong;
}
