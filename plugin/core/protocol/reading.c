/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "reading_parts.h"

int64_t
reading_end(const struct reading *reading, bool from_client)
{
    const struct connection *connection = reading->connection;
    const uint8_t side = from_client ? connection->client : !connection->client;
    const int64_t read = connection->sender[side].read;
    return read ? read : connection->tcp->sender[side].sequence.known ? SEQUENCE_FIRST : -1;
}

const struct sequence *
reading_sequence(const struct reading *reading, bool from_client)
{
    const struct connection *connection = reading->connection;
    return &connection->tcp->sender[from_client ? connection->client : !connection->client].sequence;
}

/* The capture does not have the bytes up to `start`: the place in them is lost, or the message's last bytes. */
static void
pass_hole(struct reading *reading, bool from_client, int64_t start)
{
    struct flow *flow = &reading->work->flow[from_client];
    const bool is_cut = flow->skip == 0 && flow->held > 0;
    if (is_cut)
        reading_takes_cut(reading, from_client, true);
    if (flow->ends && flow->skip <= (uint64_t)(start - flow->at) && !flow->may_end)
        reading_end_unseen(reading, from_client);
    const uint64_t missing = (uint64_t)(start - flow->at);
    if (flow->skip < missing || flow->may_end) {
        flow->unread += missing;
        flow->before = missing;
        flow->at = start;
        reading_lose_place(reading, from_client);
    }
    /* the server may have answered it before */
    if (is_cut && from_client)
        reading_miss_answers(reading, false);
}

/* Where the head of an answer was cut, what the server says is all of it until it begins to answer the next request. */
static void
end_open(struct reading *reading, const struct segment *segment, int64_t start)
{
    struct flow *flow = &reading->work->flow[false];
    if (!(segment->flags & SEGMENT_ACK) || segment->captured_bytes == 0 ||
        sequence_offset(reading_sequence(reading, true), segment->ack) <= reading->open_from ||
        (start == flow->at && !reading->parser->recognise_answer(segment->payload, segment->captured_bytes)))
        return;
    /* also where bytes are missing: an answer may be */
    reading_end_message(reading, false);
}

void
reading_drop_own(struct reading *reading)
{
    if (reading->own)
        reading->last_parser->forget(reading);
    reading->own = NULL;
}

void
reading_begin(struct reading *reading, const struct parser *parser, bool from_client, bool decrypted)
{
    const bool is_same = reading->last_parser == parser;
    resync_free(reading->resync);
    reading_drop_own(reading);
    *reading = (struct reading){
        .parser = parser,
        .last_parser = parser,
        .makes_sense = reading->makes_sense && is_same,
        .is_cut = reading->is_cut && is_same,
        .work = reading->work,
        .followed = reading->followed,
        .last_ns = reading->carrier->piece->segment.time_ns,
        .is_greeted = reading->is_greeted,
        .decrypted = decrypted,
        .requests = reading->requests,
        .carrier = reading->carrier,
        .connection = reading->connection,
    };
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->work->flow[side];
        *flow = (struct flow){ .piece = flow->piece };
        reading_reset(reading, side);
    }
    reading_tell(reading,
                 &(struct message){
                     .kind = MESSAGE_CLAIM, .hidden = decrypted, .from_client = from_client, .key = parser->kind });
}

int64_t
reading_place(const struct connection *connection, bool from_client)
{
    const struct reading *reading = connection->tcp->reading;
    if (reading && !reading->work)
        return reading->rest[from_client].placed ? reading->rest[from_client].at : -1;
    const struct flow *flow = reading ? &reading->work->flow[from_client] : NULL;
    return flow && flow->placed ? flow->at - (int64_t)flow->bytes : -1;
}

void
reading_arrives(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    bool from_client = piece->payload->sender == connection->client;
    if (reading_is_hidden(connection->tcp->reading))
        reading_arrives_decrypted(requests, carrier);
    else if (!connection->framing.claimed)
        reading_recognise_protocol(requests, carrier);
    from_client = piece->payload->sender == connection->client;
    struct reading *reading = connection->tcp->reading;
    if (!reading || !reading->parser || reading->decrypted || piece->fresh == 0)
        return;
    const struct segment *segment = &piece->segment;
    int64_t start = piece->start;
    reading_of(requests, carrier);
    struct flow *flow = &reading->work->flow[from_client];
    if (flow->at < 0)
        flow->at = MIN(start, sequence_offset(reading_sequence(reading, from_client), reading->first_ack));
    if (start < flow->at)
        return;
    if (!from_client)
        reading_note_acknowledged(reading, segment);
    if (!flow->placed)
        return;
    if (!from_client && flow->is_open_ended)
        end_open(reading, segment, start);
    if (from_client)
        reading_see_turn(reading, segment);
    if (start > flow->at)
        pass_hole(reading, from_client, start);
    else if (!from_client && flow->may_end)
        reading_see_end(reading, segment->payload, segment->captured_bytes);
}

