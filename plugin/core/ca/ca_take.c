/* ca_take.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_take.h"

#include "ca_exchange.h"

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
    struct ca_channels *channels = taking->channels;
    const struct ca_message *message = taking->message;
    bool created = message->command == CA_CREATE_CHAN;
    uint32_t number = ca_taking_answer(taking, CA_CREATE_CHAN, message->p1, created ? CA_OK : CA_FAILED, 0);
    if (number == 0)
        number = ca_taking_add_orphan(taking, message->p1);
    if (created) {
        struct ca_channel *channel = ca_channel_at(channels, number);
        channel->sid = message->p2;
        channel->type = message->type;
        channel->count = message->count;
        lookup_put(&channels->by_sid, number);
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

static struct ca_batch
circuit_batch(const struct ca_taking *taking)
{
    const struct ca_circuit *circuit = taking->circuit;
    return (struct ca_batch){
        .searcher = ca_peer(&taking->channels->searches.peers, CA_TCP_SEARCHER, &circuit->client, circuit->ipv6),
        .sequence = circuit->sequence,
        .has_sequence = circuit->has_sequence,
    };
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
    case CA_SEARCH: {
        struct ca_batch batch = circuit_batch(taking);
        return take_ask(taking->channels, &batch, message, taking->payload, taking->captured, taking->arrival);
    }
    case CA_EVENT_ADD:
    case CA_EVENT_CANCEL:
    case CA_READ:
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
    case CA_CLEAR_CHANNEL:
        return ca_exchange_take(taking, ca_taking_channel_by_sid(taking, message->p1));
    case CA_READ_SYNC:
    case CA_ECHO:
        return ca_exchange_take(taking, 0);
    case CA_WRITE:
        return ca_refer(CA_ABOUT_CHANNEL, ca_taking_channel_by_sid(taking, message->p1));
    default:
        return 0;
    }
}

static uint32_t
take_from_server(const struct ca_taking *taking)
{
    const struct ca_message *message = taking->message;
    struct ca_circuit *circuit = taking->circuit;
    switch (message->command) {
    case CA_VERSION:
        if (circuit->hello_ns == INT64_MIN) {
            circuit->hello_ns = taking->arrival->time_ns;
            circuit->hello_frame = taking->arrival->frame;
        }
        return 0;
    case CA_CREATE_CHAN:
    case CA_CREATE_CH_FAIL:
        return take_create_answer(taking);
    case CA_ACCESS_RIGHTS:
        return take_rights(taking);
    case CA_SERVER_DISCONN:
        return ca_refer(CA_ABOUT_CHANNEL, ca_taking_channel_by_cid(taking, message->p1));
    case CA_EVENT_ADD:
        return ca_exchange_take_update(taking);
    case CA_READ:
        return ca_exchange_take_read(taking);
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
        return ca_exchange_take_answer(taking, message->p2, message->p1);
    case CA_CLEAR_CHANNEL:
    case CA_READ_SYNC:
    case CA_ECHO:
        return ca_exchange_take_answer(taking, ca_exchange_id(message), 1);
    case CA_ERROR:
        return ca_exchange_take_error(taking);
    case CA_SEARCH: {
        struct ca_batch batch = circuit_batch(taking);
        return take_reply(taking->channels, &batch, message, &circuit->server, circuit->ipv6, taking->arrival);
    }
    case CA_NOT_FOUND: {
        struct ca_batch batch = circuit_batch(taking);
        return ca_refer(CA_ABOUT_SEARCH_AGAIN, ca_search_not_found(&taking->channels->searches, &batch, message->p2));
    }
    default:
        return 0;
    }
}

uint32_t
ca_take(struct ca_channels *channels, struct ca_circuit *circuit, const struct ca_message *message,
        const uint8_t *payload, size_t captured, bool from_client, const struct ca_arrival *arrival)
{
    const struct ca_taking taking = { channels, circuit, message, payload, captured, arrival };
    return from_client ? take_from_client(&taking) : take_from_server(&taking);
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
        return ca_refer(CA_ABOUT_SEARCH_AGAIN, ca_search_not_found(&channels->searches, batch, message->p2));
    default:
        return 0;
    }
}
