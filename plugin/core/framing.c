/* framing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing.h"

#include <string.h>

#include "framing-late.h"
#include "framing-turn.h"
#include "unplaced.h"
#include "waiting.h"

const struct request *
framing_first(const struct requests *requests, struct connection *connection, uint64_t key)
{
    return waiting_first(requests, connection, key);
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
claim(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct taken *taken = &requests->taken;
    if (taken->connection != connection)
        return;
    struct request *turn = connection->request;
    connection->framing.claimed = true;
    connection->framing.has_asked = false;
    connection->framing.hidden = message->hidden;
    connection->framing.kind = (uint8_t)MIN(message->key, FRAMING_KINDS - 1);
    struct item *item = taken->has_item ? items_at(requests->items, taken->position) : NULL;
    bool taken_back = item && framing_take_back(requests, connection, item);
    correct_client(connection, connection_sender(connection, &taken->segment), message->from_client);
    if (!item)
        return;
    if (!taken_back && connection->framing.kind != FRAMING_CA)
        framing_leave_turn(connection, turn);
    if (item->kind == ITEM_UNSOLICITED)
        taken->row = connection->unsolicited;
    if (taken_back || item->kind == ITEM_UNSOLICITED) {
        item->kind = item->sender == connection->client ? ITEM_STRAY : ITEM_UNSOLICITED;
        item->connection = connection;
    }
    taken->owned = item_request(item) != NULL;
}

void
framing_take(struct requests *requests, struct connection *connection, const struct segment *segment,
             const struct place *place, bool from_client)
{
    const uint8_t from = from_client ? connection->client : !connection->client;
    struct taken *taken = &requests->taken;
    struct request *request = connection->framing.under_way[from_client];
    enum item_kind kind = from_client ? ITEM_STRAY : ITEM_UNSOLICITED;
    if (taken->lateness != IN_TIME)
        request = taken->lateness == LATE_AND_GOES_ON ? connection->framing.late[from_client] : NULL;
    if (taken->lateness != IN_TIME && !request)
        request = request_at(connection, from_client, place->start);
    if (!from_client && connection->framing.turn)
        request = framing_end_turn(requests, connection, segment, place);
    if (request && request->number)
        kind = from_client ? ITEM_REQUEST : ITEM_RESPONSE;
    /* answered before it was all there: it is not to be forgotten in this frame */
    if (request && request->number && from_client && !request->open)
        request_amend(requests, request);
    struct item *item = items_add(requests->items, segment->frame, kind);
    taken->row = run_begin(place->start);
    run_add(request ? framing_run(request, from_client) : &taken->row, segment, place,
            &connection->sender[from].continuity, requests->settings, item);
    item->sender = from;
    taken->owned = request != NULL;
    if (!request) {
        item->connection = connection;
        return;
    }
    if (request->number) {
        item->request = request;
        request->flags += item_flags(item);
    } else {
        unplaced_note(requests, request, item, items_last(requests->items));
    }
    uint64_t bytes = connection->framing.hidden && request->told_apart ? 0 : place->fresh;
    if (from_client)
        request_asks_more(request, segment, bytes);
    else
        request_answers_more(request, segment, bytes);
}

static struct request *
begin_asking(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct segment segment = requests->taken.segment;
    struct request *request = message->joins ? waiting_first(requests, connection, message->key) : NULL;
    if (!request) {
        segment.operation = message->operation;
        request = request_begin(requests, connection, &segment, requests->taken.start);
        request->key = message->key;
        request->framing = connection->framing.kind;
        request->told_apart = request->open = true;
        request->begins_claim = !connection->framing.has_asked;
        connection->framing.has_asked = true;
        waiting_add(requests, request);
    }
    connection->framing.before = request->request_bytes;
    request_asks_more(request, &segment, message->bytes);
    return request;
}

static struct request *
begin_answering(struct requests *requests, struct connection *connection, const struct message *message)
{
    const struct segment *segment = &requests->taken.segment;
    struct request *request = connection->reset ? NULL : waiting_take(requests, connection, message->key);
    if (!request)
        return NULL;
    if (request_has_timed_out(requests, request, segment->time_ns)) {
        request->timed_out = true;
        request->open = false;
        request_amend(requests, request);
        return NULL;
    }
    request_is_answered(request, segment, requests->taken.start);
    connection->framing.longest_ns = MAX(connection->framing.longest_ns, request_first_byte(request));
    request_answers_more(request, segment, message->bytes);
    return request;
}

static struct request *
begin_unplaced(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct request *answer = unplaced_begin(requests, connection);
    answer->key = message->key;
    request_answers_more(answer, &requests->taken.segment, message->bytes);
    return answer;
}

static struct request *
begin(struct requests *requests, struct connection *connection, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request = NULL;
    if (asks)
        request = begin_asking(requests, connection, message);
    else if (message->kind == MESSAGE_ANSWERS)
        request = begin_answering(requests, connection, message);
    else if (!connection->reset)
        request = begin_unplaced(requests, connection, message);
    if (request)
        framing_note_item(requests, request, asks);
    return request;
}

