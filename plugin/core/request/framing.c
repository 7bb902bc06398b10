/* framing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing.h"

#include <string.h>

#include "framing_parts.h"
#include "framing_turn.h"
#include "framing_work.h"
#include "matching.h"
#include "unowned.h"

static void
claim(struct requests *requests, const struct payload *payload, const struct message *message)
{
    struct connection *connection = payload->connection;
    connection->framing.claimed = true;
    connection->framing.hidden = message->hidden;
    connection->framing.kind = (uint8_t)MIN(message->key, FRAMING_KINDS - 1);
    /* HTTP/2's fields say more than turns did */
    if (!connection->role_certain && (connection->n_requests == 0 || message->key == FRAMING_HTTP2)) {
        connection->client = message->from_client ? payload->sender : !payload->sender;
        connection->role_certain = true;
    }
    if (connection->request && connection->request->lost)
        connection->request->open = false;
    /* messages in parts: what comes next may answer any stream, and nobody can tell whether it answers the turn */
    if (framing_is_in_parts(connection))
        framing_lose_turn(requests, connection->request, payload->segment->frame);
    else if (connection->framing.kind != FRAMING_CA)
        framing_leave_turn(connection, connection->request);
}

void
framing_take(struct requests *requests, struct carrier *carrier, bool from_client)
{
    const struct piece *piece = carrier->piece;
    const struct segment *segment = &piece->segment;
    struct connection *connection = piece->payload->connection;
    struct request *request = framing_work(connection)->under_way[from_client];
    /* where messages are in parts, frames between them are of the connection */
    bool is_unsolicited = !from_client && !framing_is_in_parts(connection);
    enum item_kind kind = is_unsolicited ? ITEM_UNSOLICITED : ITEM_UNREQUESTED;
    if (!from_client && framing_work(connection)->turn)
        request = framing_end_turn(requests, connection, piece);
    framing_work_end(requests, connection);
    if (request && request->number)
        kind = from_client ? ITEM_REQUEST : ITEM_RESPONSE;
    /* answered before it was all there: it is not to be forgotten in this frame */
    if (request && request->number && from_client && !request->open)
        request_update(requests, request, segment->frame);
    struct item *item = items_add(requests->items, segment->frame, kind);
    const struct run *begun = head_row(connection, from_client);
    carrier->row = begun && !request ? *begun : run_begin(piece->start);
    item->sender = piece->payload->sender;
    carrier->owned = request != NULL;
    if (request && request->number)
        request_add_packet(requests, request, piece, item, from_client);
    else
        run_add(request ? framing_run(request, from_client) : &carrier->row, segment, piece->start,
                &piece->payload->place, requests->settings, item);
    if (!request) {
        item->connection = connection;
        return;
    }
    if (!request->number)
        undecided_note(request, item, segment->frame);
    request->item_frame[from_client] = segment->frame;
    uint64_t bytes = connection->framing.hidden && request->by_messages ? 0 : piece->fresh;
    if (from_client)
        request_asks_more(request, segment, bytes);
    else
        request_answers_more(request, segment, bytes);
}

const struct segment *
framing_carrier(const struct carrier *carrier, const struct message *message, const struct segment *begun)
{
    return message->arrives ? begun : &carrier->piece->segment;
}

static struct request *
begin_asking(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    struct segment segment = head_begin(carrier, true);
    struct request *request = message->joins ? matching_first(requests, connection, message->key) : NULL;
    if (!request) {
        segment.operation = message->operation;
        request = request_begin(requests, connection, &segment, piece->start, piece->segment.frame);
        request->key = message->key;
        request->framing = connection->framing.kind;
        request->by_messages = request->open = true;
        matching_add(requests, request);
    }
    request->in_parts = framing_is_in_parts(connection);
    connection->framing.work->before[true] = request->request_bytes;
    head_own(requests, connection, true, request);
    request_asks_more(request, framing_carrier(carrier, message, &segment), message->bytes);
    return request;
}

static struct request *
begin_answering(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    const struct segment segment = head_begin(carrier, false);
    struct request *request = matching_take(requests, connection, message->key);
    connection->framing.work->before[false] = 0;
    if (!request || request_is_cut_off(request) || framing_has_timed_out(requests, carrier, request, segment.time_ns))
        return NULL;
    request_is_answered(request, &segment, piece->start);
    head_own(requests, connection, false, request);
    connection->framing.longest_ns = MAX(connection->framing.longest_ns, request_first_byte(request));
    request_answers_more(request, framing_carrier(carrier, message, &segment), message->bytes);
    return request;
}

static struct request *
begin_undecided(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    const struct segment segment = head_begin(carrier, false);
    struct request *answer = undecided_begin(requests, connection, &segment, piece->start);
    head_own(requests, connection, false, answer);
    answer->key = message->key;
    request_answers_more(answer, framing_carrier(carrier, message, &segment), message->bytes);
    return answer;
}

static struct request *
begin(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request = NULL;
    if (message->goes_on || (framing_is_in_parts(connection) && !asks))
        request = framing_begin_part(requests, carrier, message);
    else if (asks)
        request = begin_asking(requests, carrier, message);
    else if (message->kind == MESSAGE_ANSWERS)
        request = begin_answering(requests, carrier, message);
    else
        request = begin_undecided(requests, carrier, message);
    head_drop(requests, connection, asks);
    if (request)
        framing_note_item(requests, carrier, request, asks);
    return request;
}

static void
count(const struct connection *connection, struct request *request, const struct message *message)
{
    if (message->kind == MESSAGE_ASKS)
        request->request_bytes = connection->framing.work->before[true] + message->bytes;
    else
        request->response_bytes = connection->framing.work->before[false] + message->bytes;
}

