/* reading_cut.c
 * Messages whose end nobody can see: the snap length cut their head, or bytes of it are missing. Where they end is
 * decided as turns do: the client's lasts until the server has begun to answer and the client asks again, the server's
 * until the client does. A snap length is no gap: a message whose head is cut is still a message.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parsers.h"
#include "reading_parts.h"

void
reading_leave_open(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->is_open_ended = true;
    flow->ends = false;
    flow->skip = FLOW_UNTIL_CLOSED;
    flow->unit_bytes = 0;
    if (!from_client)
        reading->open_from = reading->flow[true].at;
}

void
reading_end_open(struct reading *reading, const struct segment *segment, int64_t start)
{
    struct flow *flow = &reading->flow[false];
    if (!(segment->flags & SEGMENT_ACK) || segment->captured_bytes == 0 ||
        sequence_offset(reading_sequence(reading, true), segment->ack) <= reading->open_from ||
        (start == flow->at && !reading->parser->recognise_answer(segment->payload, segment->captured_bytes)))
        return;
    /* also where bytes are missing: an answer may be */
    reading_end_message(reading, false);
}

/* What the captured bytes say, be it nothing, of a message that has said nothing yet. */
static void
begin_cut(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    char text[OPERATION_ROOM] = "";
    if (flow->has_message)
        return;
    if (!from_client) {
        reading_answers(reading, "", false);
        return;
    }
    if (flow->unit_bytes > 0)
        operation_read(flow->unit, flow->unit_bytes, text);
    reading_asks(reading, text, 0);
}

/* With ids: what goes on with another piece, which is cut, ends nobody knows where. */
static void
leave_unseen(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (!flow->has_message || reading->parser->interleaves)
        return;
    flow->message.cut = true;
    reading_tell_message(reading, from_client, false);
}

bool
reading_takes_cut(struct reading *reading, bool from_client, bool by_gap)
{
    const struct parser *parser = reading->parser;
    struct flow *flow = &reading->flow[from_client];
    bool goes_on;
    flow->after_gap = by_gap;
    if (parser->take_cut) {
        goes_on = parser->take_cut(reading, from_client, flow->unit, flow->unit_bytes);
    } else {
        if (parser->block == 0 || flow->unit_bytes < parser->block)
            return false;
        flow->is_cut = true;
        goes_on = parser->take(reading, from_client, flow->unit, flow->unit_bytes) == PARSER_GOES_ON;
        flow->is_cut = false;
    }
    flow->unit_bytes = 0;
    return goes_on;
}

bool
reading_goes_on_cut(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (!from_client && !reading_knows_next(reading))
        return false;
    if (reading_takes_cut(reading, from_client, false))
        return true;
    if (reading->parser->has_ids) {
        leave_unseen(reading, from_client);
        return false;
    }
    begin_cut(reading, from_client);
    bool is_last = flow->has_message && (from_client || reading_interval(reading).idle);
    /* others may be in what is cut: from here on it is not certain which answer is whose */
    reading->is_cut |= from_client || !is_last;
    flow->message.cut = true;
    if (!is_last)
        return false;
    reading_leave_open(reading, from_client);
    return true;
}

bool
reading_answers_cut(struct reading *reading)
{
    struct flow *flow = &reading->flow[false];
    if (!reading->flow[true].is_open_ended || !flow->has_message || flow->is_open_ended ||
        !reading_interval(reading).idle)
        return false;
    flow->message.cut = true;
    reading_leave_open(reading, false);
    return true;
}

/* Whether a request begins with the segment, which may be cut. */
static bool
begins_request(const struct reading *reading, const struct segment *segment)
{
    char text[OPERATION_ROOM];
    return segment->captured_bytes > 0 && (reading->parser->recognise(segment->payload, segment->captured_bytes) ||
                                           (segment->captured_bytes < segment->payload_bytes &&
                                            operation_read(segment->payload, segment->captured_bytes, text) > 0));
}

/* What there is of a unit since the client's last segment, and is surplus behind its request, is given up if a request
 * begins with this one. */
static void
drop_surplus(struct reading *reading, const struct segment *segment)
{
    const struct flow *flow = &reading->flow[true];
    if (flow->unit_bytes == 0 || flow->has_message || flow->state != 0 || reading->has_gap ||
        !reading->parser->begins_anew || !reading_is_idle(reading) ||
        !reading->parser->begins_anew(flow->unit, flow->unit_bytes, segment->payload, segment->captured_bytes))
        return;
    reading_break_head(reading, true);
    reading_reset(reading, true);
}

void
reading_see_turn(struct reading *reading, const struct segment *segment)
{
    drop_surplus(reading, segment);
    if (!reading->flow[true].is_open_ended)
        return;
    const struct interval next = reading_interval(reading);
    bool is_answered = next.known && next.idle && reading->flow[false].placed;
    if (is_answered || begins_request(reading, segment))
        reading_end_message(reading, true);
}
