/* pva_take.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_take.h"

#include "pva_message.h"
#include "pva_monitor.h"
#include "pva_operation.h"
#include "pva_search.h"

static struct pva_cursor
cursor_of(const struct ca_taking *taking)
{
    return pva_cursor_of(taking->payload, taking->captured, pva_is_big_endian(taking->message));
}

static uint16_t
reason_of(const struct ca_taking *taking, const struct pva_status *status)
{
    if (!pva_status_failed(status))
        return 0;
    return ca_reasons_add(&taking->channels->reasons, status->message.bytes, status->message.length);
}

static void
take_create(const struct ca_taking *taking, ca_note note, void *data)
{
    struct ca_channels *channels = taking->channels;
    struct pva_cursor cursor = cursor_of(taking);
    unsigned count = pva_read_u16(&cursor), i = 0;
    for (; i < count; i++) {
        char pv[PVA_NAME_ROOM];
        const uint32_t cid = pva_read_u32(&cursor);
        if (cursor.failed)
            break;
        const size_t length = pva_read_name(&cursor, pv);
        const uint32_t number = ca_taking_add_channel(taking, cid, pv, length);
        struct ca_channel *channel = ca_channel_at(channels, number);
        struct ca_search *search = ca_search_at(&channels->searches, channel->search);
        if (search) {
            channel->before = search->channel;
            search->channel = number;
        }
        note(data, ca_refer(CA_ABOUT_CHANNEL, number));
    }
    if (i == 0)
        note(data, 0);
}

static uint32_t
take_create_answer(const struct ca_taking *taking)
{
    struct ca_channels *channels = taking->channels;
    struct pva_cursor cursor = cursor_of(taking);
    uint32_t cid = pva_read_u32(&cursor), sid = pva_read_u32(&cursor);
    if (cursor.failed)
        return 0;
    const struct pva_status status = pva_read_status(&cursor);
    bool failed = pva_status_failed(&status);
    uint32_t number =
        ca_taking_answer(taking, PVA_CREATE_CHANNEL, cid, failed ? CA_FAILED : CA_OK, reason_of(taking, &status));
    if (number == 0)
        number = ca_taking_add_orphan(taking, cid);
    if (!failed) {
        ca_channel_at(channels, number)->sid = sid;
        lookup_put(&channels->by_sid, number);
    }
    return ca_refer(CA_ABOUT_CHANNEL, number);
}

static uint32_t
ask(const struct ca_taking *taking, unsigned request, uint32_t id, uint32_t channel)
{
    /* What was asked with this id before has been answered; of ECHO, which has none, several may wait. */
    if (request != PVA_ECHO)
        ca_taking_forget_exchange(taking, request, id);
    return ca_refer(CA_ABOUT_EXCHANGE, ca_taking_add_exchange(taking, request, id, channel));
}

/* An id that begins an operation is no other one's any more: what waits for an answer with it will get none. */
static void
forget_operation(const struct ca_taking *taking, unsigned command, uint32_t ioid)
{
    ca_taking_forget_exchange(taking, command, ioid);
    ca_taking_forget_exchange(taking, command | PVA_INIT, ioid);
}

/* What began the operation; NULL if that is not in the capture. */
static const struct ca_exchange *
operation_of(const struct ca_taking *taking, unsigned command, uint32_t ioid)
{
    return pool_at(&taking->channels->exchanges, ca_taking_exchange(taking, command | PVA_INIT, ioid));
}

/* The first that waits for an answer with this id; NULL if none does. */
static const struct ca_exchange *
waiting(const struct ca_taking *taking, unsigned request, uint32_t id)
{
    return pool_at(&taking->channels->exchanges, ca_taking_waiting(taking, request, id));
}

static uint32_t
take_request(const struct ca_taking *taking, const struct pva_operation *operation)
{
    unsigned command = taking->message->command;
    uint32_t channel = ca_taking_channel_by_sid(taking, operation->sid);
    if (operation->request & PVA_INIT)
        forget_operation(taking, command, operation->ioid);
    /* A MONITOR that is started again still waits for one update. */
    if (!operation->asks || (command == PVA_MONITOR && waiting(taking, operation->request, operation->ioid)))
        return ca_refer(CA_ABOUT_CHANNEL, channel);
    return ask(taking, operation->request, operation->ioid, channel);
}

