/* reading_matching.c
 * Which request an answer belongs to, as it is told: by resync.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../request/looks.h"
#include "../request/matching.h"
#include "../util/seldom.h"
#include "reading_parts.h"

uint64_t
parser_looks(uint16_t kinds, const uint8_t *name, size_t length)
{
    return looks_of(kinds, name ? MAX(wmem_strong_hash(name, length), 1) : 0);
}

inline struct resync *
reading_resync(struct reading *reading)
{
    if (!reading->resync)
        reading->resync = resync_new(reading->requests->scope);
    return reading->resync;
}

inline struct interval
reading_interval(const struct reading *reading)
{
    const struct interval nothing = { .known = true, .idle = true };
    return reading->resync ? resync_next(reading->resync) : nothing;
}

inline bool
reading_knows_next(const struct reading *reading)
{
    return reading->parser->has_ids || reading_interval(reading).known;
}

void
reading_loses_answers(struct reading *reading, bool from_client)
{
    if (!from_client && reading->parser->has_ids)
        reading_tell(reading, &(struct event){ .kind = EVENT_MISS });
}

bool
reading_is_silence(const struct reading *reading, int64_t now_ns, int64_t least_ns)
{
    enum { LONGEST_TIMES = 8 };
    const int64_t quiet_ns = now_ns - reading->last_ns;
    return quiet_ns > least_ns && quiet_ns / LONGEST_TIMES > reading->connection->exchanges.longest_ns;
}

bool
reading_was_quiet(const struct reading *reading, int64_t least_ns)
{
    const struct piece *piece = reading->carrier->piece;
    const struct flow *answers = &reading->flow[false];
    const struct sequence *answered = reading_sequence(reading, false);
    return !piece->after_gap && piece->segment.flags & SEGMENT_ACK && answered->known &&
           reading_is_silence(reading, piece->segment.time_ns, least_ns) && answers->placed && answers->bytes == 0 &&
           sequence_offset(answered, piece->segment.ack) == answers->at;
}

/* The latest answers that are undecided are to the requests right before the next one. */
static void
assign(struct reading *reading, uint64_t next)
{
    const uint64_t assigned = resync_row(reading_resync(reading), next, reading->undecided);
    if (assigned == 0) {
        reading_drop(reading);
        return;
    }
    reading_tell(reading,
                 &(struct event){ .kind = EVENT_ASSIGN, .assign = { next - assigned, reading->undecided - assigned } });
    reading->undecided = reading->told_undecided = 0;
    struct message *message = &reading->flow[false].message;
    if (reading->flow[false].has_message && message->kind == MESSAGE_UNDECIDED) {
        message->kind = MESSAGE_ANSWERS;
        message->key = next - 1;
    }
}

/* Tells, if it is new, whether it is known which request the next answer belongs to. */
static void
tell_order(struct reading *reading, bool is_lost)
{
    if (reading->connection->exchanges.is_lost != is_lost)
        reading_tell(reading, &(struct event){ .kind = EVENT_ORDER, .order.is_lost = is_lost });
}

/* Tells what has become of the order. */
static SELDOM void
settle(struct reading *reading, bool is_known, uint64_t next)
{
    const struct flow *flow = &reading->flow[false];
    if (!is_known) {
        tell_order(reading, true);
        return;
    }
    tell_order(reading, false);
    assign(reading, next);
    /* not the one whose answer has begun */
    bool answers = flow->has_message && flow->message.kind == MESSAGE_ANSWERS && flow->message.key == next - 1;
    reading_tell(reading, &(struct event){ .kind = EVENT_LOSE, .lose.below = next - answers });
}

inline void
reading_settle(struct reading *reading)
{
    if (reading->parser->has_ids)
        return;
    const struct interval next = reading_interval(reading);
    const bool is_known = next.known && reading->flow[false].placed;
    if (!is_known || reading->connection->exchanges.is_lost)
        settle(reading, is_known, next.low);
}

static void
begin_asking(struct reading *reading, bool from_client, enum message_kind kind, uint64_t key, const char *operation)
{
    const size_t length = MIN(strlen(operation), OPERATION_ROOM - 1);
    reading_begin_message(&reading->flow[from_client], kind, key);
    memcpy(reading->operation, operation, length);
    reading->operation[length] = '\0';
}

void
reading_asks(struct reading *reading, const char *operation, uint64_t note)
{
    struct flow *flow = &reading->flow[true];
    const uint64_t number = resync_ask(reading_resync(reading), flow->at, note);
    begin_asking(reading, true, MESSAGE_ASKS, number, operation);
    reading->asked = number;
    reading->asked_from = flow->at - (int64_t)flow->bytes;
    flow->message.note = note;
}

bool
reading_wants_ids(const struct reading *reading)
{
    return reading->requests->wants_ids;
}

const char *
reading_id_headers(const struct reading *reading)
{
    const char *names = reading->requests->settings->id_headers;
    return names ? names : "";
}

bool
reading_wants_websocket_ids(const struct reading *reading)
{
    return reading->requests->settings->websocket_ids;
}

void
reading_carries(struct reading *reading, const struct found_ids *ids)
{
    const struct flow *flow = &reading->flow[true];
    if (flow->has_message && !ids_are_none(ids))
        request_ids_note(reading->requests, reading->connection, flow->message.key, ids);
}

void
reading_asks_as(struct reading *reading, uint64_t id, const char *operation)
{
    begin_asking(reading, true, MESSAGE_ASKS, id, operation);
}

