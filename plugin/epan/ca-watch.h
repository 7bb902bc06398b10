/* ca-watch.h
 * Watches TCP segments for what no dissector of payload sees: how circuits begin and end, and messages that Wireshark's
 * TCP does not hand over, because they fill a gap late or were captured out of order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_WATCH_H
#define LATENCY_CA_WATCH_H

#include <epan/packet.h>

#include "ca-reader.h"

void ca_watch_register(void);

/* TCP has handed over bytes of the segment that ends at `end`, in the sequence numbers it hands to dissectors. */
void ca_watch_heard(uint32_t end);

/* What TCP handed over fills a gap: since 4.6 it does so on the first visit alone. */
void ca_watch_remember(const struct ca_reader *reader, const uint8_t *bytes, size_t available);

#endif
