/* ca_tap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_tap.h"

#include <epan/tap.h>

#include "../../table/ca_events.h"
#include "ca_state.h"
#include "../intake/intake.h"
#include "packet-ca.h"

static int tap_ca;

void
ca_tap_event(packet_info *pinfo, const struct ca_event *event)
{
    if (event->kind != CA_NO_EVENT && have_tap_listener(tap_ca))
        tap_queue_packet(tap_ca, pinfo, wmem_memdup(pinfo->pool, event, sizeof *event));
}

static void
queue(void *data, const struct ca_event *event)
{
    ca_tap_event(data, event);
}

static void
queue_item(packet_info *pinfo, const struct item *item)
{
    ca_events_note_item(intake_source(), item);
    if (item->kind == ITEM_HELD)
        ca_tap_event(pinfo, &(struct ca_event){ .kind = CA_HELD });
    ca_events_each(ca_state_channels(), item, queue, pinfo);
}

void
ca_tap_frame(packet_info *pinfo)
{
    struct items *items = intake_analysis()->items;
    uint32_t position;
    unsigned count = 0;
    if (!have_tap_listener(tap_ca))
        return;
    const struct late_item *late = PINFO_FD_VISITED(pinfo) ? NULL : items_late(items, &count);
    for (unsigned i = 0; i < count; i++)
        queue_item(pinfo, &late[i].item);
    for (const struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position))
        queue_item(pinfo, item);
}

int
ca_tap_id(void)
{
    return tap_ca;
}

int
ca_tap_register(void)
{
    return tap_ca = register_tap(CA_TAP);
}