static void
end(struct requests *requests, struct connection *connection, struct request *request, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    if (request->in_parts)
        framing_end_part(requests, request, message);
    else
        request->open = asks && (!request->p0_frame || connection->framing.work->under_way[false] == request);
}

/* Those that wait and asked before the one with this key. */
static void
lose(struct requests *requests, const struct connection *connection, uint64_t key, uint32_t frame)
{
    struct request *last = NULL;
    for (uint32_t i = connection->n_requests; i > 0 && !framing_is_settled(connection->requests[i - 1]); i--) {
        struct request *request = connection->requests[i - 1];
        if (request->key >= key)
            continue;
        last = last ? last : request;
        if (!request->open || request->p0_frame)
            continue;
        /* Of those with the same key all that ask now, or none, are lost. */
        request = matching_take(requests, connection, request->key);
        if (request)
            request_lose(requests, request, frame);
    }
    if (last)
        last->settled = true;
}

/* The only one in flight can still be answered by turns. */
static void
release(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    struct request *last = connection->request;
    uint32_t waiting = 0;
    for (uint32_t i = connection->n_requests; i > 0 && waiting < 2; i--) {
        if (framing_is_settled(connection->requests[i - 1]))
            break;
        waiting += connection->requests[i - 1]->open;
    }
    bool alone = !(message->key & RELEASE_LOSES) && waiting == 1 && last && last->by_messages && last->open;
    if (alone && !last->p0_frame) {
        matching_take(requests, connection, last->key);
        framing_answer_turn(requests, carrier, last);
    }
    framing_break(requests, connection, false, frame);
    framing_break(requests, connection, true, frame);
    undecided_drop(requests, connection);
    framing_drop_turn(connection);
    connection->framing.goes_on = alone;
    lose(requests, connection, UINT64_MAX, frame);
    if (message->key & RELEASE_TURN)
        framing_ask_turn(requests, carrier, message->operation);
    if (alone) {
        last->open = false;
        framing_note_change(requests, last, frame);
    }
    connection->framing.claimed = false;
}

/* What is known of a message only after it has begun. */
static void
learn(struct request *request, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    request->cut |= message->cut;
    request->content[asks] = MAX(request->content[asks], message->content);
    if (asks) {
        request->note = message->note;
    } else if (message->status && *message->status) {
        status_copy(request->status, message->status);
        request->failed = message->failed;
    }
    if (request->in_parts)
        request->promised_bytes = request->has_answered || (!asks && message->ends && message->last) ? 0 : UINT64_MAX;
    else if (!asks)
        request->promised_bytes = message->rest > 0 ? message->bytes + message->rest : 0;
}

static void
take(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request = connection->framing.work->under_way[asks];
    bool begins = !request || request->key != message->key;
    if (begins) {
        if (request)
            framing_break(requests, connection, asks, frame);
        request = begin(requests, carrier, message);
    }
    if (request)
        learn(request, message);
    if (request && (message->ends || connection->framing.hidden))
        count(connection, request, message);
    if (request && message->ends)
        end(requests, connection, request, message);
    if (request && !begins)
        framing_note_change(requests, request, frame);
    connection->framing.work->under_way[asks] = message->ends ? NULL : request;
}

void
framing_tell(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    if (requests->settings->by_turns || connection->framing.claimed == (message->kind == MESSAGE_CLAIM))
        return;
    framing_work_begin(requests, connection);
    switch (message->kind) {
    case MESSAGE_CLAIM:
        claim(requests, carrier->piece->payload, message);
        break;
    case MESSAGE_BREAK:
        framing_limit(connection, message);
        framing_break(requests, connection, message->from_client, frame);
        break;
    case MESSAGE_PLACE:
        undecided_place(requests, connection, message->key, message->bytes, frame);
        break;
    case MESSAGE_DROP:
        framing_break(requests, connection, false, frame);
        undecided_drop(requests, connection);
        break;
    case MESSAGE_BEGINS:
        head_add(requests, carrier, message->from_client);
        break;
    case MESSAGE_LOSE:
        lose(requests, connection, message->key, frame);
        break;
    case MESSAGE_PROMISES:
        framing_promise(requests, carrier, message);
        break;
    case MESSAGE_STOPS:
        framing_stop(requests, carrier, message);
        break;
    case MESSAGE_UPGRADE:
        framing_upgrade(requests, carrier, message);
        break;
    case MESSAGE_RELEASE:
        release(requests, carrier, message);
        break;
    default:
        take(requests, carrier, message);
    }
    framing_work_end(requests, connection);
    if (requests->told)
        requests->told(connection, message, &carrier->piece->segment);
}

void
framing_take_end(struct requests *requests, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    struct request *request = framing_work(connection)->under_way[false];
    if (connection->framing.claimed && framing_is_in_parts(connection) && !piece->after_gap)
        framing_truncate_parts(requests, connection, piece->segment.frame);
    if (request && request->in_parts)
        return;
    if (!request && connection->framing.goes_on)
        request = connection->request;
    if (!request || !request->number || request->response_bytes >= request->promised_bytes || piece->after_gap)
        return;
    request->truncated = true;
    framing_note_change(requests, request, piece->segment.frame);
}

void
framing_forget(struct requests *requests, struct connection *connection)
{
    head_drop(requests, connection, false);
    head_drop(requests, connection, true);
    undecided_drop(requests, connection);
    framing_work_drop(requests, connection);
    for (uint32_t i = 0; requests->waiting.count > 0 && i < connection->n_requests; i++) {
        struct request *request = connection->requests[i], *first;
        while (request->open && (first = matching_take(requests, connection, request->key)))
            first->open = false;
    }
}
