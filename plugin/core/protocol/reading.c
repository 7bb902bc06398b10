/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "reading_parts.h"

/* Most connections of a capture are between two messages: what only messages under way need is theirs alone. */
static bool
is_resting(const struct reading *reading, const struct flow *flow)
{
    return flow->bytes == 0 && flow->held == 0 && flow->skip == 0 && flow->state == 0 && flow->marks == 0 &&
           flow->block == reading->parser->block && !flow->has_message && !flow->has_begun && !flow->is_open_ended &&
           !flow->ends && !flow->may_end;
}

static struct reading_work *
take_spare(struct requests *requests)
{
    struct reading_work *work = requests->spare_work;
    if (!work)
        return wmem_new0(requests->scope, struct reading_work);
    requests->spare_work = work->next;
    return work;
}

static void
make_spare(struct requests *requests, struct reading_work *work)
{
    work->next = requests->spare_work;
    requests->spare_work = work;
}

static void
wake(struct reading *reading)
{
    reading->work = take_spare(reading->requests);
    reading->work->operation[0] = '\0';
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->work->flow[side];
        const struct flow_rest *rest = &reading->rest[side];
        *flow = (struct flow){
            .at = rest->at,
            .placed = rest->placed,
            .block = reading->parser ? reading->parser->block : 0,
            .piece = flow->piece, /* room, of whomever */
        };
    }
}

struct reading *
reading_at(const struct requests *requests, struct connection *connection)
{
    if (!connection->tcp->reading) {
        connection->tcp->reading = wmem_new0(requests->scope, struct reading);
        connection->tcp->reading->connection = connection;
    }
    return connection->tcp->reading;
}

struct reading *
reading_of(struct requests *requests, struct carrier *carrier)
{
    struct reading *reading = reading_at(requests, carrier->piece->payload->connection);
    reading->requests = requests;
    reading->carrier = carrier;
    if (!reading->work)
        wake(reading);
    return reading;
}

/* Ends what was read of the carrier, which is its caller's, and lets go of what only messages under way need. */
static void
put_away(struct reading *reading)
{
    struct reading_work *work = reading->work;
    reading->carrier = NULL;
    if (!work ||
        (reading->parser && !(is_resting(reading, &work->flow[false]) && is_resting(reading, &work->flow[true]))))
        return;
    for (unsigned side = 0; side < 2; side++) {
        const struct flow *flow = &work->flow[side];
        reading->rest[side] = (struct flow_rest){
            .at = flow->at,
            .placed = flow->placed,
        };
    }
    reading->work = NULL;
    make_spare(reading->requests, work);
}

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

static void
drop_own(struct reading *reading)
{
    if (reading->own)
        reading->last_parser->forget(reading);
    reading->own = NULL;
}

void
reading_begin(struct reading *reading, const struct parser *parser, bool from_client, bool decrypted)
{
    const bool is_same = reading->last_parser == parser;
    if (reading->awaits)
        reading_tell(reading, &(struct message){ .kind = MESSAGE_RELEASE });
    resync_free(reading->resync);
    drop_own(reading);
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
        *flow = (struct flow){ .piece = flow->piece, .placed = decrypted };
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
        reading_end_open(reading, segment, start);
    if (from_client)
        reading_see_turn(reading, segment);
    if (start > flow->at)
        reading_pass_hole(reading, from_client, start);
    else if (!from_client && flow->may_end)
        reading_see_end(reading, segment->payload, segment->captured_bytes);
}

static void
feed(struct reading *reading, bool from_client)
{
    const struct piece *piece = reading->carrier->piece;
    const struct segment *segment = &piece->segment;
    struct flow *flow = &reading->work->flow[from_client];
    int64_t start = piece->start, end = start + segment->payload_bytes;
    if (!from_client)
        reading->largest = MAX(reading->largest, segment->payload_bytes);
    if (!from_client && start > flow->at)
        reading->before = (uint64_t)(start - flow->at);
    bool is_found = !flow->placed;
    if (is_found && !reading_find_place(reading, from_client, segment)) {
        reading_miss_answers(reading, from_client);
        return;
    }
    if (start > flow->at) {
        flow->missing += (uint64_t)(start - flow->at);
        reading_pass(flow, (uint64_t)(start - flow->at));
    }
    reading_bound_unread(reading, from_client, is_found);
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
        if (!from_client)
            reading->before = segment->payload_bytes;
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
    put_away(reading);
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
    put_away(reading);
}

void
reading_shed(const struct requests *requests, struct connection *connection)
{
    struct reading_work *work = connection->tcp->reading ? connection->tcp->reading->work : NULL;
    for (unsigned side = 0; work && side < 2; side++) {
        struct flow *flow = &work->flow[side];
        if (flow->held > 0 || flow->ends) /* at its end a message's piece is looked at once more */
            continue;
        wmem_free(requests->scope, flow->piece);
        flow->piece = NULL;
    }
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    struct reading *reading = connection->tcp->reading;
    if (!reading)
        return;
    reading->requests = requests;
    drop_own(reading);
    resync_free(reading->resync);
    if (reading->work)
        make_spare(requests, reading->work);
    reading_forget_decrypted(requests, reading);
    wmem_free(requests->scope, reading);
    connection->tcp->reading = NULL;
}
