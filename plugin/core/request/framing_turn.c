/* framing_turn.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing_turn.h"

#include "head.h"
#include "undecided.h"

struct run *
framing_run(struct request *request, bool asks)
{
    return asks ? &request->asking : &request->answering;
}

void
framing_note_change(struct requests *requests, struct request *request)
{
    if (request->number && !request_has_item(requests, request, requests->taken.segment.frame))
        request_update(requests, request);
}

void
framing_break(struct requests *requests, struct connection *connection, bool from_client)
{
    struct request **under_way = &connection->framing.under_way[from_client], *request = *under_way;
    *under_way = NULL;
    head_drop(requests, connection, from_client);
    /* other parts may follow */
    if (!request || request->in_parts)
        return;
    if (!from_client)
        request->open = false;
    if (!request->open)
        framing_note_change(requests, request);
}

void
framing_note_item(struct requests *requests, struct request *request, bool asks)
{
    struct connection *connection = request->connection;
    struct taken *taken = &requests->taken;
    struct item *item;
    if (request->in_parts && request->item_frame[asks] == taken->segment.frame)
        return;
    request->item_frame[asks] = taken->segment.frame;
    if (taken->connection == connection && taken->has_item && !taken->owned && !(request->pushed && asks)) {
        item = items_at(requests->items, taken->position);
        if (framing_run(request, asks)->first_frame > 0)
            run_go_on(framing_run(request, asks), &taken->row, requests->settings, item);
        else
            *framing_run(request, asks) = taken->row;
        taken->owned = true;
    } else {
        item = items_add(requests->items, taken->segment.frame, ITEM_REQUEST);
        item->flags |= ITEM_FIRST | ITEM_MESSAGE;
        item->sender = asks && !request->pushed ? connection->client : !connection->client;
    }
    if (!request->number) {
        undecided_note(request, item, taken->segment.frame);
        return;
    }
    request_own(requests, request, item, asks);
}

void
framing_leave_turn(struct connection *connection, struct request *turn)
{
    if (!turn || turn->by_messages || turn->p0_frame || turn->timed_out)
        return;
    turn->open = true;
    connection->framing.turn = turn;
}

void
framing_drop_turn(struct connection *connection)
{
    if (connection->framing.turn)
        connection->framing.turn->open = false;
    connection->framing.turn = NULL;
}

struct request *
framing_end_turn(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    struct request *turn = connection->framing.turn;
    framing_drop_turn(connection);
    if (connection->reset)
        return NULL;
    if (request_has_timed_out(requests, turn, piece->segment.time_ns)) {
        turn->timed_out = true;
        request_update(requests, turn);
        return NULL;
    }
    request_is_answered(turn, &piece->segment, piece->start);
    return turn;
}

void
framing_answer_turn(struct requests *requests, struct request *request)
{
    struct taken *taken = &requests->taken;
    struct item *item = taken->has_item ? items_at(requests->items, taken->position) : NULL;
    if (taken->connection != request->connection || !item || taken->owned || item->kind != ITEM_UNSOLICITED)
        return;
    request_is_answered(request, &taken->segment, taken->start);
    request_answers_more(request, &taken->segment, taken->fresh);
    framing_note_item(requests, request, false);
    request->flags += item_flags(item);
}

void
framing_ask_turn(struct requests *requests, struct connection *connection, const char *operation)
{
    struct taken *taken = &requests->taken;
    struct item *item = taken->has_item ? items_at(requests->items, taken->position) : NULL;
    struct request *request = connection->framing.goes_on ? connection->request : NULL;
    if (taken->connection != connection || !item || taken->owned || item->kind != ITEM_UNREQUESTED ||
        item->sender != connection->client)
        return;
    struct segment segment = taken->segment;
    segment.operation = operation ? operation : "";
    if (!request || request->p0_frame || request->timed_out)
        request = request_begin(requests, connection, &segment, taken->start);
    request_asks_more(request, &taken->segment, taken->fresh);
    framing_note_item(requests, request, true);
    request->flags += item_flags(item);
}
