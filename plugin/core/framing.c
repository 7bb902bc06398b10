/* framing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing.h"

/* A request on its way to an answer; behind it those of the connection with the same key. */
struct waiting {
    struct request *request;
    struct waiting *next;
    struct waiting *last; /* meaningful in the first */
};

static unsigned
hash_waiting(const void *data)
{
    const struct request *request = ((const struct waiting *)data)->request;
    return wmem_int64_hash(&request->key) ^ request->connection->number * 2654435761U;
}

static int
equal_waiting(const void *a, const void *b)
{
    const struct request *x = ((const struct waiting *)a)->request, *y = ((const struct waiting *)b)->request;
    return x->key == y->key && x->connection == y->connection;
}

static struct waiting *
find(const struct requests *requests, struct connection *connection, uint64_t key)
{
    struct request of;
    const struct waiting wanted = { .request = &of };
    of.connection = connection;
    of.key = key;
    return requests->waiting ? wmem_map_lookup(requests->waiting, &wanted) : NULL;
}

static void
wait(struct requests *requests, struct request *request)
{
    struct waiting *first = find(requests, request->connection, request->key);
    struct waiting *waiting = wmem_new(requests->scope, struct waiting);
    *waiting = (struct waiting){ .request = request, .last = waiting };
    if (!requests->waiting)
        requests->waiting = wmem_map_new(requests->scope, hash_waiting, equal_waiting);
    if (first)
        first->last = first->last->next = waiting;
    else
        wmem_map_insert(requests->waiting, waiting, waiting);
}

/* The next one moves up. */
static struct request *
stop_waiting(struct requests *requests, struct waiting *first)
{
    struct request *request = first->request;
    wmem_map_remove(requests->waiting, first);
    if (first->next) {
        first->next->last = first->last;
        wmem_map_insert(requests->waiting, first->next, first->next);
    }
    wmem_free(requests->scope, first);
    return request;
}

static bool
take_back(struct requests *requests, struct connection *connection, struct item *item)
{
    struct request *request = connection->request;
    bool begun_now = item->kind == ITEM_REQUEST && item->request == request && request->number == requests->count &&
                     request->q0_frame == requests->taken.segment.frame && !request->p0_frame &&
                     request->asking.start == requests->taken.start;
    if (!begun_now)
        return false;
    requests->taken.row = request->asking;
    request_take_back(requests, request);
    return true;
}

static void
correct_client(struct connection *connection, uint8_t sender, bool from_client)
{
    if (connection->role_certain || connection->n_requests > 0)
        return;
    connection->client = from_client ? sender : !sender;
    connection->role_certain = true;
}

static void
claim(struct requests *requests, struct connection *connection, bool from_client)
{
    struct taken *taken = &requests->taken;
    if (taken->connection != connection)
        return;
    connection->framing.claimed = true;
    struct item *item = taken->has_item ? items_at(requests->items, taken->position) : NULL;
    bool taken_back = item && take_back(requests, connection, item);
    correct_client(connection, connection_sender(connection, &taken->segment), from_client);
    if (!item)
        return;
    if (item->kind == ITEM_UNSOLICITED)
        taken->row = connection->unsolicited;
    if (taken_back || item->kind == ITEM_UNSOLICITED) {
        item->kind = item->sender == connection->client ? ITEM_STRAY : ITEM_UNSOLICITED;
        item->connection = connection;
    }
    taken->owned = item_request(item) != NULL;
}

static struct run *
run_of(struct request *request, bool asks)
{
    return asks ? &request->asking : &request->answering;
}

void
framing_take(struct requests *requests, struct connection *connection, const struct segment *segment,
             const struct place *place, bool from_client)
{
    const uint8_t from = from_client ? connection->client : !connection->client;
    struct request *request = connection->framing.under_way[from_client];
    struct taken *taken = &requests->taken;
    enum item_kind kind = from_client ? ITEM_STRAY : ITEM_UNSOLICITED;
    if (request)
        kind = from_client ? ITEM_REQUEST : ITEM_RESPONSE;
    struct item *item = items_add(requests->items, segment->frame, kind);
    taken->row = run_begin(place->start);
    run_add(request ? run_of(request, from_client) : &taken->row, segment, place, &connection->sender[from].continuity,
            requests->settings, item);
    item->sender = from;
    taken->owned = request != NULL;
    if (!request) {
        item->connection = connection;
        return;
    }
    item->request = request;
    request->flags += item_flags(item);
    if (from_client)
        request_asks_more(request, segment, place->fresh);
    else
        request_answers_more(request, segment, place->fresh);
}

