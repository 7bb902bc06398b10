/* datagrams.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagrams.h"

#include "exchanges_messages.h"
#include "matching.h"
#include "turns.h"

/* Of a conversation's requests, those that are looked at one by one. Where frames are not kept there may be no more. */
enum { LOOKED_AT = DATAGRAMS_RECENT - 1 };

void
datagrams_init(struct datagrams *datagrams, wmem_allocator_t *scope, uint32_t *count)
{
    datagrams->conversations = connection_table_new(scope, count, CONNECTIONS_OF_DNS);
    g_queue_init(&datagrams->outstanding);
}

void
datagrams_clear(struct datagrams *datagrams)
{
    g_queue_clear_full(&datagrams->outstanding, g_free);
}

static bool
asks(const struct datagram *datagram)
{
    return datagram->message.kind == MESSAGE_ASKS;
}

static void
give_up(struct requests *requests, struct request *request, uint32_t frame)
{
    matching_take(requests, request->connection, request->key);
    request_end(request, ENDING_TIMED_OUT);
    request->open = false;
    exchanges_note_change(requests, request, frame);
}

/* Those that nobody waits for any more; and the oldest, to have room for one. */
static void
make_room(struct datagrams *datagrams, struct requests *requests, const struct segment *segment)
{
    const struct request_reference *oldest;
    while ((oldest = g_queue_peek_head(&datagrams->outstanding))) {
        struct request *request = (struct request *)request_referred(oldest);
        const bool waits = request && request->open;
        if (waits && request_has_timed_out(requests, request, segment->time_ns)) {
            give_up(requests, request, segment->frame);
        } else if (waits && datagrams->outstanding.length >= DATAGRAMS_OUTSTANDING) {
            matching_take(requests, request->connection, request->key);
            request_lose(requests, request, segment->frame);
        } else if (waits) {
            return;
        }
        g_free(g_queue_pop_head(&datagrams->outstanding));
    }
}

static void
note_outstanding(struct datagrams *datagrams, const struct request *request)
{
    struct request_reference *reference = g_new(struct request_reference, 1);
    *reference = request_refer(request);
    g_queue_push_tail(&datagrams->outstanding, reference);
}

static struct connection *
find(const struct datagrams *datagrams, const struct segment *segment)
{
    return connection_find(datagrams->conversations, &segment->source, &segment->destination, segment->ipv6);
}

/* What is outstanding with the id alone; NULL for nothing, or several. */
static struct request *
only_outstanding(const struct connection *conversation, const struct datagram *datagram)
{
    struct request *found = NULL;
    const uint32_t n = conversation->n_requests;
    for (uint32_t i = 1; i <= MIN(n, LOOKED_AT); i++) {
        struct request *request = conversation->requests[n - i];
        if (!request->open || request->client_port != datagram->client_port ||
            (uint16_t)request->key != (uint16_t)datagram->message.key)
            continue;
        if (found)
            return NULL;
        found = request;
    }
    return found;
}

/* What the datagram asks once more, or answers; NULL for nothing. */
static struct request *
outstanding(const struct requests *requests, const struct connection *conversation, const struct datagram *datagram)
{
    if (!datagram->names_request && !asks(datagram))
        return only_outstanding(conversation, datagram);
    return matching_first(requests, conversation, datagram->message.key);
}

struct connection *
datagrams_find(struct datagrams *datagrams, const struct requests *requests, struct datagram *datagram)
{
    struct segment *segment = &datagram->segment;
    if (asks(datagram))
        segment->source.port = 0;
    else
        segment->destination.port = 0;
    struct connection *conversation = find(datagrams, segment);
    if (datagram->has_group && (!conversation || !outstanding(requests, conversation, datagram))) {
        struct segment from_group = *segment;
        from_group.source = datagram->group;
        struct connection *of_group = find(datagrams, &from_group);
        if (of_group && outstanding(requests, of_group, datagram)) {
            *segment = from_group;
            return of_group;
        }
    }
    if (conversation)
        return conversation;
    conversation = connection_of(datagrams->conversations, segment, requests->settings);
    connection_set_session(conversation, SESSION_MESSAGES);
    conversation->roles = ROLES_CERTAIN;
    conversation->exchanges.protocol = PROTOCOL_DNS;
    conversation->client = connection_sender(conversation, segment) != !asks(datagram);
    return conversation;
}

