/* pva_take.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_take.h"

#include "pva_message.h"
#include "pva_monitor.h"
#include "pva_search.h"

static struct pva_cursor
cursor_of(const struct ca_taking *taking)
{
    return pva_cursor_of(taking->payload, taking->captured, pva_is_big_endian(taking->message));
}

static void
take_create(const struct ca_taking *taking, ca_note note, void *data)
{
    struct ca_channels *channels = taking->channels;
    struct pva_cursor cursor = cursor_of(taking);
    const unsigned count = pva_read_u16(&cursor);
    for (unsigned i = 0; i < count; i++) {
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
}

/* What began the operation; NULL if that is not in the capture. */
static const struct ca_exchange *
operation_of(const struct ca_taking *taking, unsigned command, uint32_t ioid)
{
    return pool_at(&taking->channels->exchanges, ca_taking_exchange(taking, command | PVA_INIT, ioid));
}

/* The exchange that waits longest for such an answer; NULL if none does. */
static const struct ca_exchange *
waiting(const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    const bool creates = role->command == PVA_CREATE_CHANNEL;
    return pool_at(&taking->channels->exchanges, creates ? 0 : ca_taking_waiting(taking, role->command, role->id));
}

/* A MONITOR that is started again still waits for one update. */
static bool
asks_again(const struct ca_taking *taking)
{
    return taking->role->joins && waiting(taking);
}

void
pva_take_give_up(struct reading *reading, const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    /* Of ECHO, which has no id, several may wait. */
    if (role->kind != CIRCUIT_ASKS || role->command == PVA_ECHO || asks_again(taking))
        return;
    /* An id that begins an operation is no other one's any more. */
    if (role->command & PVA_INIT)
        circuit_give_up(reading, taking, role->command & ~PVA_INIT, STOP_LOST, 0);
    circuit_give_up(reading, taking, role->command, STOP_LOST, role->joins ? 0 : 1);
}

static uint32_t
take_from_client(const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    uint32_t channel = ca_taking_channel(taking);
    if (role->kind != CIRCUIT_ASKS || asks_again(taking))
        return ca_refer(CA_ABOUT_CHANNEL, channel);
    if (role->command == PVA_DESTROY_CHANNEL)
        channel = ca_taking_channel_by_cid(taking, role->id);
    return ca_refer(CA_ABOUT_EXCHANGE, ca_taking_add_exchange(taking, channel));
}

/* The message looks like an answer, and no request waits for it. */
static uint32_t
take_more(const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    if (role->command == PVA_DESTROY_CHANNEL)
        return ca_refer(CA_ABOUT_CHANNEL, ca_taking_channel_by_cid(taking, role->id));
    const struct ca_exchange *begun = operation_of(taking, role->command, role->id);
    const uint32_t channel = begun ? begun->channel : 0;
    if (!role->updates)
        return ca_refer(CA_ABOUT_CHANNEL, channel);
    const uint32_t started = ca_taking_exchange(taking, PVA_MONITOR, role->id);
    return ca_refer(CA_ABOUT_UPDATE,
                    pva_monitor_update(taking, started ? started : pva_monitor_unseen(taking, channel)));
}

/* What begins an operation stays, and what starts a monitor. */
static uint32_t
take_answer(const struct ca_taking *taking)
{
    const unsigned request = taking->role->command;
    const uint32_t number = ca_taking_answer(taking);
    struct ca_exchange *exchange = pool_at(&taking->channels->exchanges, number);
    if (!exchange)
        return take_more(taking);
    exchange->updated = 0;
    if (request & PVA_INIT || request == PVA_MONITOR)
        lookup_put(&taking->channels->by_id, number);
    if (taking->role->updates)
        pva_monitor_update(taking, number);
    if (request == PVA_GET || request == PVA_MONITOR)
        ca_taking_note_value(taking, number, request | PVA_INIT);
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

uint32_t
pva_take_channel_of(const struct ca_taking *taking, bool from_client)
{
    const struct circuit_role *role = taking->role;
    if (from_client)
        return ca_taking_channel(taking);
    if (role->kind != CIRCUIT_ANSWERS)
        return 0;
    const struct ca_exchange *begun = operation_of(taking, role->command, role->id);
    const struct ca_exchange *asked = begun ? begun : waiting(taking);
    return asked ? asked->channel : 0;
}

static uint32_t
take_from_server(const struct ca_taking *taking)
{
    if (taking->message->command == PVA_CONNECTION_VALIDATED)
        ca_taking_hello(taking);
    if (taking->role->kind != CIRCUIT_ANSWERS)
        return 0;
    return taking->role->command == PVA_CREATE_CHANNEL ? ca_refer(CA_ABOUT_CHANNEL, ca_taking_answer_create(taking))
                                                       : take_answer(taking);
}

static uint32_t
take_one(const struct ca_taking *taking, bool from_client)
{
    struct pva_cursor cursor = cursor_of(taking);
    if (taking->message->command == PVA_MESSAGE)
        return channel_of_operation(taking, pva_read_u32(&cursor));
    if (taking->role->kind == CIRCUIT_IS_CUT) {
        taking->circuit->losses[from_client]++;
        return 0;
    }
    return from_client ? take_from_client(taking) : take_from_server(taking);
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
