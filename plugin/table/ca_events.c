/* ca_events.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_events.h"

void
ca_events_note_protocol(struct table_source *source, const struct circuit_protocol *protocol)
{
    if (protocol == &circuit_of_channel_access)
        source->has_channel_access = true;
    else
        source->has_pvaccess = true;
}

void
ca_events_note_item(struct table_source *source, const struct item *item)
{
    if (item->kind == ITEM_CIRCUIT)
        ca_events_note_protocol(source, item->circuit->protocol);
}

void
ca_events_each(const struct ca_channels *channels, const struct item *item,
               void (*take)(void *data, const struct ca_event *event), void *data)
{
    if (item->kind != ITEM_CIRCUIT)
        return;
    const struct ca_flow *flow = &item->circuit->flow[item->from_client];
    for (uint32_t i = 0; i < item->n_messages; i++) {
        const struct ca_event event =
            ca_event_of_noted(channels, item->circuit, item->from_client, &flow->noted[item->first_message + i]);
        if (event.kind != CA_NO_EVENT)
            take(data, &event);
    }
}
