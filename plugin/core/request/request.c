/* request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request.h"

#include <string.h>

#include "datagrams.h"
#include "operation.h"
#include "../tcp/payload.h"
#include "../util/seldom.h"

/* Of a connection that is over, or quiet. */
enum { REQUESTS_LAST = 2 };

enum { ROOM_FIRST = 2 };

/* Of TLS and SSH the core wants to know itself. */
static const char *
share_operation(struct requests *requests, const char *text)
{
    bool is_wanted = !requests->hides_operations || g_str_has_prefix(text, "TLS ") || strcmp(text, OPERATION_SSH) == 0;
    return is_wanted ? operation_text_share(&requests->operations, text) : "";
}

void
request_rename(struct requests *requests, struct request *request, const char *operation)
{
    if (*request->operation)
        operation_text_leave(&requests->operations, request->operation);
    request->operation = *operation ? share_operation(requests, operation) : "";
}

/* The record says by its number that it is nobody's. */
static void
make_spare(struct requests *requests, struct request *request)
{
    if (requests->forgets)
        requests->forgets(requests->forgets_data, request);
    if (*request->operation)
        operation_text_leave(&requests->operations, request->operation);
    *request = (struct request){ .number = 0, .slot = request->slot, .spare = requests->spare };
    requests->spare = request;
}

void
requests_each(const struct requests *requests, void (*take)(void *data, const struct request *request), void *data)
{
    for (uint32_t i = 1; i <= requests->records.count; i++) {
        const struct request *request = pool_at(&requests->records, i);
        if (request->number > 0)
            take(data, request);
    }
}

inline bool
request_goes_on(const struct request *request)
{
    const struct exchanges_work *work = &request->connection->exchanges.work;
    return request->open || request == work->under_way[false] || request == work->under_way[true];
}

bool
request_has_item(const struct requests *requests, const struct request *request, uint32_t frame)
{
    uint32_t at;
    for (const struct item *item = items_first(requests->items, frame, &at); item;
         item = items_next(requests->items, &at))
        if (item_request(item) == request)
            return true;
    return false;
}

inline void
request_own(const struct requests *requests, struct request *request, struct item *item, bool asks)
{
    item->kind = asks ? ITEM_REQUEST : ITEM_RESPONSE;
    item->request = request;
    request->touched_frame = requests->frame;
}

/* Its first packet was that of the row until now. */
static SELDOM void
demote(const struct requests *requests, struct request *request, const struct run *before, enum item_kind kind)
{
    const struct item demoted = { .flags = before->first_flags & (uint16_t)~ITEM_FIRST };
    items_demote(requests->items, before->first_frame, request, kind, demoted.flags);
    request->flags += item_flags(&demoted);
}

struct unsolicited *
requests_unsolicited(const struct requests *requests, struct connection *connection)
{
    if (!connection->unsolicited)
        connection->unsolicited = wmem_new0(requests->scope, struct unsolicited);
    return connection->unsolicited;
}

SELDOM void
requests_note_push(const struct requests *requests, struct item *item, int64_t time_ns)
{
    struct unsolicited *unsolicited = requests_unsolicited(requests, item->connection);
    const bool is_greeting = item->connection->n_requests == 0;
    const bool is_next = unsolicited->has_pushed && unsolicited->has_greeted == is_greeting;
    item->spacing_ns = is_next ? MAX(time_ns - unsolicited->pushed_ns, 0) : -1;
    unsolicited->pushed_ns = is_next ? MAX(unsolicited->pushed_ns, time_ns) : time_ns;
    unsolicited->has_pushed = true;
    unsolicited->has_greeted = is_greeting;
}

inline struct item *
requests_add_packet(const struct requests *requests, struct run *run, const struct piece *piece, enum item_kind kind)
{
    struct item *item = items_add(requests->items, piece->segment.frame, kind);
    item->sender = piece->payload->sender;
    item->connection = piece->payload->connection;
    run_add(run, &piece->segment, piece->start, &piece->payload->packet, requests->settings, item);
    if (piece->again)
        item->flags |= ITEM_MESSAGE;
    if (kind == ITEM_UNSOLICITED)
        requests_note_push(requests, item, piece->segment.time_ns);
    return item;
}

struct item *
requests_add_message(const struct requests *requests, uint32_t frame, uint8_t sender)
{
    struct item *item = items_add(requests->items, frame, ITEM_REQUEST);
    item->flags |= ITEM_FIRST | ITEM_MESSAGE;
    item->sender = sender;
    return item;
}

inline struct item *
carrier_packet(const struct requests *requests, struct carrier *carrier, enum item_kind kind)
{
    carrier->is_free = false;
    return requests_add_packet(requests, &carrier->row, carrier->piece, kind);
}

