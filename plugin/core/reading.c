/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <string.h>

#include "framer.h"
#include "operation.h"

static const struct framer *const framers[] = { &framer_http, &framer_redis, &framer_memcached,
                                                &framer_memcached_binary };

/* A quiet that is so many times the longest latency so far, and at least so long, has nothing in flight. */
enum { QUIET_TIMES = 8, QUIET_LEAST_NS = 10000000 };

/* Where the client begins to ask anew: it has had its answers to all before. */
struct mark {
    bool set;
    uint64_t asked; /* before it */
    uint32_t seq;                   /* of the server's next byte */
};

/* A connection's. */
struct reading {
    const struct framer *framer; /* NULL: none now */
    const struct framer *last_framer;
    bool over;                   /* and none ever */
    uint8_t mode;
    struct flow flow[2]; /* of the server, of the client */
    uint64_t asked, answered;
    uint64_t known; /* of those in order, the answers to the first so many can be told */
    uint32_t last_note;
    bool has_notes;     /* no two requests in a row had the same */
    bool overlaps;      /* the client has asked while answers were on their way */
    unsigned turns;     /* how often it has asked when none was */
    uint64_t batch;     /* the most it has asked at once */
    uint64_t seen;      /* answers that could not be numbered, since the order was known last */
    uint64_t lost_at;   /* so many had asked when, since the mark, bytes of the client were lost; UINT64_MAX: none were */
    struct mark mark;
    uint32_t client_ack; /* the highest of its payload */
    uint32_t server_ack;
    int64_t last_ns; /* of payload */
    char operation[OPERATION_ROOM];
    struct requests *requests; /* for the call */
    struct connection *connection;
};

static bool
is_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

struct flow *
reading_flow(struct reading *reading, bool from_client)
{
    return &reading->flow[from_client];
}

uint8_t *
reading_mode(struct reading *reading)
{
    return &reading->mode;
}

static void
tell(struct reading *reading, struct message message)
{
    framing_tell(reading->requests, reading->connection, &message);
}

static void
tell_flow(struct reading *reading, bool from_client, bool ends)
{
    struct flow *flow = &reading->flow[from_client];
    flow->message.ends = ends;
    flow->message.bytes = flow->bytes - flow->missing;
    flow->message.operation = from_client ? reading->operation : "";
    flow->message.status = flow->text;
    flow->is_told = true;
    tell(reading, flow->message);
}

static void
begin_message(struct flow *flow, enum message_kind kind, uint64_t key)
{
    flow->has_message = true;
    flow->is_told = false;
    flow->message = (struct message){ .kind = kind, .key = key };
}

static uint64_t
key_in_order(uint64_t number)
{
    return number | UINT64_C(1) << 62;
}

void
reading_asks(struct reading *reading, const char *operation, uint64_t note)
{
    struct flow *flow = &reading->flow[true];
    begin_message(flow, MESSAGE_ASKS, key_in_order(reading->asked++));
    flow->message.note = note;
    g_strlcpy(reading->operation, operation, sizeof reading->operation);
}

void
reading_withdraws(struct reading *reading)
{
    struct flow *flow = &reading->flow[true];
    if (!flow->has_message)
        return;
    if (flow->is_told) {
        reading_doubts(reading);
        return;
    }
    flow->has_message = false;
    reading->asked--;
}

void
reading_notes(struct reading *reading, uint64_t note)
{
    reading->flow[true].message.note = note;
    reading->has_notes = reading->has_notes && (reading->asked == 1 || (uint32_t)note != reading->last_note);
    reading->last_note = (uint32_t)note;
}

static void
say(struct flow *flow, const char *status, bool failed)
{
    g_strlcpy(flow->text, status, sizeof flow->text);
    flow->message.failed = failed;
}

void
reading_answers(struct reading *reading, const char *status, bool failed)
{
    struct flow *flow = &reading->flow[false];
    if (reading->answered >= MIN(reading->asked, reading->known)) {
        reading->seen++;
        return;
    }
    begin_message(flow, MESSAGE_ANSWERS, key_in_order(reading->answered++));
    say(flow, status, failed);
}

const struct request *
reading_first(struct reading *reading)
{
    if (reading->answered >= MIN(reading->asked, reading->known))
        return NULL;
    return framing_first(reading->requests, reading->connection, key_in_order(reading->answered));
}

