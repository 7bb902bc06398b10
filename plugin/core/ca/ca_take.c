/* ca_take.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_take.h"

static uint32_t
take_create(const struct ca_taking *taking)
{
    char name[CA_NAME_ROOM];
    const size_t length = ca_name_read(taking->message, taking->payload, taking->captured, name);
    return ca_refer(CA_ABOUT_CHANNEL, ca_taking_add_channel(taking, taking->message->p1, name, length));
}

static uint32_t
take_create_answer(const struct ca_taking *taking)
{
    const struct ca_message *message = taking->message;
    const uint32_t number = ca_taking_answer_create(taking);
    if (message->command == CA_CREATE_CHAN) {
        struct ca_channel *channel = ca_channel_at(taking->channels, number);
        channel->type = message->type;
        channel->count = message->count;
    }
    return ca_refer(CA_ABOUT_CHANNEL, number);
}

static uint32_t
take_rights(const struct ca_taking *taking)
{
    uint32_t number = ca_taking_channel_by_cid(taking, taking->message->p1);
    if (number)
        ca_channel_at(taking->channels, number)->rights = taking->message->p2 & (CA_RIGHT_READ | CA_RIGHT_WRITE);
    return ca_refer(CA_ABOUT_CHANNEL, number);
}

static uint32_t
take_ask(struct ca_channels *channels, const struct ca_batch *batch, const struct ca_message *message,
         const uint8_t *payload, size_t captured, const struct ca_arrival *arrival)
{
    char name[CA_NAME_ROOM];
    const size_t length = ca_name_read(message, payload, captured, name);
    return ca_refer(CA_ABOUT_SEARCH,
                    ca_search_ask(&channels->searches, batch, message->p1, (const uint8_t *)name, length, arrival));
}

/* `sender`: whose address the reply means if it does not say one. */
static uint32_t
take_reply(struct ca_channels *channels, const struct ca_batch *batch, const struct ca_message *message,
           const struct endpoint *sender, bool ipv6, const struct ca_arrival *arrival)
{
    struct endpoint server = *sender;
    if (message->p1 != CA_SENDER_ADDRESS && message->p1 != 0) {
        server = (struct endpoint){ .port = 0 };
        for (unsigned i = 0; i < 4; i++)
            server.address[i] = (uint8_t)(message->p1 >> (24 - 8 * i));
        ipv6 = false;
    }
    server.port = message->type;
    const struct ca_peer *peer = ca_peer(&channels->searches.peers, CA_SERVER_PORT, &server, ipv6);
    uint32_t number = ca_search_reply(&channels->searches, batch, message->p2, peer, arrival);
    const struct ca_search *search = ca_search_at(&channels->searches, number);
    return ca_refer(search && search->replies == 1 ? CA_ABOUT_SEARCH : CA_ABOUT_SEARCH_AGAIN, number);
}

static uint32_t
take_not_found(struct ca_channels *channels, const struct ca_batch *batch, const struct ca_message *message)
{
    return ca_refer(CA_ABOUT_SEARCH_AGAIN, ca_search_not_found(&channels->searches, batch, message->p2));
}

/* What searches, of a circuit. */
static uint32_t
take_search(const struct ca_taking *taking, bool from_client)
{
    const struct ca_circuit *circuit = taking->circuit;
    const struct ca_batch batch = {
        .searcher = ca_peer(&taking->channels->searches.peers, CA_TCP_SEARCHER, &circuit->client, circuit->ipv6),
        .sequence = circuit->sequence,
        .has_sequence = circuit->has_sequence,
    };
    if (from_client)
        return take_ask(taking->channels, &batch, taking->message, taking->payload, taking->captured, taking->arrival);
    if (taking->message->command == CA_SEARCH)
        return take_reply(taking->channels, &batch, taking->message, &circuit->server, circuit->ipv6, taking->arrival);
    return take_not_found(taking->channels, &batch, taking->message);
}

