/* exchanges_messages.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "exchanges_messages.h"

#include "matching.h"
#include "unowned.h"

void
exchanges_note_change(struct requests *requests, struct request *request, uint32_t frame)
{
    if (!request_has_item(requests, request, frame))
        request_update(requests, request, frame);
}

inline void
exchanges_note_item(struct requests *requests, struct carrier *carrier, struct request *request, bool asks)
{
    const struct connection *connection = request->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    const bool is_pushed = request->is_pushed && asks;
    if (request->in_parts && request->parts.item_frame[asks] == frame)
        return;
    request->parts.item_frame[asks] = frame;
    struct item *item = is_pushed ? requests_add_message(requests, frame, !connection->client)
                                  : carrier_item(requests, carrier, request_row(request, asks), asks);
    request_own(requests, request, item, asks);
}

void
exchanges_break(struct requests *requests, struct connection *connection, bool from_client, uint32_t frame)
{
    struct exchanges_work *work = &connection->exchanges.work;
    struct request *request = work->under_way[from_client];
    work->under_way[from_client] = NULL;
    if (!from_client)
        work->undecided = NULL;
    head_drop(requests, connection, from_client);
    /* other parts may follow */
    if (!request || request->in_parts)
        return;
    if (!from_client)
        request->open = false;
    if (!request->open)
        exchanges_note_change(requests, request, frame);
}

static inline struct request *
begin_request(struct requests *requests, const struct carrier *carrier, const struct message *message,
              struct instant begun, int64_t start)
{
    struct connection *connection = carrier->piece->payload->connection;
    struct request *request =
        request_begin(requests, connection, begun, message->operation, start, carrier->piece->segment.frame);
    request->key = message->key;
    request->protocol = connection->exchanges.protocol;
    request->by_messages = request->open = true;
    matching_add(requests, request);
    return request;
}

static struct request *
begin_asking(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const struct instant begun = head_begin(carrier, true);
    struct request *request = message->part != MESSAGE_NEW ? matching_first(requests, connection, message->key) : NULL;
    if (message->part == MESSAGE_MORE && (!request || request_is_cut_off(request)))
        return NULL;
    if (!request)
        request = begin_request(requests, carrier, message, begun, carrier->piece->start);
    request->in_parts |= message->part == MESSAGE_MORE || exchanges_are_in_parts(connection);
    connection->exchanges.work.before[true] = request->request_bytes;
    head_own(requests, connection, true, request);
    request_asks_more(request, exchanges_instant(carrier, begun), message->bytes);
    return request;
}

bool
exchanges_has_timed_out(struct requests *requests, struct request *request, int64_t begun_ns, uint32_t frame)
{
    if (!request_has_timed_out(requests, request, begun_ns))
        return false;
    if (request->in_parts)
        matching_take(requests, request->connection, request->key);
    request_end(request, ENDING_TIMED_OUT);
    request->open = false;
    request_update(requests, request, frame);
    return true;
}

static struct request *
begin_answering(struct requests *requests, const struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const struct instant begun = head_begin(carrier, false);
    const bool is_part = message->part == MESSAGE_MORE || exchanges_are_in_parts(connection);
    struct request *request = is_part ? matching_first(requests, connection, message->key)
                                      : matching_take(requests, connection, message->key);
    if (!request || request_is_cut_off(request))
        return NULL;
    if (!request->response.first_frame) {
        if (exchanges_has_timed_out(requests, request, begun.ns, carrier->piece->segment.frame))
            return NULL;
        request_is_answered(request, begun, carrier->piece->start);
        connection->exchanges.longest_ns = MAX(connection->exchanges.longest_ns, request_first_byte(request));
    }
    request->in_parts |= is_part;
    connection->exchanges.work.before[false] = request->response.bytes;
    if (!request->data_frame && message->is_data) {
        request->data_ns = begun.ns;
        request->data_frame = begun.frame;
    }
    head_own(requests, connection, false, request);
    request_answers_more(request, exchanges_instant(carrier, begun), message->bytes);
    return request;
}