/* Of the next ones asked, up to `known`. */
static void
know_order(struct reading *reading, uint64_t known)
{
    reading->known = known;
    reading->seen = 0;
    for (unsigned i = 0; i < 2; i++) {
        reading->flow[i].unread = 0;
        reading->flow[i].unread_in_message = false;
    }
}

bool
reading_finds(struct reading *reading, uint32_t note)
{
    uint64_t found = 0;
    unsigned count = 0;
    enum { LOOKED_AT = 4096 };
    if (!reading->has_notes || reading->asked - reading->answered > LOOKED_AT)
        return false;
    for (uint64_t i = reading->answered; i < reading->asked; i++) {
        const struct request *request = framing_first(reading->requests, reading->connection, key_in_order(i));
        if (!request || (uint32_t)request->note != note)
            continue;
        found = i;
        count++;
    }
    if (count != 1)
        return false;
    tell(reading, (struct message){ .kind = MESSAGE_LOSE, .key = reading->asked - found });
    reading->answered = found;
    know_order(reading, UINT64_MAX);
    return true;
}

void
reading_doubts(struct reading *reading)
{
    reading->known = MIN(reading->known, reading->answered);
}

/* Between two messages. */
static void
reset_flow(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->skip = flow->bytes = flow->missing = flow->left = 0;
    flow->has_message = flow->is_told = flow->is_adrift = flow->ends = false;
    flow->state = flow->marks = 0;
    flow->held = 0;
    flow->text[0] = '\0';
    flow->block = reading->framer->block;
}

static void
release(struct reading *reading, bool over)
{
    tell(reading, (struct message){ .kind = MESSAGE_RELEASE });
    reading->framer = NULL;
    reading->over = over;
}

/* Whether all that the server says until the client asks again belongs to the answer that has begun. */
static bool
goes_adrift(const struct reading *reading)
{
    const struct flow *flow = &reading->flow[false];
    return flow->has_message && !flow->is_adrift && !reading->overlaps && !reading->mark.set &&
           reading->asked == reading->mark.asked + 1 && reading->answered == reading->asked;
}

static void
lose_requests(struct reading *reading)
{
    reading->lost_at = MIN(reading->lost_at, reading->asked);
    reading->known = MIN(reading->known, reading->asked);
}

static void
lose_place(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (!from_client && goes_adrift(reading)) {
        flow->is_adrift = true;
        flow->unread = 0;
        flow->skip = FLOW_UNTIL_CLOSED;
        flow->held = 0;
        return;
    }
    flow->placed = false;
    flow->unread_in_message |= flow->bytes > 0;
    if (from_client) {
        lose_requests(reading);
    } else {
        reading->known = MIN(reading->known, reading->answered);
    }
    if (flow->has_message)
        tell(reading, (struct message){ .kind = MESSAGE_BREAK, .from_client = from_client });
    reset_flow(reading, from_client);
}

/* Takes from the bytes what there is of the next piece; true if it is complete. */
static bool
gather(struct flow *flow, const uint8_t **bytes, size_t *captured, const uint8_t **piece, size_t *length)
{
    const uint8_t *from = *bytes;
    size_t taken;
    bool complete;
    if (flow->block > 0) {
        taken = MIN(*captured, flow->block - flow->held);
        complete = flow->held + taken == flow->block;
        *length = taken;
    } else {
        const uint8_t *end = memchr(from, '\n', *captured);
        taken = end ? (size_t)(end - from) + 1 : *captured;
        complete = end;
        *length = taken - complete;
    }
    *piece = from;
    *bytes += taken;
    *captured -= taken;
    flow->at += (int64_t)taken;
    flow->bytes += taken;
    if (!complete || flow->held > 0) {
        size_t room = PIECE_BYTES - flow->held, kept = MIN(room, *length);
        memcpy(flow->piece + flow->held, from, kept);
        flow->held += (uint32_t)kept;
        *piece = flow->piece;
        *length = flow->held;
    }
    if (complete && flow->block == 0 && *length > 0 && (*piece)[*length - 1] == '\r')
        --*length;
    return complete;
}

