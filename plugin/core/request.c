/* request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request.h"

#include <string.h>

#include "operation.h"

enum { OVERTAKING_FRAMES = 64 };

/* Requests a connection remembers, to know whose a retransmission is, where frames are not kept. */
enum { REQUESTS_RECENT = 8 };

/* Response frames that acknowledge client payload the capture does not have yet. If that payload turns up, the capture
 * has them in the wrong order: they become its response, and `before` is what it was without them. */
struct overtaking {
    bool active;
    uint32_t acknowledged; /* the highest acknowledgement among them */
    uint32_t n_positions;
    uint32_t positions[OVERTAKING_FRAMES]; /* of their items */
    struct request response;               /* p0, p1 and bytes they would make */
    struct request *before;                /* the request they count to now; NULL if they are unsolicited */
    uint64_t before_bytes;
    int64_t before_p1_ns;
    uint32_t before_p1_frame;
};

static int64_t
not_negative(int64_t time_ns)
{
    return MAX(time_ns, 0);
}

int64_t
request_first_byte(const struct request *request)
{
    return not_negative(request->p0_ns - request->q0_ns);
}

int64_t
request_service(const struct request *request)
{
    return not_negative(request->p0_ns - request->q1_ns);
}

int64_t
request_last_byte(const struct request *request)
{
    return not_negative(request->p1_ns - request->q0_ns);
}

int64_t
request_server_time(const struct request *request)
{
    int64_t network_ns = request->connection->connect.network_server_ns;
    return network_ns < 0 ? -1 : not_negative(request_service(request) - network_ns);
}

static bool
waited_too_long(const struct requests *requests, const struct request *request, int64_t now_ns)
{
    int64_t timeout_ns = requests->settings->timeout_ns;
    return timeout_ns > 0 && now_ns - request->q1_ns > timeout_ns;
}

enum outcome
request_outcome(const struct requests *requests, const struct request *request)
{
    if (request->p0_frame)
        return OUTCOME_ANSWERED;
    const struct connection *connection = request->connection;
    if (request->timed_out || waited_too_long(requests, request, MIN(connection->ended_ns, requests->last_ns)))
        return OUTCOME_TIMED_OUT;
    if (connection->reset)
        return OUTCOME_RESET;
    return connection_is_closed(connection) ? OUTCOME_CLOSED : OUTCOME_CAPTURE_ENDED;
}

static void
name_operation(struct requests *requests, struct request *request, const struct segment *segment)
{
    char text[OPERATION_ROOM];
    request->operation = "";
    if (operation_read(segment->payload, segment->captured_bytes, text) == 0)
        return;
    if (!items_are_kept(requests->items)) {
        request->operation = request->own_operation = wmem_strdup(requests->scope, text);
        return;
    }
    request->operation = wmem_map_lookup(requests->operations, text);
    if (!request->operation) {
        request->operation = wmem_strdup(requests->scope, text);
        wmem_map_insert(requests->operations, request->operation, (void *)request->operation);
    }
}

/* A zeroed request at the end of the connection's. Where nobody comes back to frames, the oldest of many makes room. */
static struct request *
add_request(struct requests *requests, struct connection *connection)
{
    struct request *request;
    if (connection->n_requests == REQUESTS_RECENT && !items_are_kept(requests->items)) {
        request = connection->requests[0];
        wmem_free(requests->scope, request->own_operation);
        memset(request, 0, sizeof *request);
        connection->n_requests--;
        memmove(connection->requests, connection->requests + 1, connection->n_requests * sizeof *connection->requests);
    } else {
        request = wmem_new0(requests->scope, struct request);
    }
    if (connection->n_requests == connection->room) {
        connection->room = connection->room ? connection->room * 2 : 1;
        connection->requests =
            wmem_realloc(requests->scope, connection->requests, connection->room * sizeof *connection->requests);
    }
    connection->requests[connection->n_requests++] = request;
    return request;
}

