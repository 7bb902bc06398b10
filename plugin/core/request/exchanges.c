/* exchanges.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "exchanges.h"

#include "exchanges_messages.h"
#include "matching.h"
#include "unowned.h"

/* A turn that began before the segment and has no answer yet is answered by the server's next payload; but where
 * messages are in parts, that may answer anything, and where the core reads circuits, nothing. */
static void
leave_turn(struct requests *requests, struct connection *connection, uint32_t frame)
{
    struct request *turn = connection->request;
    if (!turn || turn->by_messages || turn->response.first_frame || turn->ending != ENDING_NONE)
        return;
    if (exchanges_are_in_parts(connection)) {
        request_lose(requests, turn, frame);
    } else if (connection->exchanges.protocol != PROTOCOL_CA && connection->exchanges.protocol != PROTOCOL_PVA) {
        turn->open = true;
        connection->exchanges.work.turn = turn;
    }
}

/* Takes their answers from the last turns: see struct claim. */
static void
withdraw_turns(struct requests *requests, const struct connection *connection, unsigned turns, uint32_t frame)
{
    for (uint32_t i = connection->n_requests; turns > 0 && i > 0 && !connection->requests[i - 1]->by_messages;
         i--, turns--)
        if (connection->requests[i - 1]->response.first_frame)
            request_lose_answer(requests, connection->requests[i - 1], frame);
}

bool
exchanges_may_withdraw(const struct connection *connection)
{
    const unsigned turns = connection->exchanges.turns_within;
    return turns > 0 && turns <= TURNS_WITHIN_MOST && connection->session != SESSION_MESSAGES;
}

/* It will not be answered. */
static void
drop_turn(struct connection *connection)
{
    struct request **turn = &connection->exchanges.work.turn;
    if (*turn)
        (*turn)->open = false;
    *turn = NULL;
}

/* The server's next payload. Returns whose it is; NULL if it answers nothing. */
static struct request *
end_turn(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    struct request *turn = connection->exchanges.work.turn;
    drop_turn(connection);
    if (request_is_cut_off(turn) ||
        exchanges_has_timed_out(requests, turn, piece->segment.time_ns, piece->segment.frame))
        return NULL;
    request_is_answered(turn, segment_instant(&piece->segment), piece->start);
    return turn;
}

/* The carrier, if it is nobody's, answers the request. */
static void
answer_turn(struct requests *requests, struct carrier *carrier, struct request *request)
{
    const struct piece *piece = carrier->piece;
    if (!carrier->is_free || carrier->kind != ITEM_UNSOLICITED || request_is_cut_off(request))
        return;
    carrier->is_free = false;
    request_is_answered(request, segment_instant(&piece->segment), piece->start);
    request_answers_more(request, segment_instant(&piece->segment), piece->fresh);
    request_add_packet(requests, request, piece, false);
}

/* It goes on with a turn, or begins one with that operation. */
static void
ask_turn(struct requests *requests, struct carrier *carrier, const char *operation)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    struct request *request = connection->exchanges.goes_on ? connection->request : NULL;
    if (!carrier->is_free || carrier->kind != ITEM_UNREQUESTED || piece->payload->sender != connection->client)
        return;
    carrier->is_free = false;
    const struct instant asked = segment_instant(&piece->segment);
    if (!request || request->response.first_frame || request->ending == ENDING_TIMED_OUT || request_is_cut_off(request))
        request = request_begin(requests, connection, asked, operation, piece->start, asked.frame);
    request_asks_more(request, asked, piece->fresh);
    request_add_packet(requests, request, piece, true);
}

static void
claim(struct requests *requests, const struct payload *payload, const struct claim *claim)
{
    struct connection *connection = payload->connection;
    connection_set_session(connection, SESSION_MESSAGES);
    connection->exchanges.hidden = claim->hidden;
    connection->exchanges.protocol = (uint8_t)claim->protocol;
    if (connection->roles != ROLES_CERTAIN && connection->n_requests == 0)
        connection->client = claim->from_client ? payload->sender : !payload->sender;
    if (connection->request && connection->request->ending == ENDING_LOST)
        connection->request->open = false;
    if (!connection->tcp->connect.number)
        withdraw_turns(requests, connection, claim->turns, payload->segment->frame);
    leave_turn(requests, connection, payload->segment->frame);
}

/* What is said tells who is the client. */
static void
take_roles(const struct payload *payload, bool from_client)
{
    struct connection *connection = payload->connection;
    if (connection->roles == ROLES_CERTAIN)
        return;
    connection->client = from_client ? payload->sender : !payload->sender;
    connection->roles = ROLES_CERTAIN;
}

