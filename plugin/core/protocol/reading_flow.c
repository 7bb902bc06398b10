/* reading_flow.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

#include <string.h>

struct flow *
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

void **
reading_own(struct reading *reading)
{
    return &reading->own;
}

bool
reading_is_greeted(const struct reading *reading)
{
    return reading->is_greeted || reading->connection->greeting.frame;
}

wmem_allocator_t *
reading_scope(const struct reading *reading)
{
    return reading->requests->scope;
}

void
reading_tell(struct reading *reading, struct message message)
{
    if (reading->is_mute)
        return;
    message.arrives = reading->requests->taken.arrives;
    framing_tell(reading->requests, reading->connection, &message);
}

/* What follows of a message at least; 0 if it ends with the connection. */
static uint32_t
rest_of(const struct flow *flow)
{
    return flow->skip > FLOW_UNTIL_CLOSED / 2 ? 0 : (uint32_t)CLAMP(flow->skip, 1, UINT32_MAX);
}

void
reading_tell_message(struct reading *reading, bool from_client, bool ends)
{
    enum { TOLD_UNDECIDED_MOST = 16384 };
    struct flow *flow = &reading->flow[from_client];
    if (flow->message.kind == MESSAGE_UNDECIDED && ++reading->told_undecided > TOLD_UNDECIDED_MOST) {
        reading_drop(reading);
        return;
    }
    /* it answers nothing */
    if (flow->is_told && !reading->connection->framing.under_way[from_client])
        return;
    flow->message.ends = ends;
    flow->message.cut |= reading->is_cut;
    flow->message.bytes = flow->bytes - flow->missing;
    flow->message.operation = from_client || flow->message.kind == MESSAGE_PROMISES ? reading->operation : "";
    flow->message.status = flow->text;
    flow->message.rest = from_client || ends || flow->may_end ? 0 : rest_of(flow);
    flow->is_told = true;
    flow->has_begun = false;
    reading_tell(reading, flow->message);
}

/* What has begun is no message that asks or answers. */
static void
break_head(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (flow->has_begun)
        reading_tell(reading, (struct message){ .kind = MESSAGE_BREAK, .from_client = from_client });
    flow->has_begun = false;
}

void
reading_begin_message(struct flow *flow, enum message_kind kind, uint64_t key)
{
    flow->has_message = true;
    flow->is_told = false;
    flow->message = (struct message){ .kind = kind, .key = key };
}

/* Between two messages. */
void
reading_reset(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->skip = flow->bytes = flow->missing = flow->left = 0;
    flow->has_message = flow->is_told = flow->is_open_ended = flow->ends = flow->may_end = false;
    flow->state = flow->marks = 0;
    flow->held = 0;
    flow->text[0] = '\0';
    flow->block = reading->parser->block;
    flow->arrived_ns = reading->requests->taken.segment.time_ns;
    flow->arrived_frame = reading->requests->taken.segment.frame;
}

void
reading_upgrade(struct reading *reading)
{
    const uint64_t id = resync_next(reading->resync).low;
    reading->parser = reading->last_parser = &parser_http2;
    break_head(reading, false);
    reading_reset(reading, false);
    reading_reset(reading, true);
    reading->parser->begin_upgraded(reading, id);
    reading_tell(reading, (struct message){ .kind = MESSAGE_UPGRADE, .key = reading->parser->kind });
}

void
reading_release(struct reading *reading, bool over)
{
    reading_tell(reading, (struct message){ .kind = MESSAGE_RELEASE });
    reading->parser = NULL;
    reading->over = over;
    reading->connection->framing.is_lost &= reading->is_mute;
}

/* Whether all that the server says until the client asks again belongs to the answer that has begun. */
static bool
stays_open(const struct reading *reading)
{
    const struct flow *flow = &reading->flow[false];
    return flow->has_message && !flow->is_open_ended && !reading->parser->has_ids && resync_next(reading->resync).idle;
}

void
reading_leave_open(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->is_open_ended = true;
    flow->ends = false;
    flow->skip = FLOW_UNTIL_CLOSED;
    flow->held = 0;
    if (!from_client)
        reading->open_from = reading->flow[true].at;
}

void
reading_lose_place(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    /* what has begun in this segment is one of those that were counted */
    if (flow->has_message && !flow->is_told)
        reading_tell_message(reading, from_client, false);
    if (!from_client && stays_open(reading)) {
        flow->unread = 0;
        reading_leave_open(reading, false);
        reading_tell_message(reading, false, false);
        return;
    }
    flow->placed = false;
    if (reading->is_mute)
        return;
    if (reading->parser->lose)
        reading->parser->lose(reading, from_client);
    reading->has_gap = true;
    if (!flow->has_message)
        flow->unread += flow->bytes;
    if (from_client) {
        resync_open_gap(reading->resync, flow->at - (int64_t)MIN(flow->unread, (uint64_t)flow->at) + 1);
    } else {
        reading_drop(reading);
    }
    reading_miss_answers(reading, from_client);
    reading_settle(reading);
    if (flow->has_message)
        reading_tell(reading, (struct message){ .kind = MESSAGE_BREAK, .from_client = from_client });
    break_head(reading, from_client);
    reading_reset(reading, from_client);
}

void
reading_hold_piece(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (!flow->piece)
        flow->piece = wmem_alloc(reading->requests->scope, PIECE_BYTES);
}

