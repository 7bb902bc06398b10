/* reading-doubt.c
 *
 * After a loss the number of the request that the next answer belongs to lies between two bounds, which what both ends
 * say from then on brings together. It is not above what the server has acknowledged. And it is not so low that the
 * client would have changed its habits: it leaves only so many requests unanswered when it begins to ask anew, and
 * never has more in flight.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading-parts.h"

bool
reading_is_in_doubt(const struct reading *reading)
{
    return reading->answered >= reading->known;
}

/* The lowest number that the next answer can have. */
static int64_t
lowest(const struct bounds *next)
{
    return next->hidden < ABOVE_ALL ? next->least - next->hidden : BELOW_ALL;
}

/* Up to the requests that the capture does not have, if there are some. */
void
reading_know_next(struct reading *reading)
{
    struct bounds *next = &reading->next;
    next->least = next->high = (int64_t)reading->answered;
    next->exact = true;
    next->ruled_out = 0;
    if (reading->known == UINT64_MAX)
        next->hidden = 0;
    next->low = lowest(next);
}

void
reading_drop(struct reading *reading)
{
    struct flow *flow = &reading->flow[false];
    if (reading->unplaced == 0)
        return;
    reading_tell(reading, (struct message){ .kind = MESSAGE_DROP });
    reading->unplaced = reading->told_unplaced = 0;
    flow->has_message &= flow->message.kind != MESSAGE_UNPLACED;
}

void
reading_lose_answers(struct reading *reading)
{
    reading->known = MIN(reading->known, reading->answered);
    reading->next.high = ABOVE_ALL;
    reading->next.exact = false;
    reading->next.ruled_out = 0;
    reading->losses[false]++;
    reading_drop(reading);
}

void
reading_lose_requests(struct reading *reading)
{
    reading->lost_at = MIN(reading->lost_at, reading->asked);
    reading->known = MIN(reading->known, reading->asked);
    reading->next.low = BELOW_ALL;
    reading->next.ruled_out = 0;
    reading->next.hidden = ABOVE_ALL;
    reading->after_loss = reading->asked;
    reading->losses[true]++;
    if (reading->late[false])
        reading->late[false]->known = MIN(reading->late[false]->known, reading->asked);
    reading_drop(reading);
}

static void
raise_low(struct bounds *next, int64_t low)
{
    int64_t raised = low - next->low;
    if (raised <= 0)
        return;
    next->low = low;
    next->ruled_out = raised < CANDIDATES ? next->ruled_out >> raised : 0;
}

static void
tighten(struct bounds *next)
{
    while (next->low <= next->high && next->ruled_out & 1)
        raise_low(next, next->low + 1);
    while (next->low <= next->high && next->high - next->low < CANDIDATES &&
           next->ruled_out >> (next->high - next->low) & 1)
        next->high--;
}

/* The answers that are unplaced are to the requests before the next one. */
static void
place(struct reading *reading)
{
    uint64_t after = reading->answered - reading->after_loss;
    uint64_t placed = MIN(reading->unplaced, after);
    if (placed == 0) {
        reading_drop(reading);
        return;
    }
    reading_tell(reading, (struct message){ .kind = MESSAGE_PLACE,
                                            .key = reading_key(reading->answered - placed),
                                            .bytes = reading->unplaced - placed });
    reading->unplaced = reading->told_unplaced = 0;
    struct message *message = &reading->flow[false].message;
    if (reading->flow[false].has_message && message->kind == MESSAGE_UNPLACED) {
        message->kind = MESSAGE_ANSWERS;
        message->key = reading_key(reading->answered - 1);
    }
}

void
reading_settle(struct reading *reading)
{
    struct bounds *next = &reading->next;
    tighten(next);
    if (reading->is_late || !reading_is_in_doubt(reading) || next->low < next->high)
        return;
    if (next->low > next->high) {
        /* what was learnt of the client was no habit */
        reading->leaves = reading->holds = (struct habit){ 0 };
        next->low = lowest(next);
        next->high = ABOVE_ALL;
        next->ruled_out = 0;
        reading_drop(reading);
        return;
    }
    if (next->low < (int64_t)reading->after_loss || next->low > (int64_t)reading->asked)
        return;
    reading->answered = (uint64_t)next->low;
    place(reading);
    reading_tell(reading, (struct message){ .kind = MESSAGE_LOSE, .key = reading->asked - reading->answered });
    reading->lost_at = UINT64_MAX;
    reading_know_order(reading, UINT64_MAX);
}

void
reading_bound_hidden(struct reading *reading)
{
    struct bounds *next = &reading->next;
    const struct flow *asked = &reading->flow[true];
    const struct sequence *sent = reading_sequence(reading, true);
    if (next->hidden < ABOVE_ALL || !asked->placed || sequence_offset(sent, reading->server_ack) > asked->at)
        return;
    next->hidden = (int64_t)MIN(asked->unread / MAX(asked->least / 2, 1), INT32_MAX);
    raise_low(next, lowest(next));
    reading_settle(reading);
}

static void
move(int64_t *number, int64_t at, int64_t count)
{
    if (*number < ABOVE_ALL && *number >= at)
        *number += count;
}

