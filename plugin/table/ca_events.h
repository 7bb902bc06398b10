/* ca_events.h
 * The messages of Channel Access that an item stands for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_EVENTS_H
#define LATENCY_CA_EVENTS_H

#include "../core/ca/ca_event.h"
#include "../core/tcp/item.h"
#include "table_source.h"

/* The source has messages of the protocol, or of the circuit of an item that has one. */
void ca_events_note_protocol(struct table_source *source, const struct circuit_protocol *protocol);
void ca_events_note_item(struct table_source *source, const struct item *item);

/* Calls `take` for each message of an ITEM_CIRCUIT that is an event; of other items for none. */
void ca_events_each(const struct ca_channels *channels, const struct item *item,
                    void (*take)(void *data, const struct ca_event *event), void *data);

#endif