void
exchanges_take(struct requests *requests, struct carrier *carrier, bool from_client)
{
    const struct piece *piece = carrier->piece;
    const struct segment *segment = &piece->segment;
    struct connection *connection = piece->payload->connection;
    struct request *request = connection->exchanges.work.under_way[from_client];
    /* where messages are in parts, frames between them are of the connection */
    bool is_unsolicited = !from_client && !exchanges_are_in_parts(connection);
    struct undecided *undecided = NULL;
    if (!from_client && connection->exchanges.work.turn)
        request = end_turn(requests, connection, piece);
    else if (!from_client)
        undecided = connection->exchanges.work.undecided;
    if (undecided) {
        undecided_add_packet(requests, undecided, piece);
        return;
    }
    /* answered before it was all there: it is not to be forgotten in this frame */
    if (request && from_client && !request->open)
        request_update(requests, request, segment->frame);
    if (!request) {
        const struct run *begun = head_row(connection, from_client);
        carrier->row = begun ? *begun : run_begin(piece->start);
        carrier->kind = is_unsolicited ? ITEM_UNSOLICITED : ITEM_UNREQUESTED;
        carrier->is_free = true;
        return;
    }
    request_add_packet(requests, request, piece, from_client);
    request->parts.item_frame[from_client] = segment->frame;
    uint64_t bytes = connection->exchanges.hidden && request->by_messages ? 0 : piece->fresh;
    if (from_client)
        request_asks_more(request, segment_instant(segment), bytes);
    else
        request_answers_more(request, segment_instant(segment), bytes);
}

/* Nobody up to it waits, but what was late. */
static bool
is_settled(const struct request *request)
{
    return !request->by_messages || request->settled;
}

/* Those that wait and have lower keys. */
static void
lose(struct requests *requests, const struct connection *connection, uint64_t below, uint32_t frame)
{
    struct request *last = NULL;
    for (uint32_t i = connection->n_requests; i > 0 && !is_settled(connection->requests[i - 1]); i--) {
        struct request *request = connection->requests[i - 1];
        if (request->key >= below)
            continue;
        last = last ? last : request;
        if (!request->open || request->response.first_frame)
            continue;
        /* with the same key others may have waited longer */
        for (struct request *lost = NULL; lost != request;) {
            lost = matching_take(requests, connection, request->key);
            if (!lost)
                break;
            request_lose(requests, lost, frame);
        }
    }
    if (last)
        last->settled = true;
}

/* The only one in flight can still be answered by turns. */
static void
release(struct requests *requests, struct carrier *carrier, const struct release *release)
{
    struct connection *connection = carrier->piece->payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    struct request *last = connection->request;
    uint32_t waiting = 0;
    for (uint32_t i = connection->n_requests; i > 0 && waiting < 2; i--) {
        if (is_settled(connection->requests[i - 1]))
            break;
        waiting += connection->requests[i - 1]->open;
    }
    bool alone = !release->loses && waiting == 1 && last && last->by_messages && last->open;
    if (alone && !last->response.first_frame) {
        matching_take(requests, connection, last->key);
        answer_turn(requests, carrier, last);
    }
    exchanges_break(requests, connection, false, frame);
    exchanges_break(requests, connection, true, frame);
    undecided_drop(requests, connection);
    drop_turn(connection);
    connection->exchanges.goes_on = alone;
    lose(requests, connection, UINT64_MAX, frame);
    if (release->begins_turn)
        ask_turn(requests, carrier, release->operation);
    if (alone) {
        last->open = false;
        exchanges_note_change(requests, last, frame);
    }
    connection->exchanges.is_lost = false;
    connection_set_session(connection, SESSION_TURNS);
}

static void
stop(struct requests *requests, struct connection *connection, uint64_t key, enum stop why, uint32_t frame)
{
    struct request *request = matching_take(requests, connection, key);
    if (!request)
        return;
    request->open = false;
    if (connection->exchanges.work.under_way[false] == request || connection->exchanges.work.under_way[true] == request)
        exchanges_break(requests, connection, connection->exchanges.work.under_way[true] == request, frame);
    if (why == STOP_CANCELLED)
        request->ending = ENDING_CANCELLED;
    else if (!request->response.first_frame && why != STOP_CLOSED)
        request->ending = why == STOP_LOST ? ENDING_LOST : ENDING_REFUSED;
    exchanges_note_change(requests, request, frame);
}

static void
upgrade(struct requests *requests, struct connection *connection, enum protocol protocol, uint32_t frame)
{
    connection->exchanges.protocol = (uint8_t)protocol;
    exchanges_break(requests, connection, false, frame);
    exchanges_break(requests, connection, true, frame);
    for (uint32_t i = connection->n_requests; i > 0 && !is_settled(connection->requests[i - 1]); i--)
        if (connection->requests[i - 1]->open)
            connection->requests[i - 1]->has_asked = connection->requests[i - 1]->in_parts = true;
}

