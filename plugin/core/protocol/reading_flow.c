/* reading_flow.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

#include <string.h>

/* Another parser reads the rest of what both sides say. */
static void
upgrade(struct reading *reading, const struct parser *parser)
{
    const uint64_t id = reading_interval(reading).low;
    if (reading->flow[false].has_message)
        reading_end_message(reading, false);
    reading->parser = reading->last_parser = parser;
    reading_break_head(reading, false);
    reading_reset(reading, false);
    reading_reset(reading, true);
    reading->parser->begin_upgraded(reading, id);
    reading_tell(reading, &(struct event){ .kind = EVENT_UPGRADE, .upgrade.protocol = reading->parser->protocol });
}

/* Whether what that side says, and is no message, can be no more than surplus: nothing is missing, and the client asks
 * when it has been answered. */
static bool
may_be_surplus(const struct reading *reading, bool from_client)
{
    const struct parser *parser = reading->parser;
    return parser->may_follow && !reading->has_gap && !reading->is_cut &&
           (from_client ? reading_waits(reading) : reading->makes_sense && reading_is_idle(reading));
}

/* Whether the server has not got to the request that waits: it does not answer that yet. */
static bool
is_early(const struct reading *reading)
{
    const struct segment *segment = &reading->carrier->piece->segment;
    return reading->parser->may_follow && !reading->has_gap && !reading->is_cut && !reading_is_decrypted(reading) &&
           reading->makes_sense && reading_waits(reading) && segment->flags & SEGMENT_ACK &&
           sequence_offset(reading_sequence(reading, true), segment->ack) <= reading->asked_from;
}

/* Passes what that side says up to `last` if it is surplus behind a message; false if it is not. */
static bool
passes_surplus(struct reading *reading, bool from_client, int64_t last)
{
    struct flow *flow = &reading->flow[from_client];
    if (flow->state != 0 || flow->has_message ||
        !(may_be_surplus(reading, from_client) || (!from_client && is_early(reading))))
        return false;
    reading_break_head(reading, from_client);
    flow->at = last;
    reading_reset(reading, from_client);
    return true;
}

/* The message of that side has ended before these bytes of its segment, which goes on up to `last`: true if they are no
 * other message. They are counted as its own. */
static bool
goes_on_with_surplus(struct reading *reading, bool from_client, const uint8_t *bytes, size_t length, int64_t last)
{
    struct flow *flow = &reading->flow[from_client];
    if (length == 0 || !flow->has_message || !may_be_surplus(reading, from_client) ||
        reading->parser->may_follow(bytes, length, from_client))
        return false;
    flow->skip = (uint64_t)(last - flow->at);
    return true;
}

/* Whether the client, which had all answers, has sent one line, which makes no sense. */
static bool
asks_line(const struct reading *reading)
{
    const struct segment *segment = &reading->carrier->piece->segment;
    const uint32_t length = segment->payload_bytes;
    return reading_is_idle(reading) && segment->captured_bytes == length && reading->flow[true].bytes == length &&
           memchr(segment->payload, '\n', length) == segment->payload + length - 1;
}

/* Turns go on; `over`: for ever. */
static void
release(struct reading *reading, bool from_client, bool over)
{
    reading->waited = !reading->has_gap &&
                      (from_client ? asks_line(reading) : reading_is_idle(reading) || reading_waits(reading));
    reading_tell(reading, &(struct event){ .kind = EVENT_RELEASE, .release.begins_turn = from_client && !over });
    reading->parser = NULL;
    if (over)
        connection_set_session(reading->connection, SESSION_OVER);
}

/* Takes from the bytes what there is of the next unit; true if it is complete. */
static bool
gather(struct reading *reading, bool from_client, const uint8_t **bytes, size_t *captured, const uint8_t **unit,
       size_t *length)
{
    struct flow *flow = &reading->flow[from_client];
    const uint8_t *from = *bytes;
    size_t taken;
    bool complete;
    if (flow->block > 0) {
        taken = MIN(*captured, flow->block - flow->unit_bytes);
        complete = flow->unit_bytes + taken == flow->block;
        *length = taken;
    } else {
        const uint8_t *end = memchr(from, '\n', *captured);
        taken = end ? (size_t)(end - from) + 1 : *captured;
        complete = end;
        *length = taken - complete;
    }
    *unit = from;
    *bytes += taken;
    *captured -= taken;
    flow->at += (int64_t)taken;
    flow->bytes += taken;
    if (!complete || flow->unit_bytes > 0) {
        size_t room = UNIT_BYTES - flow->unit_bytes, added = MIN(room, *length);
        reading_make_unit(reading, from_client);
        memcpy(flow->unit + flow->unit_bytes, from, added);
        flow->unit_bytes += (uint32_t)added;
        *unit = flow->unit;
        *length = flow->unit_bytes;
    }
    if (complete && flow->block == 0 && *length > 0 && (*unit)[*length - 1] == '\r')
        --*length;
    return complete;
}