void
reading_move_next(struct reading *reading, uint64_t at, uint64_t count, bool is_past)
{
    struct bounds *next = &reading->next;
    const int64_t from = is_past ? 0 : (int64_t)at, by = (int64_t)count;
    move(&next->low, from, by);
    /* below `at`: it may be to one that was missing */
    move(&next->high, 0, by);
    next->ruled_out = 0;
    if (is_past) {
        next->least += by;
        return;
    }
    if (next->hidden < ABOVE_ALL)
        next->hidden = MAX(next->hidden - by, 0);
    if (next->exact)
        next->high = MIN(next->high, next->least);
    raise_low(next, lowest(next));
}

void
reading_pass_late(struct reading *reading, uint64_t count)
{
    reading->next.least += (int64_t)count;
    raise_low(&reading->next, lowest(&reading->next));
}

void
reading_doubt_count(struct reading *reading, uint64_t number)
{
    reading->known = MIN(reading->known, number);
    reading->next.exact = false;
    reading->next.high = ABOVE_ALL;
    reading->next.ruled_out = 0;
}

void
reading_know_asked(struct reading *reading, uint64_t after_loss)
{
    reading->after_loss = after_loss;
    reading->lost_at = UINT64_MAX;
    if (reading->late[false])
        reading->late[false]->known = UINT64_MAX;
    if (!reading_is_in_doubt(reading)) {
        reading_know_order(reading, UINT64_MAX);
        return;
    }
    reading->next.hidden = 0;
    raise_low(&reading->next, lowest(&reading->next));
    reading_settle(reading);
}

void
reading_know_seen(struct reading *reading)
{
    struct bounds *next = &reading->next;
    next->exact = true;
    next->high = MIN(next->high, next->least);
    reading_settle(reading);
}

/* The number of the last request whose first segment begins before `seq`; -1 if that is not known. */
static int64_t
last_before(const struct reading *reading, uint32_t seq)
{
    const struct sequence *sent = reading_sequence(reading, true);
    int64_t offset = sequence_offset(sent, seq);
    const struct request *request =
        offset > reading->flow[true].at ? NULL : request_before(reading->connection, offset);
    return request && request->told_apart ? (int64_t)reading_number(request->key) : -1;
}

/* An answer to what the server does not have yet is to a request before: the order was none. */
static void
verify_order(struct reading *reading, const struct segment *segment)
{
    const struct sequence *sent = reading_sequence(reading, true);
    const struct request *request = reading_candidate(reading, (int64_t)reading->answered);
    if (request && request->asking.start >= sequence_offset(sent, segment->ack))
        reading_lose_answers(reading);
}

void
reading_bound_answer(struct reading *reading)
{
    const struct segment *segment = &reading->requests->taken.segment;
    if (!(segment->flags & SEGMENT_ACK))
        return;
    if (!reading_is_in_doubt(reading)) {
        verify_order(reading, segment);
        return;
    }
    int64_t last = last_before(reading, segment->ack);
    if (last < 0)
        return;
    reading->next.high = MIN(reading->next.high, last);
    reading_settle(reading);
}

void
reading_pass_answer(struct reading *reading)
{
    struct bounds *next = &reading->next;
    if (next->low > BELOW_ALL)
        next->low++;
    next->least++;
    if (next->high < ABOVE_ALL)
        next->high++;
}

/* Whether the client had all that the capture has of the server's, and that ends with a message; and the capture has
 * nothing later of the client's. */
static bool
has_had_all(const struct reading *reading, const struct segment *segment)
{
    const struct flow *answers = &reading->flow[false];
    const struct sequence *answered = reading_sequence(reading, false), *asked = reading_sequence(reading, true);
    return answers->placed && reading_is_between(answers) && segment->flags & SEGMENT_ACK && answered->known &&
           segment->ack == answered->end_seq && answers->at == answered->end &&
           segment->seq + segment->payload_bytes == asked->end_seq;
}

void
reading_all_answered(struct reading *reading, const struct segment *segment)
{
    if (!has_had_all(reading, segment))
        return;
    reading->next.low = reading->next.high = (int64_t)reading->asked;
    reading->next.ruled_out = 0;
    reading_settle(reading);
}

/* In order, learns from how many requests are in flight; in doubt, bounds the next answer by what has been learnt. */
void
reading_note_habit(struct reading *reading, const struct segment *segment, struct habit *habit)
{
    enum { HABIT_TIMES = 8 };
    if (!reading->flow[true].placed || !has_had_all(reading, segment))
        return;
    bool in_order = reading->known == UINT64_MAX;
    int64_t fewest = (int64_t)reading->asked - (in_order ? (int64_t)reading->answered : reading->next.high);
    if (fewest > (int64_t)habit->most)
        *habit = (struct habit){ .most = in_order ? (uint64_t)fewest : 0 };
    /* in doubt all can have been answered in any case */
    habit->times += fewest == (int64_t)habit->most && (in_order || fewest > 0);
    if (!in_order && habit->times >= HABIT_TIMES) {
        /* it is for the next answer's acknowledgement to agree */
        raise_low(&reading->next, (int64_t)(reading->asked - habit->most));
    }
}
