/* tds.c
 * TDS, of SQL Server and Sybase: [MS-TDS] of learn.microsoft.com/openspecs/windows_protocols, of which the sections
 * are, and for MARS [MC-SMP].
 *
 * A client asks for one thing at a time (2.2.1), with MARS in each session. An attention is no request: it shortens the
 * answer. TLS begins in packets of TDS; then the log-in alone is a record of TLS, or all is, and nothing more is read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <stdio.h>

#include "../../request/operation.h"
#include "tds_answer.h"
#include "tds_packet.h"
#include "tds_recognition.h"
#include "tds_request.h"
#include "tds_session.h"

enum state { PACKET, TAIL };

/* Asks, after what was asked before in the session: had that no answer, it is missing. */
static void
ask(struct reading *reading, struct tds_session *session, const struct tds_packet *packet, const char *operation)
{
    tds_give_up(reading, session);
    session->asked++;
    session->logs_in = packet->kind == TDS_IS_TLS || packet->type >= TDS_LOGIN || packet->type == TDS_OLD_LOGIN;
    session->waits = true;
    session->is_asking = !packet->is_last;
    session->is_answered = session->is_cancelled = session->lacks[0] = session->lacks[1] = false;
    session->error = session->tail_bytes = 0;
    session->asked_ns = reading_flow(reading, true)->arrived_ns;
    reading_asks_as(reading, tds_key(session), operation);
    reading_flow(reading, true)->message.last = packet->is_last ? LAST_OF_SIDE : LAST_NONE;
}

static void
go_on_asking(struct reading *reading, struct tds_session *session, bool is_last)
{
    session->is_asking = !is_last;
    reading_goes_on(reading, true, tds_key(session));
    reading_flow(reading, true)->message.last = is_last ? LAST_OF_SIDE : LAST_NONE;
}

/* Returns whether a request can begin with the packet: where all have headers, one without them goes on with another.
 */
static bool
can_begin(struct reading *reading, const struct tds_packet *packet)
{
    struct tds *tds = tds_of(reading);
    const bool may_have = packet->type == TDS_BATCH || packet->type == TDS_RPC || packet->type == TDS_TRANSACTION;
    if (!tds_can_ask(packet) || (tds_has_tls(packet) && !tds_has_hello(packet)))
        return false;
    tds->has_headers |= may_have && tds_is_certain(packet);
    return !may_have || !tds->has_headers || tds_is_certain(packet);
}

/* Takes a packet of a request. Of the handshake in packets of TDS the first alone asks; behind it, records of TLS are
 * the log-in. Where too little of a packet is there to tell, it may ask: what was asked before has been answered. */
static void
take_request(struct reading *reading, struct tds_session *session, const struct tds_packet *packet)
{
    char operation[OPERATION_ROOM];
    if (packet->kind == TDS_IS_TLS && session->waits) {
        go_on_asking(reading, session, true);
    } else if (packet->kind == TDS_IS_TLS) {
        ask(reading, session, packet, "login");
    } else if (packet->type == TDS_ATTENTION) {
        session->is_cancelled = true;
    } else if (session->is_asking) {
        go_on_asking(reading, session, packet->is_last);
    } else if (can_begin(reading, packet)) {
        tds_operation(packet, operation);
        ask(reading, session, packet, operation);
    } else if (reading_flow(reading, true)->is_cut) {
        tds_give_up(reading, session);
    }
}

/* Begins the answer, or goes on with it. Where packets are missing its first one must be there, and nothing answers
 * that came before the request, or begins another message; nor does a packet that is cut, or a later one, of what was
 * answered before. */
static bool
take_answer(struct reading *reading, struct tds_session *session, const struct tds_packet *packet)
{
    enum { FIRST = 1 };
    const struct flow *flow = reading_flow(reading, false);
    const bool is_late = flow->arrived_ns < session->asked_ns && (tds_of(reading)->has_lost || flow->is_cut ||
                                                                  (!session->is_answered && packet->number > FIRST));
    if (!session->waits || is_late)
        return false;
    if (session->is_answered && session->lacks[false] && packet->number == FIRST) {
        session->waits = session->is_asking = false;
        return false;
    }
    if (session->is_answered) {
        reading_goes_on(reading, false, tds_key(session));
        return true;
    }
    if (session->lacks[false] && (packet->number > FIRST || !tds_can_answer(packet))) {
        tds_give_up(reading, session);
        return false;
    }
    session->is_answered = true;
    session->has_tokens = tds_has_tokens(packet);
    session->error = session->has_tokens ? tds_first_error(packet->body, packet->length) : 0;
    reading_answers_to(reading, tds_key(session), "", false);
    return true;
}

/* Tells how the answer has gone: what it ends with is believed, and what it began with. */
static void
end_answer(struct reading *reading, struct tds_session *session)
{
    const struct tds_end end = tds_read_end(session->tail, session->has_tokens ? session->tail_bytes : 0);
    const uint32_t error = session->error > 0 ? session->error : end.error;
    char status[STATUS_ROOM] = "";
    if (error > 0)
        snprintf(status, sizeof status, "%u", error);
    else if (end.failed || end.is_cancelled)
        snprintf(status, sizeof status, end.failed ? "failed" : "attention");
    if (*status)
        reading_says(reading, status, error > 0 || end.failed);
    reading_flow(reading, false)->message.last = LAST_OF_BOTH;
    session->waits = session->is_asking = false;
}