static bool
is_certain(const struct ca_taking *taking, unsigned request, uint32_t id)
{
    const struct ca_exchange *exchange = waiting(taking, request, id);
    if (!exchange)
        return true;
    bool lacks_answers = exchange->losses[false] != taking->circuit->losses[false];
    bool lacks_requests = exchange->losses[true] != taking->circuit->losses[true];
    /* A later update looks like the first one, and answers to ECHO are all alike. */
    return !lacks_answers || (!lacks_requests && request != PVA_MONITOR && request != PVA_ECHO);
}

/* Returns the exchange's number; 0 if no request waits for this answer. What begins an operation stays, and what starts
 * a monitor. */
static uint32_t
answer(const struct ca_taking *taking, unsigned request, uint32_t id, const struct pva_status *status)
{
    if (!is_certain(taking, request, id))
        ca_taking_forget_exchange(taking, request, id);
    const bool failed = status && pva_status_failed(status);
    const uint32_t number =
        ca_taking_answer(taking, request, id, failed ? CA_FAILED : CA_OK, status ? reason_of(taking, status) : 0);
    struct ca_exchange *exchange = pool_at(&taking->channels->exchanges, number);
    if (!exchange)
        return 0;
    exchange->updated = 0;
    if (request & PVA_INIT || request == PVA_MONITOR)
        lookup_put(&taking->channels->by_id, number);
    return number;
}

/* Of a channel, from the beginning of the operation that brought it. */
static void
note_value(const struct ca_taking *taking, uint32_t number)
{
    const struct ca_exchange *exchange = pool_at(&taking->channels->exchanges, number);
    struct ca_channel *channel = ca_channel_at(taking->channels, exchange->channel);
    if (!channel || channel->first_value.answered || exchange->request.outcome != CA_OK)
        return;
    uint32_t operation = ca_taking_exchange(taking, exchange->request.command | PVA_INIT, exchange->request.id);
    channel->first_value.asked = operation ? operation : number;
    channel->first_value.answered = number;
}

static uint32_t
take_answer(const struct ca_taking *taking, const struct pva_operation *operation)
{
    unsigned command = taking->message->command;
    uint32_t number =
        answer(taking, operation->request, operation->ioid, operation->has_status ? &operation->status : NULL);
    bool updates = operation->request == PVA_MONITOR && !(operation->subcommand & PVA_SUB_DESTROY);
    if (number == 0) {
        const struct ca_exchange *begun = operation_of(taking, command, operation->ioid);
        const uint32_t channel = begun ? begun->channel : 0;
        return updates ? pva_monitor_update(taking, operation->ioid, channel) : ca_refer(CA_ABOUT_CHANNEL, channel);
    }
    if (updates)
        pva_monitor_begin(taking, number);
    if (operation->request == PVA_GET || operation->request == PVA_MONITOR)
        note_value(taking, number);
    return ca_refer(CA_ABOUT_EXCHANGE, number);
}

/* DESTROY_REQUEST, CANCEL_REQUEST and MESSAGE have an operation's id, but do not say which kind it is of. */
static uint32_t
channel_of_operation(const struct ca_taking *taking, uint32_t ioid)
{
    for (unsigned command = PVA_GET; command < PVA_COMMANDS; command++) {
        const struct ca_exchange *begun = pva_has_subcommand(command) ? operation_of(taking, command, ioid) : NULL;
        if (begun)
            return ca_refer(CA_ABOUT_CHANNEL, begun->channel);
    }
    return 0;
}

unsigned
pva_take_doubtful(const struct ca_taking *taking)
{
    struct pva_cursor cursor = cursor_of(taking);
    struct pva_operation operation = { .request = PVA_ECHO };
    if ((taking->message->command != PVA_ECHO &&
         !pva_operation_read(taking->message->command, &cursor, false, &operation)) ||
        is_certain(taking, operation.request, operation.ioid))
        return 0;
    return waiting_count(&taking->channels->waiting, taking->circuit->number,
                         ca_request_key(operation.request, operation.ioid));
}