static void
end_message(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (flow->has_message) {
        flow->least = flow->least ? MIN(flow->least, flow->bytes) : flow->bytes;
        flow->most = MAX(flow->most, flow->bytes);
        tell_flow(reading, from_client, true);
    }
    reset_flow(reading, from_client);
}

static void
pass(struct flow *flow, uint64_t bytes)
{
    flow->skip -= bytes;
    flow->bytes += bytes;
    flow->at += (int64_t)bytes;
}

/* The new bytes of a segment, from the flow's place on; of `length`, the first `captured` are there. */
static void
read_bytes(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured, uint64_t length)
{
    struct flow *flow = &reading->flow[from_client];
    const uint8_t *piece = NULL, *end = bytes + captured;
    size_t piece_bytes = 0;
    int64_t last = flow->at + (int64_t)length;
    while (flow->at < last) {
        uint64_t skipped = MIN(flow->skip, (uint64_t)(last - flow->at));
        if (skipped > 0) {
            pass(flow, skipped);
            bytes += MIN(skipped, (uint64_t)(end - bytes));
        } else if (bytes == end) {
            flow->unread += (uint64_t)(last - flow->at);
            flow->bytes += (uint64_t)(last - flow->at);
            flow->at = last;
            lose_place(reading, from_client);
            break;
        } else {
            size_t rest = (size_t)(end - bytes);
            bool complete = gather(flow, &bytes, &rest, &piece, &piece_bytes);
            if (complete) {
                flow->held = 0;
                enum verdict verdict = reading->framer->take(reading, from_client, piece, piece_bytes);
                if (verdict == FRAMER_WANTS_MORE) {
                    memmove(flow->piece, piece, piece_bytes);
                    flow->held = (uint32_t)piece_bytes;
                } else if (verdict == FRAMER_IS_LOST && reading->known < UINT64_MAX) {
                    flow->unread += (uint64_t)(last - flow->at);
                    flow->at = last;
                    lose_place(reading, from_client);
                    return;
                } else if (verdict != FRAMER_GOES_ON) {
                    if (flow->has_message && verdict == FRAMER_IS_OVER)
                        end_message(reading, from_client);
                    /* a server that never made sense speaks something else */
                    release(reading, verdict == FRAMER_IS_OVER || (!from_client && reading->answered == 0));
                    return;
                }
            }
        }
        if (flow->ends && flow->skip == 0)
            end_message(reading, from_client);
    }
    if (!flow->placed)
        return;
    bool begins = flow->held > 0 && !flow->has_message && flow->state == 0;
    if (begins && from_client && reading->framer->glimpse)
        reading->framer->glimpse(reading, flow->piece, flow->held);
    if (begins && !from_client && reading->known == UINT64_MAX && !reading->framer->recognise_answer(flow->piece, flow->held)) {
        release(reading, reading->answered == 0);
        return;
    }
    if (flow->has_message)
        tell_flow(reading, from_client, false);
}

static bool
is_between_messages(const struct flow *flow)
{
    return flow->bytes == 0;
}

static bool
has_unseen(const struct connection *connection, uint32_t ack)
{
    const struct sequence *sequence = &connection->sender[!connection->client].sequence;
    return !sequence->known || is_after(ack, sequence->end_seq);
}

/* Whether the bytes that were not read can only have been so many messages; of a client that keeps to turns it is enough
 * that they can. */
static bool
fits(const struct reading *reading, const struct flow *flow, uint64_t bytes, uint64_t messages)
{
    enum { TRUSTED_TURNS = 16 };
    uint64_t most = flow->least > 0 ? bytes / flow->least : 0;
    uint64_t least = flow->most > 0 ? (bytes + flow->most - 1) / flow->most : 0;
    if (flow->unread_in_message)
        least = 0;
    return least <= messages && messages <= most && (least == most || reading->turns >= TRUSTED_TURNS);
}

