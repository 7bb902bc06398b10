/* framing_parts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing_parts.h"

#include "framing_turn.h"
#include "framing_work.h"
#include "matching.h"
#include "unowned.h"

bool
framing_is_in_parts(const struct connection *connection)
{
    return connection->framing.kind == FRAMING_HTTP2;
}

bool
framing_is_settled(const struct request *request)
{
    return !request->by_messages || request->settled;
}

bool
framing_has_timed_out(struct requests *requests, const struct carrier *carrier, struct request *request,
                      int64_t begun_ns)
{
    if (!request_has_timed_out(requests, request, begun_ns))
        return false;
    if (request->in_parts)
        matching_take(requests, request->connection, request->key);
    request->timed_out = true;
    request->open = false;
    request_update(requests, request, carrier->piece->segment.frame);
    return true;
}

/* The response's content begins with the first frame of that part. */
static void
note_data(const struct carrier *carrier, struct request *request, const struct message *message)
{
    if (request->data_frame || message->kind == MESSAGE_ASKS || !message->is_data)
        return;
    const struct segment segment = head_begin(carrier, false);
    request->data_ns = segment.time_ns;
    request->data_frame = segment.frame;
}

struct request *
framing_begin_part(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request = matching_first(requests, connection, message->key);
    if (!request || request_is_cut_off(request))
        return NULL;
    const struct segment begun = head_begin(carrier, asks);
    const struct segment *segment = framing_carrier(carrier, message, &begun);
    if (!asks && !request->p0_frame) {
        if (framing_has_timed_out(requests, carrier, request, begun.time_ns))
            return NULL;
        request_is_answered(request, &begun, carrier->piece->start);
    }
    request->in_parts = true;
    connection->framing.work->before[asks] = asks ? request->request_bytes : request->response_bytes;
    note_data(carrier, request, message);
    head_own(requests, connection, asks, request);
    if (asks)
        request_asks_more(request, segment, message->bytes);
    else
        request_answers_more(request, segment, message->bytes);
    return request;
}

void
framing_end_part(struct requests *requests, struct request *request, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    request->has_asked |= (asks && message->last) || message->closes;
    request->has_answered |= (!asks && message->last) || message->closes;
    if (!request->has_asked || !request->has_answered)
        return;
    matching_take(requests, request->connection, request->key);
    request->open = false;
}

void
framing_promise(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    struct segment segment = head_begin(carrier, false);
    struct request *request = matching_first(requests, connection, message->key);
    if (!request) {
        segment.operation = message->operation;
        request = request_begin(requests, connection, &segment, 0, carrier->piece->segment.frame);
        request->key = message->key;
        request->framing = connection->framing.kind;
        request->by_messages = request->open = request->in_parts = request->pushed = request->has_asked = true;
        matching_add(requests, request);
        request_asks_more(request, &carrier->piece->segment, 0);
        framing_note_item(requests, carrier, request, true);
    }
    request->request_bytes = message->bytes;
}

void
framing_stop(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    struct request *request = matching_take(requests, connection, message->key);
    if (!request)
        return;
    request->open = false;
    if (connection->framing.work->under_way[false] == request || connection->framing.work->under_way[true] == request)
        framing_break(requests, connection, connection->framing.work->under_way[true] == request, frame);
    if (request->p0_frame) {
        if (message->status && *message->status && message->failed) {
            status_copy(request->status, message->status);
            request->failed = true;
        }
    } else {
        request->lost |= message->bytes == STOP_LOST;
        request->refused = message->bytes == STOP_REFUSED;
        request->cancelled = message->bytes == STOP_CANCELLED;
    }
    framing_note_change(requests, request, frame);
}

void
framing_upgrade(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    connection->framing.kind = (uint8_t)MIN(message->key, FRAMING_KINDS - 1);
    framing_break(requests, connection, false, frame);
    framing_break(requests, connection, true, frame);
    for (uint32_t i = connection->n_requests; i > 0 && !framing_is_settled(connection->requests[i - 1]); i--)
        if (connection->requests[i - 1]->open)
            connection->requests[i - 1]->has_asked = connection->requests[i - 1]->in_parts = true;
}

void
framing_truncate_parts(struct requests *requests, const struct connection *connection, uint32_t frame)
{
    for (uint32_t i = connection->n_requests; i > 0; i--) {
        struct request *request = connection->requests[i - 1];
        if (!request->open || !request->p0_frame || request->has_answered)
            continue;
        request->truncated = true;
        framing_note_change(requests, request, frame);
    }
}

void
framing_miss(struct requests *requests, struct connection *connection, uint32_t frame)
{
    uint32_t *known = &connection->framing.lost_number;
    for (uint32_t i = connection->n_requests; i > 0 && connection->requests[i - 1]->number > *known; i--) {
        struct request *request = connection->requests[i - 1];
        if (!request->open || request->p0_frame || request->lost)
            continue;
        request->lost = true;
        request_update(requests, request, frame);
    }
    *known = connection->n_requests > 0 ? connection->requests[connection->n_requests - 1]->number : *known;
}