static uint32_t
take_from_client(const struct ca_taking *taking)
{
    const struct ca_message *message = taking->message;
    switch (message->command) {
    case CA_VERSION:
        taking->circuit->has_sequence = message->type == CA_SEQUENCE_VALID && message->p1 != 0;
        taking->circuit->sequence = message->p1;
        return 0;
    case CA_CREATE_CHAN:
        return take_create(taking);
    case CA_SEARCH:
        return take_search(taking, true);
    default:
        break;
    }
    const uint32_t channel = ca_taking_channel(taking);
    return taking->role->kind == CIRCUIT_ASKS ? ca_refer(CA_ABOUT_EXCHANGE, ca_taking_add_exchange(taking, channel))
                                              : ca_refer(CA_ABOUT_CHANNEL, channel);
}

/* Of what it answers more is said: a subscription stays, for its updates, until it is cancelled. */
static void
note_answered(const struct ca_taking *taking, uint32_t exchange)
{
    const struct circuit_role *role = taking->role;
    if (role->command == CA_EVENT_CANCEL)
        ca_taking_forget_exchange(taking, CA_EVENT_ADD, role->id);
    if (role->command == CA_EVENT_ADD)
        lookup_put(&taking->channels->by_id, exchange);
    if (role->command == CA_EVENT_ADD || role->command == CA_READ_NOTIFY || role->command == CA_READ)
        ca_taking_note_value(taking, exchange, 0);
}

/* Number of the channel that an answer is about which answers nothing: an update, or what nobody is known to have
 * asked. */
static uint32_t
channel_of_answer(const struct ca_taking *taking)
{
    const struct ca_message *message = taking->message;
    if (message->command == CA_EVENT_ADD) {
        const struct ca_exchange *subscription =
            pool_at(&taking->channels->exchanges, ca_taking_exchange(taking, CA_EVENT_ADD, message->p2));
        return subscription ? subscription->channel : 0;
    }
    const bool has_cid = message->command == CA_READ || message->command == CA_ERROR;
    const uint32_t channel = has_cid ? ca_taking_channel_by_cid(taking, message->p1) : 0;
    return channel ? channel : ca_taking_channel(taking);
}

/* Of requests about channels that exist, and an ERROR, which may refuse the creation of one, too. */
static uint32_t
take_answer(const struct ca_taking *taking)
{
    const bool answers = taking->role->kind == CIRCUIT_ANSWERS;
    const bool creates = answers && taking->role->command == CA_CREATE_CHAN;
    const uint32_t number = answers ? ca_taking_answer(taking) : 0;
    if (number && !creates)
        note_answered(taking, number);
    if (number || creates)
        return ca_refer(creates ? CA_ABOUT_CHANNEL : CA_ABOUT_EXCHANGE, number);
    return ca_refer(CA_ABOUT_CHANNEL, channel_of_answer(taking));
}

static uint32_t
take_from_server(const struct ca_taking *taking)
{
    const struct ca_message *message = taking->message;
    switch (message->command) {
    case CA_VERSION:
        ca_taking_hello(taking);
        return 0;
    case CA_CREATE_CHAN:
    case CA_CREATE_CH_FAIL:
        return take_create_answer(taking);
    case CA_ACCESS_RIGHTS:
        return take_rights(taking);
    case CA_SERVER_DISCONN:
        return ca_refer(CA_ABOUT_CHANNEL, ca_taking_channel_by_cid(taking, message->p1));
    case CA_SEARCH:
    case CA_NOT_FOUND:
        return take_search(taking, false);
    default:
        return take_answer(taking);
    }
}

uint32_t
ca_take(const struct ca_taking *taking, bool from_client)
{
    return from_client ? take_from_client(taking) : take_from_server(taking);
}

uint32_t
ca_take_datagram(struct ca_channels *channels, struct ca_batch *batch, const struct ca_message *message,
                 const uint8_t *payload, size_t captured, const struct endpoint *source, bool ipv6,
                 const struct ca_arrival *arrival)
{
    switch (message->command) {
    case CA_VERSION:
        batch->has_sequence = message->type & CA_SEQUENCE_VALID;
        batch->sequence = message->p1;
        return 0;
    case CA_SEARCH:
        if (message->count == 0)
            return take_reply(channels, batch, message, source, ipv6, arrival);
        return take_ask(channels, batch, message, payload, captured, arrival);
    case CA_NOT_FOUND:
        return take_not_found(channels, batch, message);
    default:
        return 0;
    }
}