/* Passes the units with which the bytes begin, and that say nothing. Returns their bytes. */
static inline size_t
pass_units(const struct reading *reading, struct flow *flow, const uint8_t *bytes, size_t captured)
{
    if (flow->state == 0 || flow->unit_bytes > 0 || !reading->parser->passes)
        return 0;
    const size_t passed = reading->parser->passes(flow, bytes, captured);
    flow->at += (int64_t)passed;
    flow->bytes += passed;
    return passed;
}

/* Ends the client's message, whose rest it was to send when the server wants it, if it asks something else instead, and
 * has been answered. */
static void
see_refused(struct reading *reading, const uint8_t *bytes, size_t captured)
{
    struct flow *flow = &reading->flow[true];
    flow->may_end = false;
    if (flow->unit_bytes == 0 && reading_is_idle(reading) && reading->parser->recognise(bytes, captured))
        reading_end_message(reading, true);
}

void
reading_see_end(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured)
{
    struct flow *flow = &reading->flow[false];
    const struct parser *parser = reading->parser;
    if (from_client && captured > 0)
        see_refused(reading, bytes, captured);
    if (from_client || !flow->may_end || captured == 0 || (flow->skip > 0 && parser->ends_before))
        return;
    bool ends =
        parser->ends_before ? parser->ends_before(reading, bytes, captured) : parser->recognise_answer(bytes, captured);
    flow->may_end = false;
    if (flow->has_message && flow->message.kind == MESSAGE_UNDECIDED)
        reading_sees(reading, ends ? flow->if_ends : flow->if_goes_on);
    if (ends)
        reading_end_message(reading, false);
}

/* The rest of what is read now, up to `last`, makes no sense. */
static void
lose_rest(struct reading *reading, bool from_client, int64_t last)
{
    struct flow *flow = &reading->flow[from_client];
    reading->unread[from_client] += (uint64_t)(last - flow->at);
    flow->at = last;
    reading_lose_place(reading, from_client);
}

/* Whether the server has answered nothing in kind where the capture has all of the connection: it speaks something
 * else. Elsewhere, with ids, it may answer what was asked before. */
static bool
is_foreign(const struct reading *reading, bool from_client)
{
    const struct flow *asked = &reading->flow[true];
    const struct segment *segment = &reading->carrier->piece->segment;
    return !from_client && !reading->makes_sense && !reading_is_decrypted(reading) &&
           reading->connection->tcp->connect.number && asked->placed && segment->flags & SEGMENT_ACK &&
           sequence_offset(reading_sequence(reading, true), segment->ack) <= asked->at + (int64_t)asked->skip;
}

/* The parser takes a unit; false if it does not go on. */
static bool
take_unit(struct reading *reading, bool from_client, const uint8_t *unit, size_t length, int64_t last)
{
    struct flow *flow = &reading->flow[from_client];
    flow->unit_bytes = 0;
    enum verdict verdict = reading->parser->take(reading, from_client, unit, length);
    if (verdict == PARSER_WANTS_MORE) {
        reading_make_unit(reading, from_client);
        memmove(flow->unit, unit, length);
        flow->unit_bytes = (uint32_t)length;
    } else if (verdict == PARSER_IS_LOST &&
               (reading->has_gap || (reading->parser->has_ids && !is_foreign(reading, from_client)) ||
                reading_is_rest(reading, from_client))) {
        lose_rest(reading, from_client, last);
        return false;
    } else if (verdict == PARSER_IS_UPGRADED) {
        upgrade(reading, flow->upgrade);
    } else if (verdict == PARSER_IS_LOST && passes_surplus(reading, from_client, last)) {
        return false;
    } else if (verdict != PARSER_GOES_ON) {
        if (flow->has_message && verdict == PARSER_IS_OVER)
            reading_end_message(reading, from_client);
        /* a server that never made sense speaks something else */
        release(reading, from_client, verdict == PARSER_IS_OVER || (!from_client && !reading->makes_sense));
        return false;
    }
    return true;
}

