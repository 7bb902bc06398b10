/* reading-order.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading-parts.h"

/* A quiet that is so many times the longest latency so far, and at least so long, has nothing in flight. */
enum { QUIET_TIMES = 8, QUIET_LEAST_NS = 10000000 };

bool
reading_is_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

uint64_t
reading_key(uint64_t number)
{
    return number | UINT64_C(1) << 62;
}

uint64_t
reading_number(uint64_t key)
{
    return key & ~(UINT64_C(1) << 62);
}

static void
forget_unread(struct flow *flow)
{
    flow->unread = 0;
    flow->unread_in_message = false;
}

/* Of the next ones asked, up to `known`. */
void
reading_know_order(struct reading *reading, uint64_t known)
{
    reading->known = known;
    reading->orders += known == UINT64_MAX;
    reading->seen = 0;
    forget_unread(&reading->flow[false]);
    if (known == UINT64_MAX)
        forget_unread(&reading->flow[true]);
    reading_know_next(reading);
}

bool
reading_finds(struct reading *reading, uint32_t note)
{
    uint64_t found = 0;
    unsigned count = 0;
    enum { LOOKED_AT = 4096, LOOKED_AT_EACH = 64 };
    const uint64_t waiting = reading->asked - reading->answered;
    reading->in_vain -= MIN(reading->in_vain, LOOKED_AT_EACH);
    if (reading->is_late || !reading->has_notes || waiting > LOOKED_AT || reading->in_vain > LOOKED_AT)
        return false;
    for (uint64_t i = reading->answered; i < reading->asked; i++) {
        const struct request *request = framing_first(reading->requests, reading->connection, reading_key(i));
        if (!request || (uint32_t)request->note != note)
            continue;
        found = i;
        count++;
    }
    if (count != 1) {
        reading->in_vain += waiting;
        return false;
    }
    reading_drop(reading);
    reading_tell(reading, (struct message){ .kind = MESSAGE_LOSE, .key = reading->asked - found });
    reading->answered = found;
    reading_know_order(reading, UINT64_MAX);
    return true;
}

static bool
has_unseen(const struct reading *reading, uint32_t ack)
{
    const struct sequence *sequence = reading_sequence(reading, false);
    return !sequence->known || reading_is_after(ack, sequence->end_seq);
}

/* Whether the bytes that were not read can only have been so many messages; of a client that keeps to turns it is
 * enough that they can. */
static bool
fits(const struct reading *reading, const struct flow *flow, uint64_t bytes, uint64_t messages)
{
    enum { TRUSTED_TURNS = 16 };
    uint64_t most = flow->least > 0 ? bytes / flow->least : 0;
    uint64_t least = flow->most > 0 ? (bytes + flow->most - 1) / flow->most : 0;
    if (flow->unread_in_message)
        least = 0;
    bool keeps_turns = reading->turns >= TRUSTED_TURNS && reading->asked - reading->mark.asked <= reading->batch;
    return least <= messages && messages <= most && (least == most || keeps_turns);
}

/* Whether the server has said more than the client had. */
static bool
is_behind(const struct reading *reading, uint32_t ack)
{
    const struct sequence *sequence = reading_sequence(reading, false);
    return sequence->known && reading_is_after(sequence->end_seq, ack);
}

/* Whether all that was asked can have been answered when the client had everything up to `ack`. */
static bool
can_be_answered(const struct reading *reading, uint32_t ack)
{
    const struct flow *answers = &reading->flow[false], *requests = &reading->flow[true];
    const struct sequence *sequence = reading_sequence(reading, false);
    uint64_t waiting = reading->asked - reading->answered, unread = answers->unread;
    if (is_behind(reading, ack))
        return false;
    if (sequence->known && sequence_offset(sequence, ack) > sequence->end)
        unread += (uint64_t)(sequence_offset(sequence, ack) - sequence->end);
    /* the message under way is none of those that wait */
    unread -= answers->placed ? MIN(unread, answers->skip) : 0;
    if (reading->known == UINT64_MAX && waiting == 0 && unread == 0)
        return true;
    if (reading->batch <= 1 && reading->turns > 0 && reading->asked <= reading->mark.asked + 1)
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
void
reading_note_asking(struct reading *reading, const struct segment *segment)
{
    bool first = reading->asked == 0;
    bool had_more = first || reading_is_after(segment->ack, reading->client_ack);
    bool unseen = has_unseen(reading, segment->ack);
    bool in_order = reading->known == UINT64_MAX;
    const struct flow *answers = &reading->flow[false];
    bool in_flight = reading->answered < reading->asked || (!reading_is_between(answers) && !answers->is_adrift);
    if (!had_more && in_order)
        reading->batch = MAX(reading->batch, reading->asked + 1 - reading->mark.asked);
    if (!had_more || !(segment->flags & SEGMENT_ACK))
        return;
    bool is_answered_before = reading_is_after(reading->server_ack, segment->seq);
    if (!first && reading->leaves.most == 0 && is_behind(reading, segment->ack) && !is_answered_before) {
        reading->overlaps = true;
        reading->leaves.times = 0;
    }
    if (!first && !reading->flow[true].after_hole)
        reading_note_habit(reading, segment, &reading->leaves);
    if (in_order && in_flight && !unseen)
        reading->overlaps = true;
    bool trusted = first || can_be_answered(reading, segment->ack);
    if ((reading->overlaps || !trusted) && !is_quiet(reading, segment->time_ns))
        return;
    if (reading->lost_at < UINT64_MAX && reading_is_after(segment->seq, reading->server_ack))
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
    reading_all_answered(reading, segment);
}

/* The server begins to answer what was asked from the mark on. */
void
reading_take_mark(struct reading *reading, int64_t start)
{
    struct flow *flow = &reading->flow[false];
    const struct mark *mark = &reading->mark;
    if (flow->is_adrift)
        reading_end_message(reading, false);
    bool in_order = flow->placed && reading->answered == mark->asked && reading->answered <= reading->known;
    if (!in_order) {
        if (!reading_is_between(flow))
            reading_lose_place(reading, false, false);
        reading_drop(reading);
        if (reading->asked > 0)
            reading_tell(reading, (struct message){ .kind = MESSAGE_LOSE, .key = reading->asked - mark->asked });
        reading->answered = mark->asked;
        reading_know_order(reading, reading->lost_at);
    }
    reading->mark.set = false;
    flow->at = start;
    flow->placed = true;
}
