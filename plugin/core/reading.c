/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <string.h>

#include "reading-parts.h"

static const struct framer *const framers[] = { &framer_http, &framer_redis, &framer_memcached,
                                                &framer_memcached_binary };

void
reading_bind(struct reading *reading, struct requests *requests, struct connection *connection)
{
    reading->requests = requests;
    reading->connection = connection;
}

const struct sequence *
reading_sequence(const struct reading *reading, bool from_client)
{
    const struct connection *connection = reading->connection;
    return &connection->sender[from_client ? connection->client : !connection->client].sequence;
}

/* A server that acknowledges what the capture does not have, or has later, may answer that. */
static void
note_acknowledged(struct reading *reading, const struct segment *segment)
{
    const struct sequence *sent = reading_sequence(reading, true);
    if (segment->flags & SEGMENT_ACK && sent->known && sequence_offset(sent, segment->ack) > reading->flow[true].at)
        reading_lose_requests(reading);
}

static void
note_hole(struct flow *flow, uint64_t bytes)
{
    flow->before = bytes;
    flow->after_hole = true;
}

/* The capture does not have the bytes up to `start`: the place in them is lost, or the message's last bytes. */
static void
pass_hole(struct reading *reading, bool from_client, int64_t start)
{
    struct flow *flow = &reading->flow[from_client];
    uint64_t missing = (uint64_t)(start - flow->at);
    if (flow->skip < missing || flow->may_end) {
        bool may_go_on = reading_leave_hole(reading, from_client, start);
        flow->unread += missing;
        note_hole(flow, missing);
        flow->at = start;
        reading_lose_place(reading, from_client, may_go_on);
    } else if (flow->skip == missing && flow->ends) {
        flow->missing += missing;
        reading_pass(flow, missing);
        reading_end_message(reading, from_client);
    }
}

enum lateness
reading_arrives(struct requests *requests, struct connection *connection, const struct segment *segment,
                bool from_client)
{
    struct reading *reading = connection->reading;
    struct flow *flow = &reading->flow[from_client];
    int64_t start = requests->taken.start;
    reading_bind(reading, requests, connection);
    if (reading->decrypted || reading->awaits)
        reading_follow_records(reading, segment, from_client);
    if (!reading->framer || reading->decrypted)
        return IN_TIME;
    if (!from_client)
        note_acknowledged(reading, segment);
    if (!from_client && reading->mark.set && segment->seq == reading->mark.seq) {
        if (flow->placed && start > flow->at)
            pass_hole(reading, false, start);
        reading_take_mark(reading, start);
    }
    bool passes_mark = !from_client && reading->mark.set && reading_is_after(segment->seq, reading->mark.seq);
    bool is_known = passes_mark && !reading_is_in_doubt(reading) && reading->answered == reading->mark.asked;
    if (!flow->placed && is_known) {
        flow->at = sequence_offset(reading_sequence(reading, false), reading->mark.seq);
        flow->placed = true;
    }
    reading->mark.set &= !passes_mark;
    if (!flow->placed && passes_mark)
        reading_lose_answers(reading);
    if (!flow->placed)
        return reading_lateness(reading, from_client, start);
    if (flow->is_adrift && (passes_mark || reading->overlaps))
        reading_lose_place(reading, false, false);
    if (start > flow->at)
        pass_hole(reading, from_client, start);
    else if (start == flow->at && !from_client)
        reading_see_end(reading, segment->payload, segment->captured_bytes);
    return reading_lateness(reading, from_client, start);
}

const struct framer *
reading_recognise(const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(framers); i++)
        if (framers[i]->recognise(bytes, length))
            return framers[i];
    return NULL;
}

void
reading_begin(struct reading *reading, const struct framer *framer, int64_t now_ns)
{
    bool same = reading->last_framer == framer;
    *reading = (struct reading){
        .late = { reading->late[false], reading->late[true] },
        .framer = framer,
        .last_framer = framer,
        .known = UINT64_MAX,
        .lost_at = UINT64_MAX,
        .next.exact = true,
        .has_notes = true,
        .makes_sense = same && reading->makes_sense,
        .last_ns = now_ns,
        .overlaps = same && reading->overlaps,
        .turns = same ? reading->turns : 0,
        .batch = same ? reading->batch : 0,
        .leaves = same ? reading->leaves : (struct habit){ 0 },
        .holds = same ? reading->holds : (struct habit){ 0 },
        .flow = { { .least = same ? reading->flow[0].least : 0, .most = same ? reading->flow[0].most : 0 },
                  { .least = same ? reading->flow[1].least : 0, .most = same ? reading->flow[1].most : 0 } },
    };
    for (unsigned side = 0; side < 2; side++) {
        if (reading->late[side])
            reading->late[side]->open = false;
        reading_reset(reading, side);
    }
}

