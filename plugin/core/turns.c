/* turns.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "turns.h"

#include "framing.h"
#include "overtaking.h"
#include "reading.h"

static void
take_retransmission(struct requests *requests, struct connection *connection, const struct segment *segment,
                    const struct place *place, bool from_client)
{
    const struct sender *sender = &connection->sender[from_client ? connection->client : !connection->client];
    struct request *request = request_at(connection, from_client, place->start);
    enum item_kind kind = !request ? ITEM_STRAY : from_client ? ITEM_REQUEST : ITEM_RESPONSE;
    struct item *item = items_add(requests->items, segment->frame, kind);
    struct run nowhere = run_begin(place->start);
    struct run *run = !request ? &nowhere : from_client ? &request->asking : &request->answering;
    run_add(run, segment, place, &sender->continuity, requests->settings, item);
    item->sender = from_client ? connection->client : !connection->client;
    if (!request) {
        item->connection = connection;
        return;
    }
    item->request = request;
    request->retransmissions++;
    request->flags += item_flags(item);
}

/* The connection's last request, unless its answer is not to be had by turns. */
static struct request *
last_request(const struct connection *connection)
{
    struct request *request = connection->request;
    bool is_over = request && request->told_apart && !connection->framing.goes_on;
    return is_over ? NULL : request;
}

static void
take_client_payload(struct requests *requests, struct connection *connection, const struct segment *segment,
                    const struct place *place)
{
    const struct sender *client = &connection->sender[connection->client];
    struct request *request = last_request(connection);
    uint32_t end_seq = segment->seq + segment->payload_bytes;
    bool late = request && request->p0_frame && request_acknowledges(request, end_seq);
    bool more = request && !request->p0_frame && !request->timed_out;
    if (late)
        request->reordered = true;
    if (!late && !more) {
        request = request_begin(requests, connection, segment, place->start);
        overtaking_settle(requests, connection, segment, request);
    }
    request_asks_more(request, segment, place->fresh);
    struct item *item = items_add(requests->items, segment->frame, ITEM_REQUEST);
    item->request = request;
    item->sender = connection->client;
    run_add(&request->asking, segment, place, &client->continuity, requests->settings, item);
    request->flags += item_flags(item);
}

static void
note_unasked(struct unasked *unasked, const struct segment *segment, uint32_t fresh)
{
    if (!unasked->frame) {
        unasked->frame = segment->frame;
        unasked->first_ns = unasked->last_ns = segment->time_ns;
    }
    unasked->last_ns = MAX(unasked->last_ns, segment->time_ns);
    unasked->bytes += fresh;
}

static void
take_server_payload(struct requests *requests, struct connection *connection, const struct segment *segment,
                    const struct place *place)
{
    const struct sender *server = &connection->sender[!connection->client];
    struct request *request = last_request(connection);
    struct overtaken *watched = NULL;
    if (request && (request->timed_out || connection->reset))
        request = NULL;
    if (request && !request->p0_frame) {
        request_is_answered(request, segment, place->start);
    } else {
        watched = overtaking_watch(requests, connection, segment, place, request);
    }
    struct item *item = items_add(requests->items, segment->frame, request ? ITEM_RESPONSE : ITEM_UNSOLICITED);
    item->sender = !connection->client;
    run_add(request ? &request->answering : &connection->unsolicited, segment, place, &server->continuity,
            requests->settings, item);
    if (watched)
        overtaking_note(watched, requests->items);
    if (request) {
        item->request = request;
        request->flags += item_flags(item);
        request_answers_more(request, segment, place->fresh);
    } else {
        item->connection = connection;
    }
}

static void
note_timeout(struct requests *requests, struct request *request, const struct segment *segment)
{
    if (!request || request->p0_frame || request->timed_out ||
        !request_has_timed_out(requests, request, segment->time_ns))
        return;
    request->timed_out = true;
    request_amend(requests, request);
}

/* A probe repeats the byte before the next one to see whether the peer is there: RFC 9293 §3.8.4. */
static bool
is_keep_alive(const struct sender *sender, const struct segment *segment)
{
    if (segment->payload_bytes != 1 || segment->flags & (SEGMENT_SYN | SEGMENT_FIN | SEGMENT_PSH))
        return false;
    return sender->sequence.known ? segment->seq + 1 == sender->sequence.end_seq : segment->flags & SEGMENT_ACK;
}

void
turns_take(struct requests *requests, struct connection *connection, const struct segment *segment,
           const struct ipid_step *ipid_step)
{
    uint8_t from = connection_sender(connection, segment);
    struct sender *sender = &connection->sender[from];
    struct sequence *sequence = &sender->sequence;
    if (segment->flags & SEGMENT_RST)
        return;
    if (segment->flags & SEGMENT_ACK) {
        sender->ack = segment->ack;
        sender->has_acked = true;
    }
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
        .ipid_step = ipid_step,
    };
    place.fresh = sequence_add(sequence, start, segment->payload_bytes, requests->scope);
    requests->taken.start = start;
    requests->taken.fresh = place.fresh;
    requests->taken.in_order = place.in_order;
    bool from_client = from == connection->client;
    if (place.fresh == 0) {
        take_retransmission(requests, connection, segment, &place, from_client);
        return;
    }
    if (!from_client && !connection->request)
        note_unasked(&connection->unasked, segment, place.fresh);
    requests->taken.lateness =
        connection->reading ? reading_arrives(requests, connection, segment, from_client) : segment->lateness;
    if (connection->framing.claimed) {
        framing_take(requests, connection, segment, &place, from_client);
    } else {
        note_timeout(requests, last_request(connection), segment);
        if (from_client)
            take_client_payload(requests, connection, segment, &place);
        else
            take_server_payload(requests, connection, segment, &place);
    }
    requests->taken.position = items_last(requests->items);
    requests->taken.has_item = true;
}
