/* segment_reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "segment_reading.h"

#include "core/util/settings.h"
#include "table/segment_columns.h"

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
    JsonArray *addresses = record_array(record, "address");
    JsonArray *ports = record_array(record, "port");
    JsonArray *likelihood = record_array(record, "server_likelihood");
    for (unsigned i = 0; i < 2; i++) {
        if (!address_read(record_text_element(record, "address", addresses, i), &endpoint[i], &of_end[i]))
            record->wrong = record->wrong ? record->wrong : "address";
        endpoint[i].port = (uint16_t)record_element(record, "port", ports, i, 0, UINT16_MAX);
        port_kinds[endpoint[i].port] =
            (uint8_t)record_element(record, "server_likelihood", likelihood, i, PORT_PLAIN, PORT_CONFIGURED);
    }
    if (of_end[0] != of_end[1])
        record->wrong = record->wrong ? record->wrong : "address";
    *ipv6 = of_end[0];
}

bool
segment_reading_row(struct record *record, JsonArray *columns, const struct endpoint *endpoint, bool ipv6,
                    struct segment *segment)
{
    static const char name[] = "segments";
    const int64_t furthest_ns = INT64_C(1) << 62;
    int64_t flags = record_element(record, name, columns, COLUMN_FLAGS, 0, FLAGS_MOST);
    int64_t side = record_element(record, name, columns, COLUMN_SIDE, 0, 1);
    *segment = (struct segment){
        .time_ns = record_element(record, name, columns, COLUMN_TIME, -furthest_ns, furthest_ns),
        .source = endpoint[side],
        .destination = endpoint[!side],
        .ipv6 = ipv6,
        .seq = (uint32_t)record_element(record, name, columns, COLUMN_SEQ, 0, UINT32_MAX),
        .ack = (uint32_t)record_element(record, name, columns, COLUMN_ACK, 0, UINT32_MAX),
        .flags = (uint8_t)flags,
        .fragmented = flags & FLAG_FRAGMENT,
        .has_ip_id = flags & FLAG_HAS_IP_ID,
        .payload_bytes = (uint32_t)record_element(record, name, columns, COLUMN_PAYLOAD_BYTES, 0, UINT32_MAX),
        .window = (uint16_t)record_element(record, name, columns, COLUMN_WINDOW, 0, UINT16_MAX),
        .checksum = (uint16_t)record_element(record, name, columns, COLUMN_CHECKSUM, 0, UINT16_MAX),
        .ip_id = (uint16_t)record_element(record, name, columns, COLUMN_IP_ID, 0, UINT16_MAX),
        .operation = "",
    };
    if (columns && json_array_get_length(columns) > COLUMN_OPERATION)
        segment->operation = record_operation_element(record, name, columns, COLUMN_OPERATION);
    return !record->wrong;
}
