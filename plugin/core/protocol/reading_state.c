/* reading_state.c
 * What is kept of a connection that is read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
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

void
reading_spare_work(struct requests *requests, struct reading_work *work)
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

void
reading_put_away(struct reading *reading)
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
    reading_spare_work(reading->requests, work);
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

void
reading_drop_own(struct reading *reading)
{
    if (reading->own)
        reading->last_parser->forget(reading);
    reading->own = NULL;
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

struct flow *
reading_flow(struct reading *reading, bool from_client)
{
    return &reading->work->flow[from_client];
}

const struct connection *
reading_connection(const struct reading *reading)
{
    return reading->connection;
}

uint8_t *
reading_mode(struct reading *reading)
{
    return &reading->mode;
}

void **
reading_own(struct reading *reading)
{
    return &reading->own;
}

bool
reading_is_greeted(const struct reading *reading)
{
    return reading->is_greeted || connection_greeting(reading->connection);
}

wmem_allocator_t *
reading_scope(const struct reading *reading)
{
    return reading->requests->scope;
}

void
reading_hold_piece(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->work->flow[from_client];
    if (!flow->piece)
        flow->piece = wmem_alloc(reading->requests->scope, PIECE_BYTES);
}

void
reading_pass(struct flow *flow, uint64_t bytes)
{
    flow->skip -= bytes;
    flow->bytes += bytes;
    flow->at += (int64_t)bytes;
}