static void
count(const struct connection *connection, struct request *request, const struct message *message)
{
    if (message->kind == MESSAGE_ASKS)
        request->request_bytes = connection->framing.before + message->bytes;
    else
        request->response_bytes = message->bytes;
}

static void
end(const struct connection *connection, struct request *request, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    request->open = asks && (!request->p0_frame || connection->framing.under_way[false] == request);
}

static bool
is_settled(const struct request *request)
{
    return !request->told_apart || request->settled;
}

/* Those that wait, but for the `kept` that asked last. */
static void
lose(struct requests *requests, struct connection *connection, uint64_t kept)
{
    uint32_t i = connection->n_requests - (uint32_t)MIN(kept, connection->n_requests);
    struct request *last = i > 0 ? connection->requests[i - 1] : NULL;
    for (; i > 0 && !is_settled(connection->requests[i - 1]); i--) {
        struct request *request = connection->requests[i - 1];
        if (!request->open || request->p0_frame)
            continue;
        /* Of those with the same key all that ask now, or none, are lost. */
        request = waiting_take(requests, connection, request->key);
        if (request)
            request_lose(requests, request);
    }
    if (last)
        last->settled = true;
}

/* The only one in flight can still be answered by turns. */
static void
release(struct requests *requests, struct connection *connection, const struct message *message)
{
    struct request *last = connection->request;
    uint32_t waiting = 0;
    for (uint32_t i = connection->n_requests; i > 0 && waiting < 2; i--) {
        if (is_settled(connection->requests[i - 1]))
            break;
        waiting += connection->requests[i - 1]->open;
    }
    bool alone = !(message->key & RELEASE_LOSES) && waiting == 1 && last && last->told_apart && last->open;
    if (alone && !last->p0_frame) {
        waiting_take(requests, connection, last->key);
        framing_answer_turn(requests, last);
    }
    for (unsigned side = 0; side < 2; side++) {
        framing_break(requests, connection, side);
        framing_let_go(requests, &connection->framing.late[side]);
    }
    unplaced_drop(requests, connection);
    framing_drop_turn(connection);
    connection->framing.goes_on = alone;
    lose(requests, connection, 0);
    if (message->key & RELEASE_TURN)
        framing_ask_turn(requests, connection, message->operation);
    if (alone) {
        last->open = false;
        framing_note_change(requests, last);
    }
    connection->framing.claimed = false;
}

/* What is known of a message only after it has begun. */
static void
learn(struct request *request, const struct message *message)
{
    if (message->kind == MESSAGE_ASKS) {
        request->note = message->note;
    } else if (message->status && *message->status) {
        g_strlcpy(request->status, message->status, sizeof request->status);
        request->failed = message->failed;
    }
}

/* An answer to nobody knows what does not go on. */
static void
note_late(struct requests *requests, struct connection *connection, bool asks, struct request *request)
{
    struct request **late = &connection->framing.late[asks];
    if (*late != request)
        framing_let_go(requests, late);
    *late = request && request->number ? request : NULL;
}

static void
take(struct requests *requests, struct connection *connection, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request = message->late ? connection->framing.late[asks] : connection->framing.under_way[asks];
    bool begins = !request || request->key != message->key;
    if (begins) {
        if (!message->late)
            framing_break(requests, connection, asks);
        request = begin(requests, connection, message);
    }
    if (request)
        learn(request, message);
    if (request && (message->ends || connection->framing.hidden))
        count(connection, request, message);
    if (request && message->ends)
        end(connection, request, message);
    if (request && !begins)
        framing_note_change(requests, request);
    if (message->late)
        note_late(requests, connection, asks, message->ends ? NULL : request);
    else
        connection->framing.under_way[asks] = message->ends ? NULL : request;
}

void
framing_tell(struct requests *requests, struct connection *connection, const struct message *message)
{
    if (requests->settings->by_turns || connection->framing.claimed == (message->kind == MESSAGE_CLAIM))
        return;
    switch (message->kind) {
    case MESSAGE_CLAIM:
        claim(requests, connection, message);
        break;
    case MESSAGE_BREAK:
        if (message->late)
            note_late(requests, connection, message->from_client, connection->framing.under_way[message->from_client]);
        framing_break(requests, connection, message->from_client);
        break;
    case MESSAGE_PLACE:
        unplaced_place(requests, connection, message->key, message->bytes);
        break;
    case MESSAGE_DROP:
        framing_break(requests, connection, false);
        unplaced_drop(requests, connection);
        break;
    case MESSAGE_LOSE:
        lose(requests, connection, message->key);
        break;
    case MESSAGE_INSERT:
        framing_insert(requests, connection, message);
        break;
    case MESSAGE_RESUME:
        framing_resume(requests, connection, message->from_client);
        break;
    case MESSAGE_RELEASE:
        release(requests, connection, message);
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
    for (unsigned side = 0; side < 2; side++)
        connection->framing.under_way[side] = connection->framing.late[side] = NULL;
    unplaced_drop(requests, connection);
    for (uint32_t i = 0; requests->waiting && i < connection->n_requests; i++) {
        struct request *request = connection->requests[i], *first;
        while (request->open && (first = waiting_take(requests, connection, request->key)))
            first->open = false;
    }
}