/* Of what breaks there are so many bytes, if that is known: the segment in which it does may have more. */
static void
limit(const struct connection *connection, bool from_client, uint64_t known)
{
    const struct exchanges_work *work = &connection->exchanges.work;
    struct request *request = work->under_way[from_client];
    if (!from_client && work->undecided && known > 0)
        undecided_limit(work->undecided, known);
    if (!request || known == 0)
        return;
    uint64_t *bytes = from_client ? &request->request_bytes : &request->response.bytes;
    *bytes = MIN(*bytes, work->before[from_client] + known);
}

/* The frame shows what of it is lost. */
static void
miss(struct requests *requests, struct connection *connection, uint32_t frame)
{
    uint32_t *known = &connection->exchanges.lost_number;
    connection->exchanges.misses++;
    for (uint32_t i = connection->n_requests; i > 0 && connection->requests[i - 1]->number > *known; i--) {
        struct request *request = connection->requests[i - 1];
        if (!request->open || request->response.first_frame || request->ending == ENDING_LOST)
            continue;
        request_end(request, ENDING_LOST);
        request_update(requests, request, frame);
    }
    *known = connection->n_requests > 0 ? connection->requests[connection->n_requests - 1]->number : *known;
}

static inline void
take_event(struct requests *requests, struct carrier *carrier, const struct event *event)
{
    const struct payload *payload = carrier->piece->payload;
    struct connection *connection = payload->connection;
    const uint32_t frame = carrier->piece->segment.frame;
    switch (event->kind) {
    case EVENT_MESSAGE:
        exchanges_take_message(requests, carrier, &event->message);
        break;
    case EVENT_CLAIM:
        claim(requests, payload, &event->claim);
        break;
    case EVENT_ROLES:
        take_roles(payload, event->roles.from_client);
        break;
    case EVENT_BEGINS:
        head_add(requests, carrier, event->begins.from_client);
        break;
    case EVENT_BREAKS:
        limit(connection, event->breaks.from_client, event->breaks.bytes);
        exchanges_break(requests, connection, event->breaks.from_client, frame);
        break;
    case EVENT_STOPS:
        stop(requests, connection, event->stops.key, event->stops.why, frame);
        break;
    case EVENT_UPGRADE:
        upgrade(requests, connection, event->upgrade.protocol, frame);
        break;
    case EVENT_RELEASE:
        release(requests, carrier, &event->release);
        break;
    case EVENT_MISS:
        miss(requests, connection, frame);
        break;
    case EVENT_ORDER:
        connection->exchanges.is_lost = event->order.is_lost;
        break;
    case EVENT_LOSE:
        lose(requests, connection, event->lose.below, frame);
        break;
    case EVENT_ASSIGN:
        undecided_assign(requests, connection, event->assign.key, event->assign.skipped, frame);
        break;
    case EVENT_DROP:
        exchanges_break(requests, connection, false, frame);
        undecided_drop(requests, connection);
        break;
    case EVENT_COUNTS:
        if (connection->request)
            connection->request->parts.content[event->counts.from_client] = event->counts.messages;
        break;
    case EVENT_TLS:
    case EVENT_HELD:
    case EVENT_PRELUDE:
        break;
    }
}

inline void
exchanges_tell(struct requests *requests, struct carrier *carrier, struct event *event)
{
    struct connection *connection = carrier->piece->payload->connection;
    const bool is_before = event->kind == EVENT_CLAIM || event->kind == EVENT_ROLES;
    if (requests->settings->by_turns || (connection->session == SESSION_MESSAGES) == is_before)
        return;
    event->arrives = carrier->arrives;
    take_event(requests, carrier, event);
    requests_tell(requests, connection, event, &carrier->piece->segment);
}

void
exchanges_take_end(struct requests *requests, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    const struct exchanges *exchanges = &connection->exchanges;
    for (uint32_t i = connection->n_requests; i > 0 && !piece->after_gap; i--) {
        struct request *request = connection->requests[i - 1];
        bool goes_on = connection->session == SESSION_MESSAGES ? request->open
                                                               : exchanges->goes_on && request == connection->request;
        /* its last part may be in the bytes of the server that are missing */
        const bool may_have_ended = request->in_parts && request->misses != exchanges->misses;
        if (!goes_on || !request->response.first_frame || request->response.bytes >= request->response.promised_bytes ||
            may_have_ended)
            continue;
        request->ending = ENDING_TRUNCATED;
        exchanges_note_change(requests, request, piece->segment.frame);
    }
}

void
exchanges_forget(struct requests *requests, struct connection *connection)
{
    head_drop(requests, connection, false);
    head_drop(requests, connection, true);
    undecided_drop(requests, connection);
    connection->exchanges.work = (struct exchanges_work){ .turn = NULL };
    for (uint32_t i = 0; requests->waiting.heads.count > 0 && i < connection->n_requests; i++) {
        struct request *request = connection->requests[i], *first;
        while (request->open && (first = matching_take(requests, connection, request->key)))
            first->open = false;
    }
}
