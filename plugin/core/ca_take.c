/* ca_take.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_take.h"

/* What one message is taken with. */
struct taking {
    struct ca_channels *channels;
    struct ca_circuit *circuit;
    const struct ca_message *message;
    const uint8_t *payload;
    size_t captured;
    const struct ca_arrival *arrival;
};

static uint32_t
channel_by_cid(const struct taking *taking, uint32_t cid)
{
    return lookup_find(&taking->channels->by_cid, ca_request_key(taking->circuit, CA_CREATE_CHAN, cid));
}

static uint32_t
channel_by_sid(const struct taking *taking, uint32_t sid)
{
    return lookup_find(&taking->channels->by_sid, ca_sid_key(taking->circuit, sid));
}

static void
note_request(const struct taking *taking, struct ca_request *request, unsigned command, uint32_t id)
{
    *request = (struct ca_request){
        .circuit = taking->circuit,
        .request_ns = taking->arrival->time_ns,
        .request_frame = taking->arrival->frame,
        .command = (uint8_t)command,
        .id = id,
        .outcome = CA_WAITING,
    };
}

static uint32_t
take_create(const struct taking *taking)
{
    struct ca_channels *channels = taking->channels;
    uint32_t number = pool_add(&channels->channels);
    struct ca_channel *channel = ca_channel_at(channels, number);
    size_t length = MIN(ca_text_length(taking->payload, taking->captured), CA_NAME_MOST);
    char name[CA_NAME_MOST + 1];
    memcpy(name, taking->payload, length);
    name[length] = '\0';
    note_request(taking, &channel->create, CA_CREATE_CHAN, taking->message->p1);
    channel->first_value_ns = -1;
    channel->search = ca_search_use(&channels->searches, taking->circuit->host, taking->message->p1, name,
                                    taking->circuit->party, &channel->ambiguous);
    const struct ca_search *search = ca_search_at(&channels->searches, channel->search);
    channel->pv = search ? search->pv : texts_add(&channels->searches.names, name, length);
    ca_request_wait(&channels->by_cid, number);
    return ca_refer(CA_ABOUT_CHANNEL, number);
}

/* An answer whose request is not in the capture still says which channel later messages are about. */
static uint32_t
take_orphan(const struct taking *taking)
{
    struct ca_channels *channels = taking->channels;
    uint32_t number = pool_add(&channels->channels);
    struct ca_channel *channel = ca_channel_at(channels, number);
    note_request(taking, &channel->create, CA_CREATE_CHAN, taking->message->p1);
    channel->create.outcome = CA_ORPHAN;
    channel->create.request_frame = 0;
    channel->create.answer_ns = taking->arrival->time_ns;
    channel->create.answer_frame = taking->arrival->frame;
    channel->first_value_ns = -1;
    channels->orphans++;
    lookup_put(&channels->by_cid, number);
    return number;
}

