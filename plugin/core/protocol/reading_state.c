/* reading_state.c
 * What is kept of a connection that is read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

inline struct reading *
reading_at(const struct requests *requests, struct connection *connection)
{
    if (!connection->tcp->reading) {
        connection->tcp->reading = wmem_new0(requests->scope, struct reading);
        connection->tcp->reading->connection = connection;
    }
    return connection->tcp->reading;
}

inline struct reading *
reading_of(struct requests *requests, struct carrier *carrier)
{
    struct reading *reading = reading_at(requests, carrier->piece->payload->connection);
    reading->requests = requests;
    reading->carrier = carrier;
    return reading;
}

/* Frees the flow's room for a piece, unless a piece is held, or a message's last is looked at once more at its end. */
static void
free_unit(const struct requests *requests, struct flow *flow)
{
    if (flow->unit_bytes > 0 || flow->ends)
        return;
    wmem_free(requests->scope, flow->unit);
    flow->unit = NULL;
}

inline void
reading_put_away(struct reading *reading)
{
    reading->carrier = NULL;
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->flow[side];
        if (!reading->parser)
            *flow = (struct flow){ .at = flow->at, .placed = flow->placed, .unit = flow->unit };
        if (flow->unit && flow->bytes == 0)
            free_unit(reading->requests, flow);
    }
}

inline int64_t
reading_end(const struct reading *reading, bool from_client)
{
    const struct connection *connection = reading->connection;
    const uint8_t side = from_client ? connection->client : !connection->client;
    const int64_t read = connection->sender[side].read;
    return read ? read : connection->tcp->sender[side].sequence.known ? SEQUENCE_FIRST : -1;
}

inline const struct sequence *
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

inline int64_t
reading_place(const struct connection *connection, bool from_client)
{
    const struct reading *reading = connection->tcp->reading;
    const struct flow *flow = reading ? &reading->flow[from_client] : NULL;
    return flow && flow->placed ? flow->at - (int64_t)flow->bytes : -1;
}

void
reading_shed(const struct requests *requests, struct connection *connection)
{
    struct reading *reading = connection->tcp->reading;
    for (unsigned side = 0; reading && side < 2; side++)
        free_unit(requests, &reading->flow[side]);
}

inline struct flow *
reading_flow(struct reading *reading, bool from_client)
{
    return &reading->flow[from_client];
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

void *
reading_own(struct reading *reading, size_t bytes)
{
    if (!reading->own)
        reading->own = wmem_alloc0(reading->requests->scope, bytes);
    return reading->own;
}

bool
reading_is_greeted(const struct reading *reading)
{
    return (reading->decryption && reading->decryption->is_greeted) || connection_greeting(reading->connection);
}

wmem_allocator_t *
reading_scope(const struct reading *reading)
{
    return reading->requests->scope;
}

void
reading_make_unit(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (!flow->unit)
        flow->unit = wmem_alloc(reading->requests->scope, UNIT_BYTES);
}

inline void
reading_pass(struct flow *flow, uint64_t bytes)
{
    flow->skip -= bytes;
    flow->bytes += bytes;
    flow->at += (int64_t)bytes;
}