inline struct item *
carrier_item(const struct requests *requests, struct carrier *carrier, struct run *row, bool from_client)
{
    const struct connection *connection = carrier->piece->payload->connection;
    if (!carrier->is_free)
        return requests_add_message(requests, carrier->piece->segment.frame,
                                    from_client ? connection->client : !connection->client);
    struct item *item = carrier_packet(requests, carrier, from_client ? ITEM_REQUEST : ITEM_RESPONSE);
    if (row->first_frame > 0)
        run_go_on(row, &carrier->row, requests->settings, item);
    else
        *row = carrier->row;
    return item;
}

inline void
request_add_packet(const struct requests *requests, struct request *request, const struct piece *piece, bool asks)
{
    struct run *run = request_row(request, asks);
    const struct run before = *run;
    struct item *item = requests_add_packet(requests, run, piece, asks ? ITEM_REQUEST : ITEM_RESPONSE);
    request_own(requests, request, item, asks);
    request->flags += item_flags(item);
    if (before.first_frame && run->first_frame != before.first_frame)
        demote(requests, request, &before, (enum item_kind)item->kind);
}

/* Nothing more is awaited of it, and nobody will look at it in this frame. */
static bool
is_past(const struct requests *requests, const struct request *request)
{
    return !request_goes_on(request) && request->touched_frame != requests->frame;
}

/* Whether the side has acknowledged all of the other's row. */
static bool
is_acknowledged(const struct connection *connection, uint8_t side, const struct run *row)
{
    const struct sequence *sent = &connection->tcp->sender[!side].sequence;
    const struct tcp_sender *sender = &connection->tcp->sender[side];
    return !sender->has_acked || !sent->known || sequence_offset(sent, sender->ack) >= row->end;
}

/* Whether nothing of it will be sent again. */
static bool
is_received(const struct request *request)
{
    const struct connection *connection = request->connection;
    return is_acknowledged(connection, !connection->client, &request->asking) &&
           is_acknowledged(connection, connection->client, &request->response.row);
}

/* Those that are past, and not the last `recent`. */
static void
forget_oldest(struct requests *requests, struct connection *connection, uint32_t recent)
{
    uint32_t past = 0;
    while (connection->n_requests - past > recent && is_past(requests, connection->requests[past]) &&
           (connection->n_requests - past > REQUESTS_NEAR || recent == REQUESTS_LAST ||
            is_received(connection->requests[past])))
        make_spare(requests, connection->requests[past++]);
    if (past == 0)
        return;
    connection->n_requests -= past;
    connection->requests += past;
    connection->forgotten += past;
}

void
requests_shed(struct requests *requests, struct connection *connection)
{
    forget_oldest(requests, connection, REQUESTS_LAST);
    if (connection->forgotten == 0)
        return;
    struct request **begin = connection->requests - connection->forgotten;
    memmove(begin, connection->requests, connection->n_requests * sizeof *begin);
    connection->forgotten = 0;
    connection->room = connection->n_requests;
    connection->requests = wmem_realloc(requests->scope, begin, connection->room * sizeof *begin);
}

/* Room for one more: where as many were forgotten as there are, so that each is moved once on average. */
static void
make_room(struct requests *requests, struct connection *connection)
{
    struct request **begin =
        connection->forgotten ? connection->requests - connection->forgotten : connection->requests;
    if (connection->forgotten + connection->n_requests < connection->room)
        return;
    if (connection->n_requests == 0) {
        connection->requests = &connection->request; /* most connections of a hostile capture have but one */
        return;
    }
    if (connection->forgotten > 0 && connection->forgotten >= connection->n_requests) {
        memmove(begin, connection->requests, connection->n_requests * sizeof *begin);
        connection->requests = begin;
        connection->forgotten = 0;
        return;
    }
    const bool is_own = connection->room > 0;
    connection->room = is_own ? connection->room * 2 : ROOM_FIRST;
    begin = wmem_realloc(requests->scope, is_own ? begin : NULL, connection->room * sizeof *begin);
    if (!is_own)
        begin[0] = connection->request;
    connection->requests = begin + connection->forgotten;
}

/* One more begins behind the one that may be forgotten then, but not in this frame: whoever wants it looks again. */
static void
note_followed(const struct requests *requests, const struct connection *connection)
{
    if (connection->n_requests < REQUESTS_RECENT)
        return;
    struct request *followed = connection->requests[connection->n_requests - REQUESTS_RECENT];
    followed->followed_frame = followed->touched_frame = requests->frame;
}