/* The message is in the frame: the segment's item becomes its request's, if it is nobody's yet. */
static void
note_item(struct requests *requests, struct request *request, bool asks)
{
    struct connection *connection = request->connection;
    struct taken *taken = &requests->taken;
    struct item *item;
    if (taken->connection == connection && taken->has_item && !taken->owned) {
        item = items_at(requests->items, taken->position);
        *run_of(request, asks) = taken->row;
        taken->owned = true;
    } else {
        item = items_add(requests->items, taken->segment.frame, ITEM_REQUEST);
        item->flags |= ITEM_FIRST | ITEM_MESSAGE;
        item->sender = asks ? connection->client : !connection->client;
    }
    item->kind = asks ? ITEM_REQUEST : ITEM_RESPONSE;
    item->request = request;
}

static struct request *
begin_asking(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct waiting *waiting = message->joins ? find(requests, connection, message->key) : NULL;
    struct segment segment = requests->taken.segment;
    struct request *request = waiting ? waiting->request : NULL;
    if (!request) {
        segment.operation = message->operation;
        request = request_begin(requests, connection, &segment, requests->taken.start);
        request->key = message->key;
        request->told_apart = request->open = true;
        wait(requests, request);
    }
    connection->framing.before = request->request_bytes;
    request_asks_more(request, &segment, message->bytes);
    return request;
}

static struct request *
begin_answering(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct waiting *waiting = find(requests, connection, message->key);
    const struct segment *segment = &requests->taken.segment;
    if (!waiting || connection->reset)
        return NULL;
    struct request *request = stop_waiting(requests, waiting);
    if (request_has_timed_out(requests, request, segment->time_ns)) {
        request->timed_out = true;
        request->open = false;
        items_add(requests->items, segment->frame, ITEM_AMENDED)->request = request;
        return NULL;
    }
    request_is_answered(request, segment, requests->taken.start);
    request_answers_more(request, segment, message->bytes);
    return request;
}

static struct request *
begin(struct requests *requests, struct connection *connection, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request =
        asks ? begin_asking(requests, connection, message) : begin_answering(requests, connection, message);
    if (request)
        note_item(requests, request, asks);
    return request;
}

static void
end(struct connection *connection, struct request *request, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    if (asks)
        request->request_bytes = connection->framing.before + message->bytes;
    else
        request->response_bytes = message->bytes;
    request->open = asks;
}

static void
break_off(struct connection *connection)
{
    struct request **under_way = connection->framing.under_way;
    if (under_way[false])
        under_way[false]->open = false;
    under_way[false] = under_way[true] = NULL;
}

static void
take(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct request **under_way = &connection->framing.under_way[message->kind == MESSAGE_ASKS];
    struct request *request = *under_way;
    if (!request || request->key != message->key) {
        break_off(connection);
        request = begin(requests, connection, message);
    }
    if (request && message->ends)
        end(connection, request, message);
    *under_way = message->ends ? NULL : request;
}

void
framing_tell(struct requests *requests, struct connection *connection, const struct message *message)
{
    if (requests->settings->by_turns || connection->framing.claimed == (message->kind == MESSAGE_CLAIM))
        return;
    switch (message->kind) {
    case MESSAGE_CLAIM:
        claim(requests, connection, message->from_client);
        break;
    case MESSAGE_BREAK:
        break_off(connection);
        break;
    default:
        take(requests, connection, message);
        break;
    }
    if (requests->told)
        requests->told(connection, message);
}

void
framing_forget(struct requests *requests, struct connection *connection)
{
    break_off(connection);
    for (uint32_t i = 0; requests->waiting && i < connection->n_requests; i++) {
        struct request *request = connection->requests[i];
        struct waiting *first;
        while (request->open && (first = find(requests, connection, request->key)))
            stop_waiting(requests, first)->open = false;
    }
}
