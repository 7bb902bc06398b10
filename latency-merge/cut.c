/* cut.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cut.h"

#include "core/request/request.h"
#include "core/tcp/stream.h"

/* Whether what comes next belongs to a message that has begun, or answers one, or was held back. Requests of Channel
 * Access have ids: any number may wait. Of others a response that has begun goes on by turns. */
static bool
is_under_way(const struct connection *connection)
{
    const struct exchanges *exchanges = &connection->exchanges;
    const struct exchanges_work *work = &connection->exchanges.work;
    const struct request *answered = work->under_way[false];
    bool by_id = exchanges->protocol == PROTOCOL_CA || exchanges->protocol == PROTOCOL_PVA, waits = false;
    for (uint32_t i = 0; i < connection->n_requests && !by_id; i++)
        waits |= connection->requests[i]->open && connection->requests[i] != answered;
    return waits || (by_id && answered) || work->under_way[true] || work->head[0] || work->head[1] ||
           connection->tcp->undecided || stream_is_waiting(connection);
}

/* Where its end is, and whether Wireshark can decrypt what follows, only the whole says. */
static bool
is_in_handshake(const struct connection *connection)
{
    const struct request *last = connection->request;
    return last && (last->tls == TLS_HANDSHAKE || last->tls == TLS_HANDSHAKE_GOES_ON);
}

/* Whether what was said, and no handshake, tells who asks: alone the next capture takes the lower port's word. */
static bool
was_told_roles(const struct connection *connection)
{
    return connection->roles == ROLES_CERTAIN && !connection->tcp->connect.number &&
           !connection->tcp->connect.syn_ack_seen;
}

void
cut_end_capture(struct cut *cut, const struct connection *connection)
{
    if (connection->session != SESSION_MESSAGES) {
        cut->under_way |=
            is_in_handshake(connection) || was_told_roles(connection) || connection->session == SESSION_OPENING;
        return;
    }
    cut->under_way = cut->is_broken || connection->exchanges.is_lost || is_under_way(connection);
    cut->awaits_claim = cut->had_messages = true;
    cut->is_answering = connection->exchanges.work.under_way[false] || connection->exchanges.work.undecided;
}

bool
cut_follows_nonsense(const struct cut *cut, const struct event *event)
{
    return event->kind == EVENT_CLAIM && cut->goes_on && cut->was_released;
}

void
cut_begin_capture(struct cut *cut)
{
    cut->goes_on = true;
}

void
cut_take_event(struct cut *cut, const struct connection *connection, const struct event *event, bool at)
{
    /* Who has begun a request keeps his role: the whole would not have turned it. */
    if (event->kind == EVENT_ROLES)
        cut->is_noted |= cut->goes_on && connection->request && connection->roles != ROLES_CERTAIN;
    cut->is_broken |= (event->kind == EVENT_BREAKS && event->breaks.from_client) || event->kind == EVENT_LOSE ||
                      event->kind == EVENT_DROP;
    cut->awaits_claim &= event->kind != EVENT_CLAIM;
    cut->was_released |= event->kind == EVENT_RELEASE;
    cut->is_noted |= cut_follows_nonsense(cut, event);
    /* A statement that is named by its number may have been prepared in the capture before. */
    if (event->kind == EVENT_MESSAGE && event->message.kind == MESSAGE_ASKS)
        cut->is_noted |= cut->goes_on && cut->had_messages && g_str_has_prefix(event->message.operation, "EXECUTE ");
    /* What these bytes had to wait for was in the capture before. */
    cut->is_noted |= cut->goes_on && !at;
}

void
cut_take_piece(struct cut *cut, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    bool from_client = piece->payload->sender == connection->client;
    if (cut->goes_on && piece->segment.payload_bytes)
        cut->is_noted |= cut->awaits_claim && from_client;
}

void
cut_take_segment(struct cut *cut, const struct connection *connection, const struct segment *segment)
{
    const struct request *request = connection->request;
    if (!cut->goes_on)
        return;
    bool from_client = connection_sender(connection, segment) == connection->client;
    bool lacks_request = cut->awaits_claim && !cut->is_answering && !from_client;
    cut->is_noted |= (cut->under_way || lacks_request) && segment->payload_bytes;
    cut->under_way &= !segment->payload_bytes;
    /* Only a message can say that this truncates it. */
    if (cut->awaits_claim && cut->is_answering &&
        (connection_is_finished_by(connection, segment) || connection_is_reset_by(connection, segment)))
        cut->is_noted |= request && request->response.bytes < request->response.promised_bytes;
}