/* Whether, before it sent this segment, the server had all that the client had said, and the client all answers. */
static bool
is_alone(const struct connection *connection, const struct segment *segment)
{
    const struct sender *server = &connection->sender[!connection->client];
    if (server->has_acked && reading_is_after(segment->seq, server->ack))
        return false;
    return !server->sequence.known || !(segment->flags & SEGMENT_ACK) || segment->ack == server->sequence.end_seq;
}

/* The capture has the handshake, nothing of the server, and of the client nothing before this segment. */
static bool
lacks_beginning(const struct connection *connection)
{
    const struct sequence *asked = &connection->sender[connection->client].sequence;
    const struct sequence *answered = &connection->sender[!connection->client].sequence;
    return connection->connect.number && asked->n_holes == 1 && asked->holes[0].start == SEQUENCE_FIRST &&
           answered->known && answered->end == SEQUENCE_FIRST;
}

/* A client's segment that begins a turn, of a connection of which nothing is known. */
static void
claim(struct requests *requests, struct connection *connection, const struct segment *segment)
{
    struct reading *reading = connection->reading;
    const struct item *item = items_at(requests->items, requests->taken.position);
    const struct request *request = item_request(item);
    const struct framer *framer = NULL;
    if ((reading && reading->over) || segment->captured_bytes < segment->payload_bytes ||
        requests->taken.fresh < segment->payload_bytes || !request || request->q0_frame != segment->frame ||
        request->p0_frame)
        return;
    framer = reading_recognise(segment->payload, segment->captured_bytes);
    if (!framer)
        return;
    if (!reading)
        reading = connection->reading = wmem_new0(requests->scope, struct reading);
    reading_begin(reading, framer, segment->time_ns);
    reading_bind(reading, requests, connection);
    reading->server_ack = segment->seq - 1;
    /* From its beginning on nobody had asked, and the server answered. */
    bool missed = connection->unasked.frame && connection->connect.number;
    if (!requests->taken.in_order || missed || !is_alone(connection, segment)) {
        reading->flow[false].placed = lacks_beginning(connection);
        if (reading->flow[false].placed)
            reading_leave_beginning(reading, requests->taken.start);
        reading_lose_requests(reading);
        /* nobody knows how many */
        reading->flow[true].unread = INT64_MAX;
        reading->flow[true].unread_in_message = true;
    }
    const struct sequence *answers = reading_sequence(reading, false);
    reading->flow[false].at = answers->known ? answers->end : -1;
    reading->flow[true].at = requests->taken.start;
    reading->flow[true].placed = true;
    reading_tell(reading, (struct message){ .kind = MESSAGE_CLAIM, .from_client = true, .key = framer->kind });
}

/* Where no message can be known to begin, one does with a segment that looks so. In the middle of a long answer another
 * may seem to begin, but not after the end of what was sent at once: that is no full segment. */
static bool
is_recognised(const struct reading *reading, bool from_client, const struct segment *segment)
{
    enum { LEAST_FULL = 536 }; /* RFC 9293 §3.7.1 */
    const struct framer *framer = reading->framer;
    const struct flow *flow = &reading->flow[from_client];
    if (segment->captured_bytes == 0)
        return false;
    if (from_client)
        return framer->recognise(segment->payload, segment->captured_bytes);
    bool is_whole = framer->block > 0 || memchr(segment->payload, '\n', segment->captured_bytes);
    return is_whole && flow->before < MAX(flow->largest, LEAST_FULL) &&
           framer->recognise_answer(segment->payload, segment->captured_bytes);
}

