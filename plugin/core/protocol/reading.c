/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "reading_parts.h"

inline void
reading_arrives(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    bool from_client = piece->payload->sender == connection->client;
    if (reading_is_hidden(connection->tcp->reading))
        reading_arrives_decrypted(requests, carrier);
    else if (connection->session != SESSION_MESSAGES)
        reading_recognise_protocol(requests, carrier);
    from_client = piece->payload->sender == connection->client;
    struct reading *reading = connection->tcp->reading;
    if (!reading || !reading->parser || reading_is_decrypted(reading) || piece->fresh == 0)
        return;
    const struct segment *segment = &piece->segment;
    int64_t start = piece->start;
    reading_of(requests, carrier);
    struct flow *flow = &reading->flow[from_client];
    if (flow->at < 0)
        flow->at = MIN(start, sequence_offset(reading_sequence(reading, from_client), reading->first_ack));
    if (start < flow->at)
        return;
    if (!from_client) {
        reading_note_preceding(reading);
        reading_note_acknowledged(reading, segment);
    }
    if (!flow->placed)
        return;
    if (!from_client && flow->is_open_ended)
        reading_end_open(reading, segment, start);
    if (from_client)
        reading_see_turn(reading, segment);
    if (start > flow->at)
        reading_pass_hole(reading, from_client, start);
    else if (flow->may_end)
        reading_see_end(reading, from_client, segment->payload, segment->captured_bytes);
}

static inline void
feed(struct reading *reading, bool from_client)
{
    static const uint8_t nothing[1];
    const struct piece *piece = reading->carrier->piece;
    const struct segment *segment = &piece->segment;
    struct flow *flow = &reading->flow[from_client];
    int64_t start = piece->start, end = start + segment->payload_bytes;
    if (!from_client)
        reading->largest = MAX(reading->largest, segment->payload_bytes);
    if (!from_client && start > flow->at)
        reading->before = (uint64_t)(start - flow->at);
    bool is_found = !flow->placed;
    if (is_found && !reading_find_place(reading, from_client, segment)) {
        reading_loses_answers(reading, from_client);
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
    const uint64_t length = (uint64_t)(end - flow->at);
    const size_t offset = (size_t)(flow->at - start);
    const size_t captured = segment->captured_bytes > offset ? MIN(segment->captured_bytes - offset, length) : 0;
    reading_bytes(reading, from_client, captured ? segment->payload + offset : nothing, captured, length);
}

static inline void
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
    struct flow *flow = &reading->flow[from_client];
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

inline void
reading_take(struct requests *requests, struct carrier *carrier)
{
    struct reading *reading = carrier->piece->payload->connection->tcp->reading;
    if (!reading)
        return;
    if (carrier->piece->fresh > 0)
        take(reading_of(requests, carrier));
    reading_put_away(reading);
}

/* The server sends no more: what it has begun to say is an answer, and to what else waits it said nothing, if all of it
 * has been read. */
void
reading_take_end(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    struct reading *reading = piece->payload->connection->tcp->reading;
    if (!reading || !reading->parser || reading_is_decrypted(reading))
        return;
    reading_of(requests, carrier);
    const struct flow *flow = &reading->flow[false];
    bool is_read = flow->placed && !piece->after_gap && reading_knows_next(reading);
    if (is_read && !reading->parser->has_ids && flow->progress == PROGRESS_BEGINNING &&
        !reading_interval(reading).idle) {
        reading_answers(reading, "", false);
        reading_tell_message(reading, false, false);
    } else if (!is_read) {
        reading_gives_up_all(reading);
    }
    reading_put_away(reading);
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    struct reading *reading = connection->tcp->reading;
    if (!reading)
        return;
    reading->requests = requests;
    reading_drop_own(reading);
    if (reading->last)
        reading_drop_last(reading);
    resync_free(reading->resync);
    for (unsigned side = 0; side < 2; side++)
        wmem_free(requests->scope, reading->flow[side].unit);
    reading_forget_decrypted(requests, reading);
    wmem_free(requests->scope, reading);
    connection->tcp->reading = NULL;
}