/* A zeroed one at the connection's end. */
static struct request *
add_request(struct requests *requests, struct connection *connection)
{
    note_followed(requests, connection);
    if (!items_are_kept(requests->items))
        forget_oldest(requests, connection, (connection->is_datagrams ? DATAGRAMS_RECENT : REQUESTS_RECENT) - 1);
    struct request *request = requests->spare;
    if (request) {
        requests->spare = request->spare;
        request->spare = NULL;
    } else {
        const uint32_t number = pool_add(&requests->records);
        request = pool_at(&requests->records, number);
        request->slot = number - 1;
    }
    make_room(requests, connection);
    connection->requests[connection->n_requests++] = request;
    return request;
}

bool
requests_are_ending(const struct requests *requests)
{
    return requests->frame == UINT32_MAX;
}

struct request *
request_begin(struct requests *requests, struct connection *connection, struct instant begun, const char *operation,
              int64_t offset, uint32_t frame)
{
    const struct sender *server = &connection->sender[!connection->client];
    struct request *request = add_request(requests, connection);
    request->connection = connection;
    request->number = ++requests->count;
    request->operation = operation && *operation ? share_operation(requests, operation) : "";
    struct request *before = connection->n_requests > 1 ? connection->requests[connection->n_requests - 2] : NULL;
    connection->is_ssh |= !before && strcmp(request->operation, OPERATION_SSH) == 0;
    request->tls = (uint8_t)tls_turn_of(request->operation, before);
    request->touched_frame = requests->frame;
    request->first_frame = request->last_frame = begun.frame;
    request->first_ns = request->last_ns = begun.ns;
    request->asking = run_begin(offset);
    request->response.row = run_begin(server->read);
    /* What looked like an alert is followed by something. */
    bool was_alert =
        before && before->tls == TLS_DATA && before->response.first_frame && tls_turn_role(before) == TLS_ALERT;
    connection->request = request;
    if (was_alert)
        request_update(requests, before, frame);
    return request;
}

void
request_note_order(struct request *request)
{
    /* in parts, both sides may speak at once */
    const int64_t asked_ns = request->in_parts ? request->first_ns : request->last_ns;
    const uint32_t asked_frame =
        request->in_parts ? request->first_frame : MAX(request->first_frame, request->last_frame);
    request->reordered |= request->response.first_ns < asked_ns || request->response.first_frame < asked_frame;
}

void
request_asks_more(struct request *request, struct instant seen, uint64_t bytes)
{
    if (seen.frame < request->first_frame) {
        request->first_frame = seen.frame;
        request->first_ns = seen.ns;
    }
    if (seen.ns >= request->last_ns) {
        request->last_ns = seen.ns;
        request->last_frame = seen.frame;
    }
    request->request_bytes += bytes;
    if (request->response.first_frame)
        request_note_order(request);
}

void
response_begin(struct response *response, struct instant begun, int64_t offset)
{
    response->first_ns = begun.ns;
    response->first_frame = begun.frame;
    response->row = run_begin(offset);
}

void
response_add(struct response *response, struct instant seen, uint64_t bytes)
{
    if (seen.frame < response->first_frame) {
        response->first_frame = seen.frame;
        response->first_ns = seen.ns;
    }
    response->bytes += bytes;
    response->highest_frame = MAX(response->highest_frame, seen.frame);
    if (!response->last_frame || seen.ns >= response->last_ns) {
        response->last_frame = seen.frame;
        response->last_ns = seen.ns;
    }
}

void
request_is_answered(struct request *request, struct instant begun, int64_t offset)
{
    response_begin(&request->response, begun, offset);
    request_note_order(request);
}

inline void
request_answers_more(struct request *request, struct instant seen, uint64_t bytes)
{
    const bool is_earlier = seen.frame < request->response.first_frame;
    response_add(&request->response, seen, bytes);
    if (is_earlier)
        request_note_order(request);
}

void
request_update(struct requests *requests, struct request *request, uint32_t frame)
{
    request->updated_frame = frame;
    request->touched_frame = requests->frame;
    items_add(requests->items, frame, ITEM_UPDATED)->request = request;
}

void
request_lose(struct requests *requests, struct request *request, uint32_t frame)
{
    request_end(request, ENDING_LOST);
    request->open = false;
    request_update(requests, request, frame);
}

void
request_lose_answer(struct requests *requests, struct request *request, uint32_t frame)
{
    request->response = (struct response){ .first_frame = 0 };
    request->data_frame = 0;
    request_lose(requests, request, frame);
}

void
requests_forget(struct requests *requests, struct connection *connection)
{
    for (uint32_t i = 0; i < connection->n_requests; i++)
        make_spare(requests, connection->requests[i]);
    if (connection->room > 0)
        wmem_free(requests->scope, connection->requests - connection->forgotten);
    connection->request = NULL;
    connection->requests = NULL;
    connection->n_requests = connection->room = connection->forgotten = 0;
}