/* Whether all that was asked can have been answered when the client had everything up to `ack`. */
static bool
can_be_answered(const struct reading *reading, uint32_t ack)
{
    const struct flow *answers = &reading->flow[false], *requests = &reading->flow[true];
    const struct sequence *sequence = &reading->connection->sender[!reading->connection->client].sequence;
    uint64_t waiting = reading->asked - reading->answered, unread = answers->unread;
    if (sequence->known && sequence_offset(sequence, ack) > sequence->end)
        unread += (uint64_t)(sequence_offset(sequence, ack) - sequence->end);
    if (reading->known == UINT64_MAX && waiting == 0 && unread == 0)
        return true;
    if (reading->batch <= 1 && reading->turns > 0)
        return true;
    if (requests->unread > 0)
        return unread == 0 && reading->seen >= waiting &&
               fits(reading, requests, requests->unread, reading->seen - waiting);
    return waiting >= reading->seen && fits(reading, answers, unread, waiting - reading->seen);
}

static bool
is_quiet(const struct reading *reading, int64_t now_ns)
{
    int64_t longest_ns = reading->connection->framing.longest_ns;
    int64_t quiet_ns = now_ns - reading->last_ns;
    return quiet_ns / QUIET_TIMES > longest_ns && quiet_ns > QUIET_LEAST_NS;
}

/* The client begins to ask with this segment. */
static void
note_asking(struct reading *reading, const struct segment *segment)
{
    bool first = reading->asked == 0;
    bool had_more = first || is_after(segment->ack, reading->client_ack);
    bool unseen = has_unseen(reading->connection, segment->ack);
    bool in_order = reading->known == UINT64_MAX;
    const struct flow *answers = &reading->flow[false];
    bool in_flight =
        reading->answered < reading->asked || (!is_between_messages(answers) && !answers->is_adrift);
    if (!had_more || !(segment->flags & SEGMENT_ACK))
        return;
    if (in_order && in_flight && !unseen)
        reading->overlaps = true;
    bool trusted = first || can_be_answered(reading, segment->ack);
    if ((reading->overlaps || !trusted) && !is_quiet(reading, segment->time_ns))
        return;
    if (reading->lost_at < UINT64_MAX && is_after(segment->seq, reading->server_ack))
        return;
    if (!first && in_order && !in_flight) {
        reading->turns++;
        reading->batch = MAX(reading->batch, reading->asked - reading->mark.asked);
    }
    reading->mark = (struct mark){
        .set = true,
        .asked = reading->asked,
                .seq = segment->ack,
    };
    reading->lost_at = UINT64_MAX;
}

/* The server begins to answer what was asked from the mark on. */
static void
take_mark(struct reading *reading, int64_t start)
{
    struct flow *flow = &reading->flow[false];
    const struct mark *mark = &reading->mark;
    if (flow->is_adrift)
        end_message(reading, false);
    bool in_order = flow->placed && reading->known == UINT64_MAX && reading->answered == mark->asked;
    if (!in_order) {
        if (!is_between_messages(flow))
            lose_place(reading, false);
        if (reading->asked > 0)
            tell(reading, (struct message){ .kind = MESSAGE_LOSE, .key = reading->asked - mark->asked });
        reading->answered = mark->asked;
        know_order(reading, reading->lost_at);
    }
    reading->mark.set = false;
    flow->at = start;
    flow->placed = true;
}

static void
bind(struct reading *reading, struct requests *requests, struct connection *connection)
{
    reading->requests = requests;
    reading->connection = connection;
}

/* A server that acknowledges what the capture does not have, or has later, may answer that. False if turns go on. */
static bool
knows_asked(struct reading *reading, const struct segment *segment)
{
    const struct connection *connection = reading->connection;
    const struct sequence *sent = &connection->sender[connection->client].sequence;
    if (!sent->known || !is_after(segment->ack, sent->end_seq))
        return true;
    lose_requests(reading);
    bool pipelines = reading->overlaps || reading->batch > 1 || (reading->asked > 0 && reading->turns < 2);
    if (pipelines || reading->answered < reading->asked || !is_between_messages(&reading->flow[false]))
        return true;
    release(reading, false);
    return false;
}

