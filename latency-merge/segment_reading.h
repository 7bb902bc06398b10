/* segment_reading.h
 * The object `segments` of docs/json-internal.md: its ends, and its segments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_SEGMENT_READING_H
#define LATENCY_MERGE_SEGMENT_READING_H

#include "core/util/settings.h"
#include "json/record.h"

/* What the files have said of a port. */
enum port_kind port_likelihood(uint16_t port);

/* Two endpoints, and how likely each port is a server's. */
void segment_reading_ends(struct record *record, struct endpoint *endpoint, bool *ipv6);

struct segment_row {
    struct segment segment;
    uint64_t frame;
    unsigned flags; /* with those beside TCP's */
};

/* A row. False if it is not what docs/json-internal.md says. */
bool segment_reading_row(struct record *record, struct elements columns, const struct endpoint *endpoint, bool ipv6,
                         struct segment_row *row);

#endif
