/* reading_cut.c
 *
 * A snap length is no gap: a message whose head is cut is still a message. Where it ends is decided as turns do: the
 * client's lasts until the server has begun to answer and the client asks again, the server's until the client does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

/* What the captured bytes say, be it nothing, of a message that has said nothing yet. */
static void
begin_cut(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->work->flow[from_client];
    char text[OPERATION_ROOM] = "";
    if (flow->has_message)
        return;
    if (!from_client) {
        reading_answers(reading, "", false);
        return;
    }
    if (flow->held > 0)
        operation_read(flow->piece, flow->held, text);
    reading_asks(reading, text, 0);
}

/* With ids: what goes on with another piece, which is cut, ends nobody knows where. */
static void
leave_unseen(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->work->flow[from_client];
    if (!flow->has_message || reading->parser->interleaves)
        return;
    flow->message.cut = true;
    reading_tell_message(reading, from_client, false);
}

/* What follows of a block that the parser has asked for. */
static bool
takes_rest_cut(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->work->flow[from_client];
    bool goes_on = reading->parser->take_cut(reading, from_client, flow->piece, flow->held);
    flow->held = 0;
    return goes_on;
}

bool
reading_takes_cut(struct reading *reading, bool from_client, bool by_gap)
{
    struct flow *flow = &reading->work->flow[from_client];
    flow->after_gap = by_gap;
    if (reading->parser->take_cut)
        return takes_rest_cut(reading, from_client);
    if (reading->parser->block == 0 || flow->held < reading->parser->block)
        return false;
    flow->is_cut = true;
    bool goes_on = reading->parser->take(reading, from_client, flow->piece, flow->held) == PARSER_GOES_ON;
    flow->is_cut = false;
    flow->held = 0;
    return goes_on;
}

bool
reading_goes_on_cut(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->work->flow[from_client];
    if (reading->is_mute || (!from_client && !reading_knows_next(reading)))
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
    struct flow *flow = &reading->work->flow[false];
    if (!reading->work->flow[true].is_open_ended || !flow->has_message || flow->is_open_ended ||
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

void
reading_see_turn(struct reading *reading, const struct segment *segment)
{
    if (!reading->work->flow[true].is_open_ended)
        return;
    const struct interval next = reading_interval(reading);
    bool is_answered = next.known && next.idle && reading->work->flow[false].placed;
    if (is_answered || begins_request(reading, segment))
        reading_end_message(reading, true);
}