static struct request *
begin_request(struct requests *requests, struct connection *connection, const struct segment *segment, int64_t offset)
{
    const struct sender *server = &connection->sender[!connection->client];
    struct request *request = add_request(requests, connection);
    request->connection = connection;
    request->number = ++requests->count;
    name_operation(requests, request, segment);
    request->q0_frame = segment->frame;
    request->q0_ns = request->q1_ns = segment->time_ns;
    request->asking.start = offset;
    request->answering.start = server->sequence.known ? server->sequence.end : 0;
    connection->request = request;
    return request;
}

/* The request in whose bytes, or whose response's, `offset` lies: the last that starts at or before it. */
static struct request *
request_at(const struct connection *connection, bool from_client, int64_t offset)
{
    uint32_t low = 0;
    uint32_t high = connection->n_requests;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct request *request = connection->requests[middle];
        if ((from_client ? request->asking.start : request->answering.start) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? connection->requests[low - 1] : NULL;
}

/* The frames in `overtaking` were the response to `request`, which begins only now. */
static void
reorder(struct requests *requests, struct connection *connection, struct request *request, uint32_t frame)
{
    struct overtaking *overtaking = connection->overtaking;
    struct request *before = overtaking->before;
    overtaking->active = false;
    request->p0_ns = overtaking->response.p0_ns;
    request->p0_frame = overtaking->response.p0_frame;
    request->p1_ns = overtaking->response.p1_ns;
    request->p1_frame = overtaking->response.p1_frame;
    request->response_bytes = overtaking->response.response_bytes;
    request->acknowledged = overtaking->acknowledged;
    request->reordered = true;
    if (before) {
        before->response_bytes = overtaking->before_bytes;
        before->p1_ns = overtaking->before_p1_ns;
        before->p1_frame = overtaking->before_p1_frame;
        items_add(requests->items, frame, ITEM_AMENDED)->request = before;
    } else {
        requests->unsolicited_frames -= overtaking->n_positions;
    }
    /* `before` counted the offsets of these frames from its own first byte. */
    int64_t start = overtaking->response.answering.start;
    int64_t shift = before ? not_negative(start - before->answering.start) : 0;
    request->answering = before ? before->answering : connection->unsolicited;
    request->answering.start = start;
    for (uint32_t i = 0; items_are_kept(requests->items) && i < overtaking->n_positions; i++) {
        struct item *item = items_at(requests->items, overtaking->positions[i]);
        item->kind = ITEM_RESPONSE;
        item->request = request;
        item->byte_offset -= MIN(item->byte_offset, (uint64_t)shift);
        item->flags &= (uint16_t)~ITEM_CHUNK_BOUNDARY;
        if (i == 0)
            item->flags |= ITEM_FIRST;
    }
}

/* What a payload segment is to the sequence of its sender. */
struct place {
    int64_t start;
    int64_t end;
    uint32_t fresh;            /* new bytes */
    bool in_order;             /* it begins where the highest byte seen ended */
    const int16_t *ipid_delta; /* NULL if there is none */
};

/* Adds the packet to its row, and fills in what it is next to the one before it. */
static void
add_packet(const struct requests *requests, const struct sender *sender, const struct segment *segment,
           const struct place *place, struct run *run, struct item *item)
{
    const struct settings *settings = requests->settings;
    uint32_t chunk_bytes = settings->chunk_bytes;
    int64_t start = place->start - run->start;
    item->spacing_ns = not_negative(segment->time_ns - run->last_ns);
    item->byte_offset = (uint64_t)not_negative(place->end - run->start);
    if (place->ipid_delta) {
        item->ipid_delta = *place->ipid_delta;
        item->flags |= ITEM_IPID;
        if (item->ipid_delta != 0 &&
            (settings->is_full_size || continuity_behaviour(&sender->continuity) == IPID_COUNTER))
            item->flags |= ITEM_IPID_GAP;
    }
    if (!place->in_order)
        item->flags |= ITEM_OUT_OF_ORDER;
    if (place->fresh == 0)
        item->flags |= ITEM_RETRANSMISSION;
    if (!continuity_is_full(&sender->continuity, segment, settings))
        item->flags |= ITEM_SHORT;
    if (run->last_short)
        item->flags |= ITEM_AFTER_SHORT;
    if (chunk_bytes > 0 && start > 0 && start % chunk_bytes == 0)
        item->flags |= ITEM_CHUNK_BOUNDARY;
    if (!run->after_first)
        item->flags |= ITEM_FIRST;
    run->last_short = run->after_first && item->flags & ITEM_SHORT;
    run->after_first = true;
    run->last_ns = segment->time_ns;
}

static void
take_retransmission(struct requests *requests, struct connection *connection, const struct segment *segment,
                    const struct place *place, bool from_client)
{
    const struct sender *sender = &connection->sender[from_client ? connection->client : !connection->client];
    struct request *request = request_at(connection, from_client, place->start);
    struct item *item = items_add(requests->items, segment->frame, from_client ? ITEM_REQUEST : ITEM_RESPONSE);
    item->request = request;
    if (!request) {
        requests->orphans++;
        item->flags |= ITEM_FIRST;
        return;
    }
    request->retransmissions++;
    add_packet(requests, sender, segment, place, from_client ? &request->asking : &request->answering, item);
}

static void
take_client_payload(struct requests *requests, struct connection *connection, const struct segment *segment,
                    const struct place *place)
{
    const struct sender *client = &connection->sender[connection->client];
    struct overtaking *overtaking = connection->overtaking;
    struct request *request = connection->request;
    uint32_t end_seq = segment->seq + segment->payload_bytes;
    bool late = request && request->p0_frame && (int32_t)(end_seq - request->acknowledged) <= 0;
    bool more = request && !request->p0_frame && !request->timed_out;
    if (more && waited_too_long(requests, request, segment->time_ns)) {
        request->timed_out = true;
        more = false;
    }
    if (late)
        request->reordered = true;
    if (!late && !more) {
        request = begin_request(requests, connection, segment, place->start);
        if (overtaking && overtaking->active) {
            if ((int32_t)(overtaking->acknowledged - segment->seq) > 0)
                reorder(requests, connection, request, segment->frame);
            overtaking->active = false;
        }
    }
    request->q1_ns = MAX(request->q1_ns, segment->time_ns);
    request->request_bytes += place->fresh;
    struct item *item = items_add(requests->items, segment->frame, ITEM_REQUEST);
    item->request = request;
    add_packet(requests, client, segment, place, &request->asking, item);
}

/* Notes whether a server's frame acknowledges what the client has not been seen to send. `before`: the request whose
 * response it continues, NULL if it is unsolicited. Called before the frame counts. */
static void
watch_overtaking(struct requests *requests, struct connection *connection, const struct segment *segment,
                 const struct place *place, struct request *before)
{
    const struct sequence *sent = &connection->sender[connection->client].sequence;
    bool ahead = segment->flags & SEGMENT_ACK && (!sent->known || sequence_offset(sent, segment->ack) > sent->end);
    struct overtaking *overtaking = connection->overtaking;
    if (before && (int32_t)(segment->ack - before->acknowledged) <= 0)
        ahead = false;
    if (!ahead) {
        if (overtaking)
            overtaking->active = false;
        return;
    }
    if (!overtaking)
        overtaking = connection->overtaking = wmem_new0(requests->scope, struct overtaking);
    if (!overtaking->active) {
        *overtaking = (struct overtaking){
            .active = true,
            .response = { .p0_ns = segment->time_ns, .p0_frame = segment->frame, .answering.start = place->start },
            .before = before,
        };
        if (before) {
            overtaking->before_bytes = before->response_bytes;
            overtaking->before_p1_ns = before->p1_ns;
            overtaking->before_p1_frame = before->p1_frame;
        } else {
            connection->unsolicited = (struct run){ .start = place->start };
        }
    }
    if (overtaking->n_positions == OVERTAKING_FRAMES) {
        overtaking->active = false;
        return;
    }
    overtaking->acknowledged = segment->ack;
    overtaking->response.p1_ns = segment->time_ns;
    overtaking->response.p1_frame = segment->frame;
    overtaking->response.response_bytes += place->fresh;
}

static void
take_server_payload(struct requests *requests, struct connection *connection, const struct segment *segment,
                    const struct place *place)
{
    const struct sender *server = &connection->sender[!connection->client];
    struct request *request = connection->request;
    if (request && !request->p0_frame && waited_too_long(requests, request, segment->time_ns))
        request->timed_out = true;
    if (request && (request->timed_out || connection->reset))
        request = NULL;
    if (request && !request->p0_frame) {
        request->p0_ns = segment->time_ns;
        request->p0_frame = segment->frame;
        request->acknowledged = segment->ack;
        request->answering.start = place->start;
        request->reordered |= request->p0_ns < request->q1_ns;
    } else {
        watch_overtaking(requests, connection, segment, place, request);
    }
    struct item *item = items_add(requests->items, segment->frame, request ? ITEM_RESPONSE : ITEM_UNSOLICITED);
    add_packet(requests, server, segment, place, request ? &request->answering : &connection->unsolicited, item);
    if (request) {
        item->request = request;
        request->response_bytes += place->fresh;
        request->p1_frame = segment->frame;
        request->p1_ns = request->p0_frame == segment->frame ? segment->time_ns : MAX(request->p1_ns, segment->time_ns);
        if (segment->time_ns < request->q0_ns)
            item->flags |= ITEM_REORDERED;
    } else {
        item->connection = connection;
        requests->unsolicited_frames++;
    }
    struct overtaking *overtaking = connection->overtaking;
    if (overtaking && overtaking->active)
        overtaking->positions[overtaking->n_positions++] = items_last(requests->items);
}

/* A probe repeats the byte before the next one to see whether the peer is there: RFC 9293 §3.8.4. */
static bool
is_keep_alive(const struct sender *sender, const struct segment *segment)
{
    if (segment->payload_bytes != 1 || segment->flags & (SEGMENT_SYN | SEGMENT_FIN | SEGMENT_PSH))
        return false;
    return !sender->sequence.known || segment->seq + 1 == sender->sequence.end_seq;
}

void
request_take(struct requests *requests, struct connection *connection, const struct segment *segment,
             const int16_t *ipid_delta)
{
    uint8_t from = connection_sender(connection, segment);
    struct sender *sender = &connection->sender[from];
    struct sequence *sequence = &sender->sequence;
    if (segment->flags & SEGMENT_RST)
        return;
    bool probe = is_keep_alive(sender, segment);
    uint32_t seq = segment->seq + (segment->flags & SEGMENT_SYN ? 1 : 0);
    if (!sequence->known)
        sequence_start(sequence, probe ? seq + 1 : seq, true, requests->scope);
    int64_t start = sequence_offset(sequence, seq);
    if (segment->payload_bytes == 0 || probe) {
        /* What lies before it has been sent, if not captured. */
        if (start > sequence->end)
            sequence_add(sequence, start, 0, requests->scope);
        return;
    }
    if (sender->incomplete && start > sequence->end)
        sequence_add(sequence, sequence->end, (uint32_t)(start - sequence->end), requests->scope);
    sender->incomplete = segment->fragmented;
    struct place place = {
        .start = start,
        .end = start + segment->payload_bytes,
        .in_order = start == sequence->end,
        .ipid_delta = ipid_delta,
    };
    place.fresh = sequence_add(sequence, start, segment->payload_bytes, requests->scope);
    bool from_client = from == connection->client;
    if (place.fresh == 0)
        take_retransmission(requests, connection, segment, &place, from_client);
    else if (from_client)
        take_client_payload(requests, connection, segment, &place);
    else
        take_server_payload(requests, connection, segment, &place);
}