/* Takes from the bytes what there is of the next piece; true if it is complete. */
static bool
gather(struct reading *reading, bool from_client, const uint8_t **bytes, size_t *captured, const uint8_t **piece,
       size_t *length)
{
    struct flow *flow = &reading->flow[from_client];
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
        reading_hold_piece(reading, from_client);
        memcpy(flow->piece + flow->held, from, kept);
        flow->held += (uint32_t)kept;
        *piece = flow->piece;
        *length = flow->held;
    }
    if (complete && flow->block == 0 && *length > 0 && (*piece)[*length - 1] == '\r')
        --*length;
    return complete;
}

void
reading_end_message(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (reading->parser->end)
        reading->parser->end(reading, from_client);
    if (flow->has_message) {
        flow->least = flow->least ? MIN(flow->least, flow->bytes) : flow->bytes;
        reading_tell_message(reading, from_client, true);
    }
    break_head(reading, from_client);
    reading_reset(reading, from_client);
}

void
reading_pass(struct flow *flow, uint64_t bytes)
{
    flow->skip -= bytes;
    flow->bytes += bytes;
    flow->at += (int64_t)bytes;
}

bool
reading_is_between(const struct flow *flow)
{
    return flow->bytes == 0;
}

void
reading_see_end(struct reading *reading, const uint8_t *bytes, size_t captured)
{
    struct flow *flow = &reading->flow[false];
    if (!flow->may_end || captured == 0)
        return;
    bool ends = reading->parser->recognise_answer(bytes, captured);
    flow->may_end = false;
    if (flow->has_message && flow->message.kind == MESSAGE_UNDECIDED)
        reading_sees(reading, ends ? flow->if_ends : flow->if_goes_on);
    if (ends)
        reading_end_message(reading, false);
}

/* The new bytes of a segment, from the flow's place on; of `length`, the first `captured` are there. */
void
reading_bytes(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured, uint64_t length)
{
    struct flow *flow = &reading->flow[from_client];
    const uint8_t *piece = NULL, *end = bytes + captured;
    size_t piece_bytes = 0;
    int64_t last = flow->at + (int64_t)length;
    while (flow->at < last) {
        uint64_t skipped;
        if (!from_client)
            reading_see_end(reading, bytes, (size_t)(end - bytes));
        skipped = MIN(flow->skip, (uint64_t)(last - flow->at));
        if (skipped > 0) {
            reading_pass(flow, skipped);
            bytes += MIN(skipped, (uint64_t)(end - bytes));
        } else if (bytes == end && reading_goes_on_cut(reading, from_client)) {
            continue;
        } else if (bytes == end) {
            flow->unread += (uint64_t)(last - flow->at);
            flow->bytes += (uint64_t)(last - flow->at);
            flow->at = last;
            reading_lose_place(reading, from_client);
            break;
        } else {
            size_t rest = (size_t)(end - bytes);
            bool complete = gather(reading, from_client, &bytes, &rest, &piece, &piece_bytes);
            if (complete) {
                flow->held = 0;
                enum verdict verdict = reading->parser->take(reading, from_client, piece, piece_bytes);
                if (verdict == PARSER_WANTS_MORE) {
                    reading_hold_piece(reading, from_client);
                    memmove(flow->piece, piece, piece_bytes);
                    flow->held = (uint32_t)piece_bytes;
                } else if (verdict == PARSER_IS_LOST &&
                           (reading->is_mute || reading->has_gap || reading->parser->has_ids)) {
                    flow->unread += (uint64_t)(last - flow->at);
                    flow->at = last;
                    reading_lose_place(reading, from_client);
                    return;
                } else if (verdict == PARSER_IS_UPGRADED) {
                    reading_upgrade(reading);
                } else if (verdict != PARSER_GOES_ON) {
                    if (flow->has_message && verdict == PARSER_IS_OVER)
                        reading_end_message(reading, from_client);
                    /* a server that never made sense speaks something else */
                    reading_release(reading, verdict == PARSER_IS_OVER || (!from_client && !reading->makes_sense));
                    return;
                }
            }
        }
        if (flow->ends && flow->skip == 0 && (from_client || !reading_answers_cut(reading)))
            reading_end_message(reading, from_client);
    }
    if (!flow->placed)
        return;
    bool begins = flow->held > 0 && !flow->has_message && flow->state == 0;
    if (begins && from_client && reading->parser->glimpse)
        reading->parser->glimpse(reading, flow->piece, flow->held);
    if (begins && !from_client && !reading->has_gap && !reading->parser->has_ids &&
        !reading->parser->recognise_answer(flow->piece, flow->held)) {
        reading_release(reading, !reading->makes_sense);
        return;
    }
    if (flow->has_message) {
        reading_tell_message(reading, from_client, false);
    } else if (flow->bytes > 0 && !reading->decrypted) {
        flow->has_begun = true;
        reading_tell(reading, (struct message){ .kind = MESSAGE_BEGINS, .from_client = from_client });
    }
}

void
reading_segment(struct reading *reading, bool from_client, const struct segment *segment, size_t offset,
                uint64_t length)
{
    static const uint8_t nothing[1];
    struct flow *flow = &reading->flow[from_client];
    if (flow->bytes == 0 || segment->time_ns >= flow->arrived_ns) {
        flow->arrived_ns = segment->time_ns;
        flow->arrived_frame = segment->frame;
    }
    size_t captured = segment->captured_bytes > offset ? MIN(segment->captured_bytes - offset, length) : 0;
    reading_bytes(reading, from_client, captured ? segment->payload + offset : nothing, captured, length);
}