/* Bytes of a request: half as many as the shortest so far has, but others may be shorter than the first are. */
static uint64_t
least_request(const struct reading *reading)
{
    const uint64_t least = reading->parser->least, half = reading->work->flow[true].least / 2;
    return reading->parser->has_short ? least : CLAMP(half, least, 2 * least);
}

/* The place is known, and so how many requests the bytes that were not read can have been. */
static void
bound_unread(struct reading *reading, bool from_client, bool is_found)
{
    struct flow *flow = &reading->work->flow[from_client];
    if (from_client && reading->resync)
        resync_close_gap(reading->resync, flow->unread / least_request(reading));
    else if (!from_client && is_found)
        resync_miss(reading_resync(reading));
    if (is_found && flow->unread > 0)
        reading_miss_answers(reading, from_client);
    flow->unread = 0;
    reading_settle(reading);
}

static void
feed(struct reading *reading, bool from_client)
{
    const struct piece *piece = reading->carrier->piece;
    const struct segment *segment = &piece->segment;
    struct flow *flow = &reading->work->flow[from_client];
    int64_t start = piece->start, end = start + segment->payload_bytes;
    flow->largest = MAX(flow->largest, segment->payload_bytes);
    if (start > flow->at)
        flow->before = (uint64_t)(start - flow->at);
    bool is_found = !flow->placed;
    if (is_found && !reading_find_place(reading, from_client, segment)) {
        reading_miss_answers(reading, from_client);
        return;
    }
    if (start > flow->at) {
        flow->missing += (uint64_t)(start - flow->at);
        reading_pass(flow, (uint64_t)(start - flow->at));
    }
    bound_unread(reading, from_client, is_found);
    /* behind a gap nobody knows when it began to ask */
    if (from_client && flow->bytes == 0 && !piece->after_gap)
        reading_note_silence(reading, segment);
    reading_segment(reading, from_client, segment, (size_t)(flow->at - start), (uint64_t)(end - flow->at));
}

static void
take(struct reading *reading)
{
    const struct piece *piece = reading->carrier->piece;
    const struct segment *segment = &piece->segment;
    bool from_client = piece->payload->sender == reading->connection->client;
    if (reading_is_hidden(reading)) {
        reading_take_decrypted(reading, from_client);
        return;
    }
    if (!reading->parser)
        return;
    struct flow *flow = &reading->work->flow[from_client];
    if (piece->start + segment->payload_bytes > flow->at) {
        feed(reading, from_client);
        flow->before = segment->payload_bytes;
    }
    if (from_client && reading->parser)
        reading_note_flight(reading, segment);
    if (from_client)
        reading->client_ack = segment->ack;
    reading->last_ns = segment->time_ns;
}

void
reading_take(struct requests *requests, struct carrier *carrier)
{
    struct reading *reading = carrier->piece->payload->connection->tcp->reading;
    if (!reading)
        return;
    if (carrier->piece->fresh > 0)
        take(reading_of(requests, carrier));
    reading_sleep(reading);
}

/* The server sends no more: what it has begun to say is an answer, and to what else waits it said nothing, if all of it
 * has been read. */
void
reading_take_end(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct reading *reading = piece->payload->connection->tcp->reading;
    if (!reading || !reading->parser || reading->decrypted)
        return;
    reading_of(requests, carrier);
    const struct flow *flow = &reading->work->flow[false];
    bool is_read = flow->placed && !piece->after_gap && reading_knows_next(reading);
    if (is_read && !reading->parser->has_ids && flow->has_begun && !reading_interval(reading).idle) {
        reading_answers(reading, "", false);
        reading_tell_message(reading, false, false);
    } else if (!is_read) {
        reading_loses(reading);
    }
    reading_sleep(reading);
}
