/* reading-flow.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading-parts.h"

#include <string.h>

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

void
reading_tell(struct reading *reading, struct message message)
{
    if (reading->is_mute)
        return;
    message.late |= reading->is_late;
    framing_tell(reading->requests, reading->connection, &message);
}

static void
tell_flow(struct reading *reading, bool from_client, bool ends)
{
    enum { TOLD_UNPLACED_MOST = 16384 };
    struct flow *flow = &reading->flow[from_client];
    if (flow->message.kind == MESSAGE_UNPLACED && ++reading->told_unplaced > TOLD_UNPLACED_MOST) {
        reading_drop(reading);
        return;
    }
    flow->message.ends = ends;
    flow->message.bytes = flow->bytes - flow->missing;
    flow->message.operation = from_client ? reading->operation : "";
    flow->message.status = flow->text;
    flow->is_told = true;
    reading_tell(reading, flow->message);
}

static void
begin_message(struct flow *flow, enum message_kind kind, uint64_t key)
{
    flow->has_message = true;
    flow->is_told = false;
    flow->message = (struct message){ .kind = kind, .key = key };
}

void
reading_asks(struct reading *reading, const char *operation, uint64_t note)
{
    struct flow *flow = &reading->flow[true];
    begin_message(flow, MESSAGE_ASKS, reading_key(reading->asked++));
    flow->message.note = note;
    g_strlcpy(reading->operation, operation, sizeof reading->operation);
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

static void
answer_unplaced(struct reading *reading, const char *status, bool failed)
{
    enum { UNPLACED_MOST = 1024 };
    struct flow *flow = &reading->flow[false];
    reading->seen++;
    reading_pass_answer(reading);
    if (reading->unplaced == UNPLACED_MOST)
        reading_drop(reading);
    begin_message(flow, MESSAGE_UNPLACED, ++reading->unplaced);
    say(flow, status, failed);
}

void
reading_answers(struct reading *reading, const char *status, bool failed)
{
    struct flow *flow = &reading->flow[false];
    reading_bound_answer(reading);
    bool in_doubt = reading_is_in_doubt(reading);
    if (in_doubt && !reading->is_late) {
        answer_unplaced(reading, status, failed);
        return;
    }
    if (in_doubt || reading->answered == reading->asked) {
        reading->seen++;
        return;
    }
    reading_pass_answer(reading);
    begin_message(flow, MESSAGE_ANSWERS, reading_key(reading->answered++));
    reading->makes_sense = true;
    say(flow, status, failed);
}

const struct request *
reading_first(struct reading *reading)
{
    reading_bound_answer(reading);
    if (reading->answered >= MIN(reading->asked, reading->known))
        return NULL;
    return framing_first(reading->requests, reading->connection, reading_key(reading->answered));
}

/* Between two messages. */
void
reading_reset(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->skip = flow->bytes = flow->missing = flow->left = 0;
    flow->has_message = flow->is_told = flow->is_adrift = flow->ends = flow->may_end = flow->divides = false;
    flow->state = flow->marks = 0;
    flow->held = 0;
    flow->text[0] = '\0';
    flow->block = reading->framer->block;
}

void
reading_release(struct reading *reading, bool over)
{
    reading_tell(reading, (struct message){ .kind = MESSAGE_RELEASE });
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

void
reading_lose_place(struct reading *reading, bool from_client, bool may_go_on)
{
    struct flow *flow = &reading->flow[from_client];
    /* what has begun in this segment is one of those that were counted */
    if (flow->has_message && !flow->is_told)
        tell_flow(reading, from_client, false);
    if (reading->is_late) {
        flow->placed = false;
        return;
    }
    if (!from_client && goes_adrift(reading)) {
        flow->is_adrift = true;
        flow->unread = 0;
        flow->skip = FLOW_UNTIL_CLOSED;
        flow->held = 0;
        return;
    }
    flow->placed = false;
    flow->unread_in_message |= flow->bytes > 0;
    if (from_client)
        reading_lose_requests(reading);
    else
        reading_lose_answers(reading);
    if (from_client && flow->divides)
        reading_doubt_count(reading, reading->asked);
    if (flow->has_message)
        reading_tell(reading, (struct message){ .kind = MESSAGE_BREAK, .from_client = from_client, .late = may_go_on });
    reading_reset(reading, from_client);
    if (may_go_on)
        reading->late[from_client]->losses = reading->losses[from_client];
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

void
reading_end_message(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (flow->has_message) {
        flow->least = flow->least ? MIN(flow->least, flow->bytes) : flow->bytes;
        flow->most = MAX(flow->most, flow->bytes);
        tell_flow(reading, from_client, true);
    }
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
    bool ends = reading->framer->recognise_answer(bytes, captured);
    flow->may_end = false;
    if (flow->has_message && flow->message.kind == MESSAGE_UNPLACED)
        reading_compare(reading, ends ? flow->if_ends : flow->if_goes_on);
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
        } else if (bytes == end) {
            flow->unread += (uint64_t)(last - flow->at);
            flow->bytes += (uint64_t)(last - flow->at);
            flow->at = last;
            reading_lose_place(reading, from_client, false);
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
                } else if (verdict == FRAMER_IS_LOST && (reading->is_late || reading->known < UINT64_MAX)) {
                    flow->unread += (uint64_t)(last - flow->at);
                    flow->at = last;
                    reading_lose_place(reading, from_client, false);
                    return;
                } else if (verdict != FRAMER_GOES_ON) {
                    if (flow->has_message && verdict == FRAMER_IS_OVER)
                        reading_end_message(reading, from_client);
                    /* a server that never made sense speaks something else */
                    reading_release(reading, verdict == FRAMER_IS_OVER || (!from_client && !reading->makes_sense));
                    return;
                }
            }
        }
        if (flow->ends && flow->skip == 0)
            reading_end_message(reading, from_client);
    }
    if (!flow->placed)
        return;
    bool begins = flow->held > 0 && !flow->has_message && flow->state == 0;
    if (begins && from_client && reading->framer->glimpse)
        reading->framer->glimpse(reading, flow->piece, flow->held);
    if (begins && !from_client && !reading->is_late && reading->known == UINT64_MAX &&
        !reading->framer->recognise_answer(flow->piece, flow->held)) {
        reading_release(reading, !reading->makes_sense);
        return;
    }
    if (flow->has_message)
        tell_flow(reading, from_client, false);
}

void
reading_segment(struct reading *reading, bool from_client, const struct segment *segment, size_t offset,
                uint64_t length)
{
    static const uint8_t nothing[1];
    size_t captured = segment->captured_bytes > offset ? MIN(segment->captured_bytes - offset, length) : 0;
    reading_bytes(reading, from_client, captured ? segment->payload + offset : nothing, captured, length);
}