/* Answered just before, with this key; NULL for nothing. */
static struct request *
answered(const struct connection *conversation, const struct datagram *datagram)
{
    const uint32_t n = conversation->n_requests;
    for (uint32_t i = 1; i <= MIN(n, LOOKED_AT); i++) {
        struct request *request = conversation->requests[n - i];
        if (request->key == datagram->message.key && request->response.first_frame)
            return request;
    }
    return NULL;
}

/* The datagram as a piece of its sender's stream. Where what comes again begins, the first does. */
static void
place_bytes(const struct connection *conversation, const struct datagram *datagram, const struct run *again,
            struct payload *payload, struct piece *piece)
{
    const struct segment *segment = &datagram->segment;
    const uint8_t side = asks(datagram) ? conversation->client : !conversation->client;
    *payload = (struct payload){ .connection = (struct connection *)conversation, .segment = segment, .sender = side };
    payload->packet.start = again ? again->low : conversation->sender[side].read;
    payload->packet.end = payload->packet.start + segment->payload_bytes;
    payload->packet.fresh = again ? 0 : segment->payload_bytes;
    payload->packet.in_order = true;
    *piece = (struct piece){
        .payload = payload,
        .segment = *segment,
        .start = payload->packet.start,
        .fresh = payload->packet.fresh,
    };
}

/* What has been there, of a request that is known. */
static void
take_again(struct requests *requests, struct connection *conversation, const struct datagram *datagram,
           const struct run *first)
{
    struct payload payload;
    struct piece piece;
    struct carrier carrier = { .piece = &piece };
    place_bytes(conversation, datagram, first, &payload, &piece);
    turns_take(requests, &carrier);
    requests_tell(requests, conversation, &(struct event){ .kind = EVENT_MESSAGE, .message = datagram->message },
                  &datagram->segment);
}

static void
take_new(struct requests *requests, struct connection *conversation, const struct datagram *datagram)
{
    struct payload payload;
    struct piece piece;
    struct carrier carrier = { .piece = &piece };
    place_bytes(conversation, datagram, NULL, &payload, &piece);
    turns_take(requests, &carrier);
    exchanges_tell(requests, &carrier, &(struct event){ .kind = EVENT_MESSAGE, .message = datagram->message });
    conversation->sender[payload.sender].read += piece.fresh;
}

static void
ask(struct datagrams *datagrams, struct requests *requests, struct connection *conversation,
    const struct datagram *query)
{
    take_new(requests, conversation, query);
    conversation->request->client_port = query->client_port;
    conversation->request->attempts = 1;
    note_outstanding(datagrams, conversation->request);
}

static void
take_query(struct datagrams *datagrams, struct requests *requests, struct connection *conversation,
           const struct datagram *query)
{
    const int64_t now_ns = query->segment.time_ns;
    struct request *request = outstanding(requests, conversation, query);
    const bool is_past =
        request && (request_has_timed_out(requests, request, now_ns) || now_ns - request->first_ns > DATAGRAM_TRIES_NS);
    if (is_past)
        give_up(requests, request, query->segment.frame);
    if (!request || is_past) {
        ask(datagrams, requests, conversation, query);
        return;
    }
    request->attempts++;
    request->ending = ENDING_NONE;
    take_again(requests, conversation, query, &request->asking);
}

static void
take_answer(struct requests *requests, struct connection *conversation, struct datagram *answer)
{
    const struct request *request = outstanding(requests, conversation, answer);
    const struct request *before = request ? NULL : answered(conversation, answer);
    /* Those that read JSON files know it by this. */
    if (request)
        answer->message.key = request->key;
    if (before)
        take_again(requests, conversation, answer, &before->response.row);
    else
        take_new(requests, conversation, answer);
}

void
datagrams_take(struct datagrams *datagrams, struct requests *requests, struct connection *conversation,
               struct datagram *datagram)
{
    make_room(datagrams, requests, &datagram->segment);
    if (asks(datagram))
        take_query(datagrams, requests, conversation, datagram);
    else
        take_answer(requests, conversation, datagram);
}

void
datagrams_refuse(struct requests *requests, struct connection *conversation, const struct datagram *query)
{
    struct request *request = matching_first(requests, conversation, query->message.key);
    if (!request)
        return;
    const struct event event = { .kind = EVENT_STOPS, .stops = { request->key, STOP_REFUSED } };
    request->ending = ENDING_REFUSED;
    request_update(requests, request, query->segment.frame);
    requests_tell(requests, conversation, &event, &query->segment);
}