static uint32_t
take_create_answer(const struct taking *taking)
{
    struct ca_channels *channels = taking->channels;
    const struct ca_message *message = taking->message;
    bool created = message->command == CA_CREATE_CHAN;
    uint32_t number = ca_request_answer(&channels->by_cid, ca_request_key(taking->circuit, CA_CREATE_CHAN, message->p1),
                                        taking->arrival, created ? CA_OK : CA_FAILED, 0);
    if (number == 0)
        number = take_orphan(taking);
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
take_rights(const struct taking *taking)
{
    uint32_t number = channel_by_cid(taking, taking->message->p1);
    if (number)
        ca_channel_at(taking->channels, number)->rights = taking->message->p2 & (CA_RIGHT_READ | CA_RIGHT_WRITE);
    return ca_refer(CA_ABOUT_CHANNEL, number);
}

static uint32_t
take_request(const struct taking *taking, uint32_t id, uint32_t channel)
{
    struct ca_channels *channels = taking->channels;
    uint32_t number = pool_add(&channels->exchanges);
    struct ca_exchange *exchange = pool_at(&channels->exchanges, number);
    note_request(taking, &exchange->request, taking->message->command, id);
    exchange->channel = channel;
    ca_request_wait(&channels->by_id, number);
    return ca_refer(CA_ABOUT_EXCHANGE, number);
}

static void
note_value(const struct ca_channels *channels, const struct ca_exchange *exchange)
{
    struct ca_channel *channel = ca_channel_at(channels, exchange->channel);
    if (channel && channel->first_value_ns < 0 && exchange->request.outcome == CA_OK)
        channel->first_value_ns = ca_request_latency(&exchange->request);
}

/* Returns the exchange's number; 0 if no request waits for this answer. A subscription stays, for its updates. */
static uint32_t
answer_request(const struct taking *taking, unsigned command, uint32_t id, enum ca_outcome outcome, uint32_t status)
{
    struct ca_channels *channels = taking->channels;
    uint64_t key = ca_request_key(taking->circuit, command, id);
    uint32_t number = ca_request_answer(&channels->by_id, key, taking->arrival, outcome, status);
    if (number == 0)
        return 0;
    if (command != CA_EVENT_ADD && lookup_find(&channels->by_id, key) == number)
        lookup_remove(&channels->by_id, key);
    if (command == CA_EVENT_ADD || command == CA_READ_NOTIFY || command == CA_READ)
        note_value(channels, pool_at(&channels->exchanges, number));
    return number;
}

static uint32_t
take_answer(const struct taking *taking, uint32_t id, uint32_t status)
{
    enum { ECA_NORMAL = 1 };
    return ca_refer(CA_ABOUT_EXCHANGE, answer_request(taking, taking->message->command, id,
                                                      status == ECA_NORMAL ? CA_OK : CA_FAILED, status));
}

/* An update; without payload, what confirms that there will be no more. */
static uint32_t
take_update(const struct taking *taking)
{
    struct ca_channels *channels = taking->channels;
    const struct ca_message *message = taking->message;
    uint64_t key = ca_request_key(taking->circuit, CA_EVENT_ADD, message->p2);
    uint32_t cancelled = message->size == 0 ? answer_request(taking, CA_EVENT_CANCEL, message->p2, CA_OK, 1) : 0;
    if (cancelled) {
        lookup_remove(&channels->by_id, key);
        return ca_refer(CA_ABOUT_EXCHANGE, cancelled);
    }
    uint32_t first = take_answer(taking, message->p2, message->p1);
    if (first)
        return first;
    const struct ca_exchange *subscription = pool_at(&channels->exchanges, lookup_find(&channels->by_id, key));
    return subscription ? ca_refer(CA_ABOUT_CHANNEL, subscription->channel) : 0;
}

static uint32_t
take_read_answer(const struct taking *taking)
{
    uint32_t reference = take_answer(taking, taking->message->p2, 1);
    return reference ? reference : ca_refer(CA_ABOUT_CHANNEL, channel_by_cid(taking, taking->message->p1));
}

/* The id by which a request is answered. */
static uint32_t
id_of(const struct ca_message *request)
{
    switch (request->command) {
    case CA_CREATE_CHAN:
        return request->p1;
    case CA_READ_SYNC:
    case CA_ECHO:
        return 0;
    default:
        return request->p2;
    }
}

static uint32_t
take_error(const struct taking *taking)
{
    struct ca_channels *channels = taking->channels;
    struct ca_message request;
    uint32_t status = taking->message->p2;
    if (ca_message_read(taking->payload, taking->captured, &request) == CA_CUT)
        return ca_refer(CA_ABOUT_CHANNEL, channel_by_cid(taking, taking->message->p1));
    uint32_t number;
    if (request.command == CA_CREATE_CHAN) {
        number = ca_request_answer(&channels->by_cid, ca_request_key(taking->circuit, CA_CREATE_CHAN, request.p1),
                                   taking->arrival, CA_REFUSED, status);
        return ca_refer(CA_ABOUT_CHANNEL, number);
    }
    number = request.command < CA_COMMANDS
                 ? answer_request(taking, request.command, id_of(&request), CA_REFUSED, status)
                 : 0;
    if (number)
        return ca_refer(CA_ABOUT_EXCHANGE, number);
    number = channel_by_cid(taking, taking->message->p1);
    return ca_refer(CA_ABOUT_CHANNEL, number ? number : channel_by_sid(taking, request.p1));
}

static uint32_t
take_ask(struct ca_channels *channels, const struct ca_batch *batch, const struct ca_message *message,
         const uint8_t *payload, size_t captured, const struct ca_arrival *arrival)
{
    return ca_refer(CA_ABOUT_SEARCH, ca_search_ask(&channels->searches, batch, message->p1, payload,
                                                   MIN(ca_text_length(payload, captured), CA_NAME_MOST), arrival));
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
    const struct ca_party *party = ca_party(&channels->searches.parties, CA_SERVER_PORT, &server, ipv6);
    uint32_t number = ca_search_reply(&channels->searches, batch, message->p2, party, arrival);
    const struct ca_search *search = ca_search_at(&channels->searches, number);
    return ca_refer(search && search->replies == 1 ? CA_ABOUT_SEARCH : CA_ABOUT_SEARCH_AGAIN, number);
}

static struct ca_batch
circuit_batch(const struct taking *taking)
{
    const struct ca_circuit *circuit = taking->circuit;
    return (struct ca_batch){
        .searcher = ca_party(&taking->channels->searches.parties, CA_TCP_SEARCHER, &circuit->client, circuit->ipv6),
        .sequence = circuit->sequence,
        .has_sequence = circuit->has_sequence,
    };
}

static uint32_t
take_from_client(const struct taking *taking)
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
    case CA_READ_SYNC:
    case CA_ECHO:
        return take_request(taking, id_of(message), channel_by_sid(taking, message->p1));
    case CA_WRITE:
        return ca_refer(CA_ABOUT_CHANNEL, channel_by_sid(taking, message->p1));
    default:
        return 0;
    }
}

static uint32_t
take_from_server(const struct taking *taking)
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
        return ca_refer(CA_ABOUT_CHANNEL, channel_by_cid(taking, message->p1));
    case CA_EVENT_ADD:
        return take_update(taking);
    case CA_READ:
        return take_read_answer(taking);
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
        return take_answer(taking, message->p2, message->p1);
    case CA_CLEAR_CHANNEL:
    case CA_READ_SYNC:
    case CA_ECHO:
        return take_answer(taking, id_of(message), 1);
    case CA_ERROR:
        return take_error(taking);
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
    const struct taking taking = { channels, circuit, message, payload, captured, arrival };
    channels->last_ns = MAX(channels->last_ns, arrival->time_ns);
    return from_client ? take_from_client(&taking) : take_from_server(&taking);
}

uint32_t
ca_take_datagram(struct ca_channels *channels, struct ca_batch *batch, const struct ca_message *message,
                 const uint8_t *payload, size_t captured, const struct endpoint *source, bool ipv6,
                 const struct ca_arrival *arrival)
{
    channels->last_ns = MAX(channels->last_ns, arrival->time_ns);
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
