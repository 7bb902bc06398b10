/* framing_turn.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing_turn.h"

#include "framing.h"
#include "framing_work.h"
#include "unowned.h"

struct run *
framing_run(struct request *request, bool asks)
{
    return asks ? &request->asking : &request->answering;
}

void
framing_note_change(struct requests *requests, struct request *request, uint32_t frame)
{
    if (request->number && !request_has_item(requests, request, frame))
        request_update(requests, request, frame);
}

void
framing_limit(const struct connection *connection, const struct message *message)
{
    struct request *request = connection->framing.work->under_way[message->from_client];
    if (!request || message->bytes == 0)
        return;
    uint64_t *bytes = message->from_client ? &request->request_bytes : &request->response_bytes;
    *bytes = MIN(*bytes, connection->framing.work->before[message->from_client] + message->bytes);
}

void
framing_break(struct requests *requests, struct connection *connection, bool from_client, uint32_t frame)
{
    struct request **under_way = &connection->framing.work->under_way[from_client], *request = *under_way;
    *under_way = NULL;
    head_drop(requests, connection, from_client);
    /* other parts may follow */
    if (!request || request->in_parts)
        return;
    if (!from_client)
        request->open = false;
    if (!request->open)
        framing_note_change(requests, request, frame);
}

void
framing_note_item(struct requests *requests, struct carrier *carrier, struct request *request, bool asks)
{
    const struct connection *connection = request->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    struct item *item;
    if (request->in_parts && request->item_frame[asks] == frame)
        return;
    request->item_frame[asks] = frame;
    if (carrier->has_item && !carrier->owned && !(request->pushed && asks)) {
        item = items_at(requests->items, carrier->position);
        if (framing_run(request, asks)->first_frame > 0)
            run_go_on(framing_run(request, asks), &carrier->row, requests->settings, item);
        else
            *framing_run(request, asks) = carrier->row;
        carrier->owned = true;
    } else {
        item = items_add(requests->items, frame, ITEM_REQUEST);
        item->flags |= ITEM_FIRST | ITEM_MESSAGE;
        item->sender = asks && !request->pushed ? connection->client : !connection->client;
    }
    if (!request->number) {
        undecided_note(request, item, frame);
        return;
    }
    request_own(requests, request, item, asks);
}

static bool
is_unanswered(const struct request *turn)
{
    return turn && !turn->by_messages && !turn->p0_frame && !turn->timed_out && !turn->lost;
}

void
framing_lose_turn(struct requests *requests, struct request *turn, uint32_t frame)
{
    if (is_unanswered(turn))
        request_lose(requests, turn, frame);
}

void
framing_leave_turn(struct connection *connection, struct request *turn)
{
    if (!is_unanswered(turn))
        return;
    turn->open = true;
    connection->framing.work->turn = turn;
}

void
framing_drop_turn(struct connection *connection)
{
    struct request **turn = &connection->framing.work->turn;
    if (*turn)
        (*turn)->open = false;
    *turn = NULL;
}

struct request *
framing_end_turn(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    struct request *turn = connection->framing.work->turn;
    framing_drop_turn(connection);
    if (request_is_cut_off(turn))
        return NULL;
    if (request_has_timed_out(requests, turn, piece->segment.time_ns)) {
        turn->timed_out = true;
        request_update(requests, turn, piece->segment.frame);
        return NULL;
    }
    request_is_answered(turn, &piece->segment, piece->start);
    return turn;
}

/* The carrier's item, if it is of that kind and nobody's; NULL: it is not. */
static struct item *
free_item(const struct requests *requests, const struct carrier *carrier, enum item_kind kind)
{
    struct item *item = carrier->has_item ? items_at(requests->items, carrier->position) : NULL;
    return item && !carrier->owned && item->kind == kind ? item : NULL;
}

void
framing_answer_turn(struct requests *requests, struct carrier *carrier, struct request *request)
{
    const struct piece *piece = carrier->piece;
    const struct item *item = free_item(requests, carrier, ITEM_UNSOLICITED);
    if (!item || request_is_cut_off(request))
        return;
    request_is_answered(request, &piece->segment, piece->start);
    request_answers_more(request, &piece->segment, piece->fresh);
    framing_note_item(requests, carrier, request, false);
    request->flags += item_flags(item);
}

void
framing_ask_turn(struct requests *requests, struct carrier *carrier, const char *operation)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    const struct item *item = free_item(requests, carrier, ITEM_UNREQUESTED);
    struct request *request = connection->framing.goes_on ? connection->request : NULL;
    if (!item || item->sender != connection->client)
        return;
    struct segment segment = piece->segment;
    segment.operation = operation ? operation : "";
    if (!request || request->p0_frame || request->timed_out || request_is_cut_off(request))
        request = request_begin(requests, connection, &segment, piece->start, segment.frame);
    request_asks_more(request, &segment, piece->fresh);
    framing_note_item(requests, carrier, request, true);
    request->flags += item_flags(item);
}