uint32_t
pva_take_channel(const struct ca_taking *taking)
{
    struct pva_cursor cursor = cursor_of(taking);
    uint32_t sid = pva_read_u32(&cursor);
    unsigned command = taking->message->command;
    bool has_sid = pva_has_subcommand(command) || command == PVA_GET_FIELD || command == PVA_DESTROY_CHANNEL ||
                   command == PVA_DESTROY_REQUEST || command == PVA_CANCEL_REQUEST;
    return cursor.failed || !has_sid ? 0 : ca_taking_channel_by_sid(taking, sid);
}

uint32_t
pva_take_channel_of(const struct ca_taking *taking, bool from_client)
{
    struct pva_cursor cursor = cursor_of(taking);
    struct pva_operation operation;
    if (from_client)
        return pva_take_channel(taking);
    if (!pva_operation_read(taking->message->command, &cursor, false, &operation))
        return 0;
    const struct ca_exchange *begun = operation_of(taking, taking->message->command, operation.ioid);
    const struct ca_exchange *asked = begun ? begun : waiting(taking, operation.request, operation.ioid);
    return asked ? asked->channel : 0;
}

static uint32_t
take_destroy(const struct ca_taking *taking, bool from_client)
{
    struct pva_cursor cursor = cursor_of(taking);
    pva_read_u32(&cursor);
    uint32_t cid = pva_read_u32(&cursor), channel = ca_taking_channel_by_cid(taking, cid);
    if (cursor.failed)
        return 0;
    if (from_client)
        return ask(taking, PVA_DESTROY_CHANNEL, cid, channel);
    uint32_t number = answer(taking, PVA_DESTROY_CHANNEL, cid, NULL);
    return number ? ca_refer(CA_ABOUT_EXCHANGE, number) : ca_refer(CA_ABOUT_CHANNEL, channel);
}

static void
take_hello(struct ca_circuit *circuit, const struct ca_arrival *arrival)
{
    if (circuit->hello_ns != INT64_MIN)
        return;
    circuit->hello_ns = arrival->time_ns;
    circuit->hello_frame = arrival->frame;
}

static uint32_t
take_one(const struct ca_taking *taking, bool from_client)
{
    struct pva_cursor cursor = cursor_of(taking);
    struct pva_operation operation;
    switch (taking->message->command) {
    case PVA_CREATE_CHANNEL:
        return take_create_answer(taking);
    case PVA_DESTROY_CHANNEL:
        return take_destroy(taking, from_client);
    case PVA_CONNECTION_VALIDATED:
        if (!from_client)
            take_hello(taking->circuit, taking->arrival);
        return 0;
    case PVA_ECHO:
        return from_client ? ask(taking, PVA_ECHO, 0, 0)
                           : ca_refer(CA_ABOUT_EXCHANGE, answer(taking, PVA_ECHO, 0, NULL));
    case PVA_DESTROY_REQUEST:
    case PVA_CANCEL_REQUEST:
        return ca_refer(CA_ABOUT_CHANNEL, pva_take_channel(taking));
    case PVA_MESSAGE:
        return channel_of_operation(taking, pva_read_u32(&cursor));
    default:
        if (!pva_operation_read(taking->message->command, &cursor, from_client, &operation)) {
            taking->circuit->losses[from_client] += pva_has_subcommand(taking->message->command);
            return 0;
        }
        return from_client ? take_request(taking, &operation) : take_answer(taking, &operation);
    }
}

void
pva_take(const struct ca_taking *taking, bool from_client, ca_note note, void *data)
{
    unsigned command = taking->message->command;
    if (command == PVA_CREATE_CHANNEL && from_client)
        take_create(taking, note, data);
    else if (command == PVA_SEARCH || command == PVA_SEARCH_RESPONSE)
        pva_search_take(taking, note, data);
    else
        note(data, take_one(taking, from_client));
}