void
reading_notes(struct reading *reading, uint64_t note)
{
    reading->flow[true].message.note = note;
    resync_describe(reading_resync(reading), note);
}

void
reading_blurs(struct reading *reading)
{
    resync_blur(reading_resync(reading));
}

/* What is decrypted has no place in what TCP acknowledges. */
static inline void
note_ack(struct reading *reading)
{
    const struct segment *segment = &reading->carrier->piece->segment;
    if (!(segment->flags & SEGMENT_ACK) || reading_is_decrypted(reading))
        return;
    resync_acknowledge(reading_resync(reading), sequence_offset(reading_sequence(reading, true), segment->ack));
    reading_settle(reading);
}

void
reading_sees(struct reading *reading, uint64_t looks)
{
    const struct flow *flow = &reading->flow[false];
    if (flow->has_message && flow->message.kind != MESSAGE_UNDECIDED)
        return;
    if (flow->has_message) {
        resync_see(reading_resync(reading), looks, true);
    } else {
        note_ack(reading);
        resync_see(reading_resync(reading), looks, false);
    }
    reading_settle(reading);
}

void
reading_identifies(struct reading *reading, uint64_t looks)
{
    note_ack(reading);
    if (!resync_identify(reading_resync(reading), looks)) {
        tell_order(reading, true);
        reading_drop(reading);
    }
    reading_settle(reading);
}

const struct request *
reading_to_answer(struct reading *reading)
{
    note_ack(reading);
    return reading_oldest(reading);
}

const struct request *
reading_oldest(struct reading *reading)
{
    if (!reading_knows_next(reading))
        return NULL;
    return matching_first(reading->requests, reading->connection, reading_interval(reading).low);
}

void
reading_says(struct reading *reading, const char *status, bool failed)
{
    struct flow *flow = &reading->flow[false];
    status_copy(flow->text, status);
    flow->message.failed = failed;
}

void
reading_answers(struct reading *reading, const char *status, bool failed)
{
    enum { UNDECIDED_MOST = 1024 };
    struct flow *flow = &reading->flow[false];
    note_ack(reading);
    if (!reading_knows_next(reading)) {
        if (reading->undecided == UNDECIDED_MOST)
            reading_drop(reading);
        reading_begin_message(flow, MESSAGE_UNDECIDED, UINT64_MAX - reading->undecided++);
    } else if (reading_interval(reading).idle) {
        reading->has_unsolicited = true;
        return;
    } else {
        reading_begin_message(flow, MESSAGE_ANSWERS, reading_interval(reading).low);
        reading->makes_sense = true;
    }
    resync_answer(reading_resync(reading));
    reading_says(reading, status, failed);
    reading_settle(reading);
}

void
reading_answers_to(struct reading *reading, uint64_t id, const char *status, bool failed)
{
    reading_begin_message(&reading->flow[false], MESSAGE_ANSWERS, id);
    reading->makes_sense = true;
    reading_says(reading, status, failed);
}

void
reading_answers_to_also(struct reading *reading, uint64_t id, const char *status, bool failed)
{
    reading_end_message(reading, false);
    reading_answers_to(reading, id, status, failed);
    reading->flow[false].ends = true;
}

void
reading_ends_before(struct reading *reading, bool from_client, size_t length)
{
    struct flow *flow = &reading->flow[from_client];
    flow->bytes -= length;
    reading_end_message(reading, from_client);
    flow->bytes = length;
}

void
reading_goes_on(struct reading *reading, bool from_client, uint64_t id)
{
    struct flow *flow = &reading->flow[from_client];
    reading_begin_message(flow, from_client ? MESSAGE_ASKS : MESSAGE_ANSWERS, id);
    flow->message.part = MESSAGE_MORE;
    if (from_client)
        reading->operation[0] = '\0';
}

void
reading_promises(struct reading *reading, uint64_t id, const char *operation)
{
    begin_asking(reading, false, MESSAGE_PROMISES, id, operation);
}

bool
reading_awaits(const struct reading *reading, uint64_t id)
{
    return matching_first(reading->requests, reading->connection, id);
}

void
reading_gives_up(struct reading *reading, uint64_t id, enum stop how)
{
    reading_tell(reading, &(struct event){ .kind = EVENT_STOPS, .stops = { id, how } });
}

void
reading_answers_also(struct reading *reading, const char *status, bool failed)
{
    reading_end_message(reading, false);
    reading_answers(reading, status, failed);
    reading->flow[false].ends = true;
}

void
reading_counts(struct reading *reading, bool from_client, uint32_t messages)
{
    reading_tell(reading, &(struct event){ .kind = EVENT_COUNTS, .counts = { from_client, messages } });
}

void
reading_loses_order(struct reading *reading)
{
    reading_drop(reading);
    resync_miss(reading_resync(reading));
    reading_settle(reading);
}

void
reading_gives_up_all(struct reading *reading)
{
    reading_tell(reading, &(struct event){ .kind = EVENT_LOSE, .lose.below = UINT64_MAX });
}

bool
reading_is_idle(const struct reading *reading)
{
    const struct interval next = reading_interval(reading);
    return next.known && next.idle;
}

bool
reading_waits(const struct reading *reading)
{
    const struct interval next = reading_interval(reading);
    return next.known && !next.idle && next.low == reading->asked;
}

void
reading_repeats(struct reading *reading)
{
    resync_repeat(reading_resync(reading));
    reading_settle(reading);
}