/* Whether the rest of the segment makes sense as requests from that byte on. Nothing of it is told. */
static bool
is_readable(struct reading *reading, const struct segment *segment, size_t offset)
{
    const struct reading before = *reading;
    struct flow *flow = &reading->flow[true];
    reading->is_late = reading->is_mute = flow->placed = true;
    flow->at = reading->requests->taken.start + (int64_t)offset;
    reading_segment(reading, true, segment, offset, segment->payload_bytes - offset);
    bool is_readable = reading->framer && flow->placed;
    *reading = before;
    return is_readable;
}

/* A client's segment begins with the rest of a message that was lost: the offset of the next one, 0 if there is none.
 */
static size_t
find_request(struct reading *reading, const struct segment *segment)
{
    enum { TRIED_MOST = 4 };
    const struct framer *framer = reading->framer;
    const uint8_t *begin = segment->payload, *end = begin + segment->captured_bytes;
    const int64_t read = reading->flow[true].at - reading->requests->taken.start;
    const uint8_t *at = begin + CLAMP(read, 0, (int64_t)segment->captured_bytes);
    unsigned tried = 0;
    while (framer->block == 0 && tried < TRIED_MOST && at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        if (!framer->recognise(at, (size_t)(end - at)))
            continue;
        if (is_readable(reading, segment, (size_t)(at - begin)))
            return (size_t)(at - begin);
        tried++;
    }
    return 0;
}

static void
feed(struct reading *reading, const struct segment *segment, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    int64_t start = reading->requests->taken.start, end = start + segment->payload_bytes;
    flow->largest = MAX(flow->largest, segment->payload_bytes);
    /* no place in a sequence that begins here */
    if (flow->at < 0)
        flow->at = start;
    if (start > flow->at)
        note_hole(flow, (uint64_t)(start - flow->at));
    if (!flow->placed) {
        flow->placed = is_recognised(reading, from_client, segment);
        size_t rest = from_client && !flow->placed ? find_request(reading, segment) : 0;
        flow->placed |= rest > 0;
        int64_t next = flow->placed ? MAX(start + (int64_t)rest, flow->at) : end;
        if (!from_client && next > flow->at && !reading_is_in_doubt(reading))
            reading_lose_answers(reading);
        flow->unread += (uint64_t)(next - flow->at);
        flow->at = next;
        if (flow->placed)
            reading_meet(reading, from_client, next);
    }
    if (!flow->placed)
        return;
    if (start > flow->at) {
        flow->missing += (uint64_t)(start - flow->at);
        reading_pass(flow, (uint64_t)(start - flow->at));
    }
    if (from_client && reading_is_between(flow))
        reading_note_asking(reading, segment);
    reading_segment(reading, from_client, segment, (size_t)(flow->at - start), (uint64_t)(end - flow->at));
}

static void
note_acks(struct reading *reading, const struct segment *segment, bool from_client)
{
    uint32_t *ack = from_client ? &reading->client_ack : &reading->server_ack;
    if (segment->flags & SEGMENT_ACK)
        *ack = segment->ack;
    reading->last_ns = segment->time_ns;
}

void
reading_take(struct requests *requests, const struct segment *segment)
{
    struct connection *connection = requests->taken.connection;
    if (!connection || requests->settings->by_turns || requests->taken.fresh == 0)
        return;
    bool from_client = connection_sender(connection, segment) == connection->client;
    if (from_client && !connection->framing.claimed && requests->taken.has_item)
        claim(requests, connection, segment);
    struct reading *reading = connection->reading;
    if (!reading || !reading->framer || reading->decrypted)
        return;
    reading_bind(reading, requests, connection);
    struct flow *flow = &reading->flow[from_client];
    if (requests->taken.start < flow->at)
        reading_take_late(reading, segment, from_client);
    if (reading->framer && requests->taken.start + segment->payload_bytes > flow->at) {
        feed(reading, segment, from_client);
        flow->before = segment->payload_bytes;
        flow->after_hole = false;
    }
    if (from_client && reading->framer) {
        reading_bound_hidden(reading);
        reading_note_habit(reading, segment, &reading->holds);
    }
    note_acks(reading, segment, from_client);
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    for (unsigned side = 0; connection->reading && side < 2; side++)
        wmem_free(requests->scope, connection->reading->late[side]);
    wmem_free(requests->scope, connection->reading);
    connection->reading = NULL;
}
