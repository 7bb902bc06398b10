/* segment_reading.h
 * The object `segments` of docs/json.md: its ends, and its segments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_SEGMENT_READING_H
#define LATENCY_MERGE_SEGMENT_READING_H

#include "core/util/settings.h"
#include "record.h"

/* What the files have said of a port. */
enum port_kind port_likelihood(uint16_t port);

/* Two endpoints, and how likely each port is a server's. */
void segment_reading_ends(struct record *record, struct endpoint *endpoint, bool *ipv6);

/* A row. False if it is not what docs/json.md says. */
bool segment_reading_row(struct record *record, JsonArray *columns, const struct endpoint *endpoint, bool ipv6,
                         struct segment *segment);

#endif