bool
reading_arrives(struct requests *requests, struct connection *connection, const struct segment *segment,
                bool from_client)
{
    struct reading *reading = connection->reading;
    struct flow *flow = &reading->flow[from_client];
    int64_t start = requests->taken.start;
    if (!reading->framer)
        return false;
    bind(reading, requests, connection);
    if (!from_client && segment->flags & SEGMENT_ACK && !knows_asked(reading, segment))
        return false;
    if (!from_client && reading->mark.set && segment->seq == reading->mark.seq)
        take_mark(reading, start);
    bool passes_mark = !from_client && reading->mark.set && is_after(segment->seq, reading->mark.seq);
    if (!flow->placed && passes_mark)
        reading->known = MIN(reading->known, reading->answered);
    if (!flow->placed)
        return false;
    if (flow->is_adrift && passes_mark)
        lose_place(reading, false);
    if (start > flow->at && flow->skip < (uint64_t)(start - flow->at)) {
        flow->unread += (uint64_t)(start - flow->at);
        flow->at = start;
        lose_place(reading, from_client);
    }
    return start < flow->at;
}

static const struct framer *
recognise(const struct segment *segment)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(framers); i++)
        if (framers[i]->recognise(segment->payload, segment->captured_bytes))
            return framers[i];
    return NULL;
}

/* What was learnt of the client's ways remains. */
static void
begin(struct reading *reading, const struct framer *framer, int64_t now_ns)
{
    bool same = reading->last_framer == framer;
    *reading = (struct reading){
        .framer = framer,
        .last_framer = framer,
        .known = UINT64_MAX,
        .lost_at = UINT64_MAX,
        .has_notes = true,
        .last_ns = now_ns,
        .overlaps = same && reading->overlaps,
        .turns = same ? reading->turns : 0,
        .batch = same ? reading->batch : 0,
        .flow = { { .least = same ? reading->flow[0].least : 0, .most = same ? reading->flow[0].most : 0 },
                  { .least = same ? reading->flow[1].least : 0, .most = same ? reading->flow[1].most : 0 } },
    };
    reset_flow(reading, false);
    reset_flow(reading, true);
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
    framer = recognise(segment);
    if (!framer)
        return;
    if (!reading)
        reading = connection->reading = wmem_new0(requests->scope, struct reading);
    begin(reading, framer, segment->time_ns);
    bind(reading, requests, connection);
    /* From its beginning on nobody had asked, and the server answered. */
    bool missed = connection->unasked.frame && connection->connect.number;
    if (!requests->taken.in_order || missed) {
        lose_requests(reading);
        /* nobody knows how many */
        reading->flow[true].unread = INT64_MAX;
        reading->flow[true].unread_in_message = true;
    }
    reading->flow[true].at = requests->taken.start;
    reading->flow[true].placed = true;
    tell(reading, (struct message){ .kind = MESSAGE_CLAIM, .from_client = true, .key = framer->kind });
}

static bool
is_recognised(const struct reading *reading, bool from_client, const struct segment *segment)
{
    const struct framer *framer = reading->framer;
    if (segment->captured_bytes == 0)
        return false;
    return from_client ? framer->recognise(segment->payload, segment->captured_bytes)
                       : framer->recognise_answer(segment->payload, segment->captured_bytes);
}

static void
feed(struct reading *reading, const struct segment *segment, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    int64_t start = reading->requests->taken.start, end = start + segment->payload_bytes;
    if (!flow->placed && end > flow->at && is_recognised(reading, from_client, segment)) {
        flow->placed = true;
        flow->at = MAX(start, flow->at);
    }
    if (!flow->placed && end > flow->at) {
        flow->unread += (uint64_t)(end - flow->at);
        flow->at = end;
    }
    if (!flow->placed || end <= flow->at)
        return;
    if (start > flow->at) {
        uint64_t missing = (uint64_t)(start - flow->at);
        flow->missing += missing;
        pass(flow, missing);
        if (flow->ends && flow->skip == 0)
            end_message(reading, from_client);
    }
    if (from_client && is_between_messages(flow))
        note_asking(reading, segment);
    static const uint8_t nothing[1];
    size_t before = (size_t)(flow->at - start);
    size_t captured = segment->captured_bytes > before ? segment->captured_bytes - before : 0;
    read_bytes(reading, from_client, captured ? segment->payload + before : nothing, captured, (uint64_t)(end - flow->at));
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
    if (!reading || !reading->framer)
        return;
    bind(reading, requests, connection);
    feed(reading, segment, from_client);
    note_acks(reading, segment, from_client);
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    wmem_free(requests->scope, connection->reading);
    connection->reading = NULL;
}