static struct request *
begin(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request =
        asks ? begin_asking(requests, carrier, message) : begin_answering(requests, carrier, message);
    head_drop(requests, connection, asks);
    if (request)
        exchanges_note_item(requests, carrier, request, asks);
    return request;
}

/* What is known of a message only after it has begun. */
static void
learn(struct request *request, const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    request->cut |= message->cut;
    if (message->is_stream)
        request->is_stream = true;
    if (message->awaits_event)
        request->awaits_event = true;
    request->parts.content[asks] = MAX(request->parts.content[asks], message->content);
    if (asks) {
        request->note = message->note;
    } else if (message->status && *message->status) {
        status_copy(request->response.status, message->status);
        request->response.failed = message->failed;
    }
    if (!asks)
        request->misses = request->connection->exchanges.misses;
    if (request->in_parts)
        request->response.promised_bytes =
            request->has_answered || (!asks && message->ends && message->last != LAST_NONE) ? 0 : UINT64_MAX;
    else if (!asks)
        request->response.promised_bytes = message->rest > 0 ? message->bytes + message->rest : 0;
}

static void
end(struct requests *requests, const struct connection *connection, struct request *request,
    const struct message *message)
{
    bool asks = message->kind == MESSAGE_ASKS;
    if (!request->in_parts) {
        request->open =
            asks && (!request->response.first_frame || connection->exchanges.work.under_way[false] == request);
        return;
    }
    request->has_asked |= message->last >= (asks ? LAST_OF_SIDE : LAST_OF_BOTH);
    request->has_answered |= message->last >= (asks ? LAST_OF_BOTH : LAST_OF_SIDE);
    if (!request->has_asked || !request->has_answered)
        return;
    matching_take(requests, request->connection, request->key);
    request->open = false;
}

/* Takes what asks or answers. */
static void
take(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    bool asks = message->kind == MESSAGE_ASKS;
    struct request *request = connection->exchanges.work.under_way[asks];
    if (!asks)
        connection->exchanges.work.undecided = NULL;
    bool begins = !request || request->key != message->key;
    if (begins) {
        if (request)
            exchanges_break(requests, connection, asks, frame);
        request = begin(requests, carrier, message);
    }
    if (request)
        learn(request, message);
    if (asks && request && !ids_are_none(&requests->ids.found))
        request_ids_settle(requests, request);
    if (request && (message->ends || connection->exchanges.hidden))
        *(asks ? &request->request_bytes : &request->response.bytes) =
            connection->exchanges.work.before[asks] + message->bytes;
    if (request && message->ends)
        end(requests, connection, request, message);
    if (request && !begins)
        exchanges_note_change(requests, request, frame);
    connection->exchanges.work.under_way[asks] = message->ends ? NULL : request;
}

static void
promise(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    const struct instant begun = head_begin(carrier, false);
    struct request *request = matching_first(requests, carrier->piece->payload->connection, message->key);
    if (!request) {
        request = begin_request(requests, carrier, message, begun, 0);
        request->in_parts = request->is_pushed = request->has_asked = true;
        request_asks_more(request, segment_instant(&carrier->piece->segment), 0);
        exchanges_note_item(requests, carrier, request, true);
    }
    request->request_bytes = message->bytes;
}

void
exchanges_take_message(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    switch (message->kind) {
    case MESSAGE_ASKS:
    case MESSAGE_ANSWERS:
        take(requests, carrier, message);
        break;
    case MESSAGE_UNDECIDED:
        if (connection->exchanges.work.under_way[false])
            exchanges_break(requests, connection, false, carrier->piece->segment.frame);
        undecided_take(requests, carrier, message);
        break;
    case MESSAGE_PROMISES:
        promise(requests, carrier, message);
        break;
    }
}