/* Whether bytes that are skipped change nothing of what has been told of the message. What will follow is told up to
 * 4 GiB, what is decrypted as it comes, and the frames of what is undecided are counted. */
static bool
is_all_told(const struct reading *reading, const struct flow *flow)
{
    return flow->has_message && flow->progress == PROGRESS_MESSAGE && !flow->may_end &&
           flow->message.kind != MESSAGE_UNDECIDED && !reading_is_decrypted(reading) &&
           (flow->skip <= UINT32_MAX || flow->skip > FLOW_UNTIL_CLOSED / 2);
}

/* The message goes on behind what has been read. */
static void
tell_beginning(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    bool begins = flow->unit_bytes > 0 && !flow->has_message && flow->state == 0;
    if (begins && !from_client && !reading->has_gap && !reading->parser->has_ids &&
        !reading->parser->recognise_answer(flow->unit, flow->unit_bytes)) {
        if (reading_is_rest(reading, false))
            reading_lose_place(reading, false);
        else if (!passes_surplus(reading, false, flow->at))
            release(reading, false, !reading->makes_sense);
    } else if (flow->has_message) {
        reading_tell_message(reading, from_client, false);
    } else if (flow->bytes > 0) {
        flow->progress = PROGRESS_BEGINNING;
        reading_tell(reading, &(struct event){ .kind = EVENT_BEGINS, .begins.from_client = from_client });
    }
}

/* The server begins to answer with these bytes, which may be of another protocol. */
static void
see_upgrade(struct reading *reading, const uint8_t *bytes, size_t captured)
{
    const struct flow *flow = reading->flow;
    if (!reading->parser->answered_by || captured == 0 || flow[false].bytes > 0 || flow[true].bytes > 0)
        return;
    const struct parser *parser = reading->parser->answered_by(reading, bytes, captured);
    if (parser)
        upgrade(reading, parser);
}

inline void
reading_bytes(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured, uint64_t length)
{
    struct flow *flow = &reading->flow[from_client];
    const struct segment *segment = &reading->carrier->piece->segment;
    const uint8_t *unit = NULL, *end = bytes + captured;
    size_t unit_length = 0;
    int64_t last = flow->at + (int64_t)length;
    if (flow->bytes == 0 || segment->time_ns >= flow->arrived_ns) {
        flow->arrived_ns = segment->time_ns;
        flow->arrived_frame = segment->frame;
    }
    if (flow->skip > length && is_all_told(reading, flow)) {
        reading_pass(flow, length);
        if (reading->last && from_client)
            reading_keep_last(reading);
        return;
    }
    if (!from_client)
        see_upgrade(reading, bytes, captured);
    while (flow->at < last) {
        if (flow->may_end)
            reading_see_end(reading, from_client, bytes, (size_t)(end - bytes));
        const uint64_t skipped = MIN(flow->skip, (uint64_t)(last - flow->at));
        size_t rest = (size_t)(end - bytes);
        if (skipped > 0) {
            reading_pass(flow, skipped);
            bytes += MIN(skipped, rest);
        } else if (rest == 0 && reading_goes_on_cut(reading, from_client)) {
            continue;
        } else if (rest == 0) {
            /* with ids, other messages may be in what is cut */
            if (!reading->parser->has_ids)
                flow->bytes += (uint64_t)(last - flow->at);
            lose_rest(reading, from_client, last);
            break;
        } else {
            const size_t passed = pass_units(reading, flow, bytes, rest);
            bytes += passed;
            rest -= passed;
            if (rest > 0 && gather(reading, from_client, &bytes, &rest, &unit, &unit_length) &&
                !take_unit(reading, from_client, unit, unit_length, last))
                return;
        }
        if (flow->ends && flow->skip == 0 &&
            !goes_on_with_surplus(reading, from_client, bytes, (size_t)(end - bytes), last) &&
            (from_client || !reading_answers_cut(reading)))
            reading_end_message(reading, from_client);
    }
    if (flow->placed)
        tell_beginning(reading, from_client);
    if (reading->last && from_client)
        reading_keep_last(reading);
}
