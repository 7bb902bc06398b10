/* pva_monitor.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_monitor.h"

#include "pva_message.h"

uint32_t
pva_monitor_update(const struct ca_taking *taking, uint32_t exchange)
{
    struct pool *updates = &taking->channels->updates;
    struct ca_exchange *monitor = pool_at(&taking->channels->exchanges, exchange);
    const struct ca_update *before = pool_at(updates, monitor->updated);
    const uint16_t losses = taking->circuit->losses[false];
    const uint32_t added = pool_add(updates);
    *(struct ca_update *)pool_at(updates, added) = (struct ca_update){
        .time_ns = taking->circuit->told_ns,
        .monitor = exchange,
        .before = before && before->losses == losses ? monitor->updated : 0,
        .frame = taking->arrival->frame,
        .losses = losses,
    };
    return monitor->updated = added;
}

uint32_t
pva_monitor_unseen(const struct ca_taking *taking, uint32_t channel)
{
    struct ca_channels *channels = taking->channels;
    uint32_t number = pool_add(&channels->exchanges);
    struct ca_exchange *monitor = pool_at(&channels->exchanges, number);
    ca_taking_note_request(taking, &monitor->request, taking->role->id);
    monitor->request.outcome = CA_ORPHAN;
    monitor->request.request_frame = 0;
    monitor->channel = channel;
    lookup_put(&channels->by_id, number);
    return number;
}

bool
pva_monitor_concerns(const struct ca_event *event)
{
    bool is_of_start = event->kind == CA_REQUEST_ASKED || event->kind == CA_REQUEST_ANSWERED;
    return event->protocol && event->protocol->number == PROTOCOL_PVA &&
           (event->kind == CA_UPDATED || (is_of_start && event->subject.exchange->request.command == PVA_MONITOR));
}
