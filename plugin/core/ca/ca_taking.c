/* ca_taking.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_taking.h"

#include <string.h>

#include "circuit_protocol.h"

uint32_t
ca_taking_channel(const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    return role->has_sid ? lookup_find(&taking->channels->by_sid, ca_sid_key(taking->circuit, role->sid)) : 0;
}

void
ca_taking_hello(const struct ca_taking *taking)
{
    struct ca_circuit *circuit = taking->circuit;
    if (circuit->hello_ns != INT64_MIN)
        return;
    circuit->hello_ns = taking->arrival->time_ns;
    circuit->hello_frame = taking->arrival->frame;
}

void
ca_taking_note_request(const struct ca_taking *taking, struct ca_request *request, uint32_t id)
{
    *request = (struct ca_request){
        .circuit = taking->circuit,
        .request_ns = taking->arrival->time_ns,
        .request_frame = taking->arrival->frame,
        .command = taking->role->command,
        .id = id,
        .outcome = CA_WAITING,
    };
}

static void
wait(const struct ca_taking *taking, const struct ca_request *request, uint32_t number)
{
    waiting_add(&taking->channels->waiting, taking->circuit->number, ca_request_key(request->command, request->id),
                GUINT_TO_POINTER(number));
}

uint32_t
ca_taking_waiting(const struct ca_taking *taking, unsigned command, uint32_t id)
{
    const struct waiting *waiting = &taking->channels->waiting;
    return GPOINTER_TO_UINT(waiting_first(waiting, taking->circuit->number, ca_request_key(command, id)));
}

bool
ca_taking_is_certain(const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    const bool creates = role->command == taking->circuit->protocol->create;
    if (taking->circuit->losses[false] == 0)
        return true;
    const struct ca_exchange *exchange =
        pool_at(&taking->channels->exchanges, creates ? 0 : ca_taking_waiting(taking, role->command, role->id));
    if (!exchange)
        return true;
    const bool lacks_answers = exchange->losses[false] != taking->circuit->losses[false];
    const bool lacks_requests = exchange->losses[true] != taking->circuit->losses[true];
    return !lacks_answers || (!role->is_alike && !(lacks_requests && taking->circuit->protocol->reuses_ids));
}

uint32_t
ca_taking_answer(const struct ca_taking *taking)
{
    struct ca_channels *channels = taking->channels;
    const struct ca_circuit *circuit = taking->circuit;
    const struct circuit_role *role = taking->role;
    const bool creates = role->command == circuit->protocol->create;
    const uint32_t number = GPOINTER_TO_UINT(waiting_take(&channels->waiting, circuit->number, circuit_role_key(role)));
    /* both records begin with it */
    struct ca_request *request = pool_at(creates ? &channels->channels : &channels->exchanges, number);
    if (!request)
        return 0;
    request->answer_ns = taking->arrival->time_ns;
    request->answer_frame = taking->arrival->frame;
    request->outcome = role->outcome;
    request->status = role->reason ? ca_reasons_add(&channels->reasons, role->reason, role->reason_bytes)
                                   : (uint16_t)MIN(role->status, UINT16_MAX);
    if (creates)
        lookup_put(&channels->by_cid, number);
    return number;
}

static struct ca_channel *
add_channel(const struct ca_taking *taking, uint32_t cid, uint32_t *number)
{
    *number = pool_add(&taking->channels->channels);
    struct ca_channel *channel = ca_channel_at(taking->channels, *number);
    ca_taking_note_request(taking, &channel->create, cid);
    channel->rights = CA_RIGHTS_UNKNOWN;
    return channel;
}

uint32_t
ca_taking_add_channel(const struct ca_taking *taking, uint32_t cid, const char *name, size_t name_bytes)
{
    struct ca_searches *searches = &taking->channels->searches;
    const struct ca_circuit *circuit = taking->circuit;
    uint32_t number;
    struct ca_channel *channel = add_channel(taking, cid, &number);
    channel->search = ca_search_use(searches, circuit->host, cid, name, circuit->peer, &channel->ambiguous);
    const struct ca_search *search = ca_search_at(searches, channel->search);
    channel->pv = search ? search->pv : texts_add(&searches->names, name, name_bytes);
    wait(taking, &channel->create, number);
    return number;
}

/* Its request is not in the capture. */
static uint32_t
add_orphan(const struct ca_taking *taking)
{
    uint32_t number;
    struct ca_channel *channel = add_channel(taking, taking->role->id, &number);
    channel->create.outcome = CA_ORPHAN;
    channel->create.request_frame = 0;
    channel->create.answer_ns = taking->arrival->time_ns;
    channel->create.answer_frame = taking->arrival->frame;
    taking->channels->orphans++;
    lookup_put(&taking->channels->by_cid, number);
    return number;
}

uint32_t
ca_taking_answer_create(const struct ca_taking *taking)
{
    const uint32_t answered = ca_taking_answer(taking), number = answered ? answered : add_orphan(taking);
    if (taking->role->outcome == CA_OK) {
        ca_channel_at(taking->channels, number)->sid = taking->role->sid;
        lookup_put(&taking->channels->by_sid, number);
    }
    return number;
}

uint32_t
ca_taking_add_exchange(const struct ca_taking *taking, uint32_t channel)
{
    struct pool *exchanges = &taking->channels->exchanges;
    const uint32_t number = pool_add(exchanges);
    struct ca_exchange *exchange = pool_at(exchanges, number);
    ca_taking_note_request(taking, &exchange->request, taking->role->id);
    exchange->channel = channel;
    memcpy(exchange->losses, taking->circuit->flow[true].losses, sizeof exchange->losses);
    wait(taking, &exchange->request, number);
    return number;
}

/* The number of the record that was asked for so: if none waits, of the one that was answered. */
static uint32_t
asked(const struct ca_taking *taking, const struct lookup *answered, unsigned command, uint32_t id)
{
    const uint32_t waiting = ca_taking_waiting(taking, command, id);
    return waiting ? waiting : lookup_find(answered, ca_request_whole_key(taking->circuit, command, id));
}

uint32_t
ca_taking_channel_by_cid(const struct ca_taking *taking, uint32_t cid)
{
    return asked(taking, &taking->channels->by_cid, taking->circuit->protocol->create, cid);
}

uint32_t
ca_taking_exchange(const struct ca_taking *taking, unsigned command, uint32_t id)
{
    return asked(taking, &taking->channels->by_id, command, id);
}

void
ca_taking_note_value(const struct ca_taking *taking, uint32_t exchange, unsigned begins)
{
    const struct ca_exchange *answered = pool_at(&taking->channels->exchanges, exchange);
    struct ca_channel *channel = ca_channel_at(taking->channels, answered->channel);
    if (!channel || channel->first_value.answered || answered->request.outcome != CA_OK)
        return;
    const uint32_t begun = begins ? ca_taking_exchange(taking, begins, answered->request.id) : 0;
    channel->first_value.asked = begun ? begun : exchange;
    channel->first_value.answered = exchange;
}

void
ca_taking_forget_exchange(const struct ca_taking *taking, unsigned command, uint32_t id)
{
    waiting_forget(&taking->channels->waiting, taking->circuit->number, ca_request_key(command, id));
    lookup_remove(&taking->channels->by_id, ca_request_whole_key(taking->circuit, command, id));
}