/* Takes the last bytes of a packet of the server. */
static void
take_tail(struct reading *reading, const uint8_t *bytes, size_t length, bool is_cut)
{
    struct tds *tds = tds_of(reading);
    struct tds_session *session = tds->side[false].session;
    tds_keep_tail(session, bytes, length);
    if (is_cut)
        session->tail_bytes = 0;
    if (tds->side[false].is_last && reading_flow(reading, false)->has_message)
        end_answer(reading, session);
}

/* Takes a packet of the server: its beginning, and, if there is more, its last bytes in another unit. */
static enum verdict
take_answered(struct reading *reading, struct tds_session *session, const struct tds_packet *packet, size_t length)
{
    struct flow *flow = reading_flow(reading, false);
    const size_t rest = packet->whole - length;
    const bool is_cut = flow->is_cut && rest > 0;
    const bool answers = take_answer(reading, session, packet);
    if (packet->kind == TDS_IS_TLS) {
        if (answers)
            end_answer(reading, session);
        flow->skip = rest;
        flow->ends = true;
        return PARSER_IS_OVER;
    }
    if (answers)
        tds_keep_tail(session, packet->body, packet->length);
    if (!answers || rest == 0 || is_cut) {
        if (answers)
            take_tail(reading, packet->body, 0, is_cut);
        flow->skip = rest;
        flow->ends = true;
        return PARSER_GOES_ON;
    }
    flow->state = TAIL;
    flow->block = (uint32_t)MIN(rest, TDS_TAIL);
    flow->skip = rest - flow->block;
    session->tail_bytes = flow->skip > 0 ? 0 : session->tail_bytes;
    return PARSER_GOES_ON;
}

/* Returns whether the packet is the connection's. With MARS what is found, after a loss, outside of a session is of one
 * whose packet of SMP has begun before; and so was what is found to have been asked so. */
static bool
is_ours(struct reading *reading, bool from_client, const struct tds_packet *packet)
{
    struct tds *tds = tds_of(reading);
    if (packet->session == TDS_NO_SESSION)
        return !from_client || !tds->is_mars || packet->kind == TDS_IS_TLS;
    struct tds_session *outside = tds->is_mars ? NULL : tds_session_of(reading, TDS_NO_SESSION);
    if (outside && !outside->logs_in)
        tds_give_up(reading, outside);
    tds->is_mars = true;
    return true;
}

static enum verdict
take_packet(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct tds *tds = tds_of(reading);
    struct tds_packet packet;
    const size_t needed = tds_packet_needs(unit, length);
    if (length < needed && !flow->is_cut) {
        flow->block = (uint32_t)needed;
        return PARSER_WANTS_MORE;
    }
    if (!tds_packet_read(unit, length, from_client, &packet))
        return PARSER_IS_LOST;
    flow->block = MIN(packet.whole, UNIT_BYTES);
    if (length < flow->block && !flow->is_cut)
        return PARSER_WANTS_MORE;
    if (!is_ours(reading, from_client, &packet)) {
        flow->skip = packet.whole - length;
        flow->ends = true;
        return PARSER_GOES_ON;
    }
    struct tds_session *session = tds_session_of(reading, packet.session);
    tds->side[from_client].session = session;
    tds->side[from_client].is_last = packet.is_last;
    if (packet.kind != TDS_IS_SMP && !from_client)
        return take_answered(reading, session, &packet, length);
    if (packet.kind != TDS_IS_SMP)
        take_request(reading, session, &packet);
    flow->skip = packet.whole - length;
    flow->ends = true;
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (flow->state != TAIL)
        return take_packet(reading, from_client, unit, length);
    flow->skip = flow->block - length;
    flow->ends = true;
    take_tail(reading, unit, length, flow->is_cut);
    return PARSER_GOES_ON;
}

static bool
take_cut(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    static const uint8_t nothing[1];
    struct flow *flow = reading_flow(reading, from_client);
    if (flow->state != TAIL && length < tds_packet_needs(length > 0 ? unit : nothing, length))
        return false;
    flow->is_cut = true;
    const enum verdict verdict = take(reading, from_client, length > 0 ? unit : nothing, length);
    flow->is_cut = false;
    return verdict == PARSER_GOES_ON;
}

static void
lack_requests(struct reading *reading)
{
    tds_lack(reading, true);
}

const struct parser parser_tds = {
    .protocol = PROTOCOL_TDS,
    .block = TDS_HEADER,
    .least = TDS_HEADER + 1,
    .has_ids = true,
    .interleaves = true,
    .recognise = tds_recognise,
    .recognise_answer = tds_recognise_answer,
    .may_begin = tds_may_begin,
    .agrees = tds_agrees,
    .is_certain = tds_is_certain_request,
    .tells_client = tds_tells_client,
    .resumes = tds_resumes,
    .take = take,
    .take_cut = take_cut,
    .find = tds_find,
    .lose_place = tds_lack,
    .lack_requests = lack_requests,
    .forget = tds_forget,
};
