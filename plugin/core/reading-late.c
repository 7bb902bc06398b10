/* reading-late.c
 *
 * Bytes that are missing may come late: a capture has its packets out of order, or one was lost on its way and is sent
 * again. What was being read before the hole then goes on in it, and what follows keeps its place. No bytes are kept
 * for that, only where the message stood.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading-parts.h"

/* What asks late has a number of its own until it is known how many there are. */
#define LATE_NUMBERS (UINT64_C(1) << 48)

bool
reading_leave_hole(struct reading *reading, bool from_client, int64_t end)
{
    struct late **late = &reading->late[from_client];
    /* whose an answer is is known only in order */
    if (!from_client && reading_is_in_doubt(reading))
        return false;
    if (!*late)
        *late = wmem_new(reading->requests->scope, struct late);
    **late = (struct late){
        .open = true,
        .end = end,
        .next = from_client ? reading->asked : reading->answered,
        .known = reading->known,
        .orders = reading->orders,
        .after_loss = reading->after_loss,
        .flow = reading->flow[from_client],
    };
    g_strlcpy((*late)->operation, reading->operation, sizeof(*late)->operation);
    return true;
}

void
reading_leave_beginning(struct reading *reading, int64_t end)
{
    reading->flow[true].at = SEQUENCE_FIRST;
    reading_leave_hole(reading, true, end);
    reading->late[true]->flow.placed = true;
    reading->late[true]->found = end;
    reading->late[true]->losses++;
}

enum lateness
reading_lateness(const struct reading *reading, bool from_client, int64_t start)
{
    const struct late *late = reading->late[from_client];
    if (start >= reading->flow[from_client].at)
        return IN_TIME;
    bool goes_on = late && late->open && late->flow.has_message && start == late->flow.at;
    return goes_on && !reading->flow[from_client].is_adrift ? LATE_AND_GOES_ON : LATE;
}

void
reading_meet(struct reading *reading, bool from_client, int64_t start)
{
    struct late *late = reading->late[from_client];
    if (late && late->open && !late->found)
        late->found = start;
}

/* From `at` on numbers are higher by `count`. */
static void
raise_number(uint64_t *number, uint64_t at, uint64_t count)
{
    if (*number < UINT64_MAX && *number >= at)
        *number += count;
}

static void
raise_key(struct flow *flow, uint64_t at, uint64_t count)
{
    if (flow->has_message && flow->message.key >= reading_key(at))
        flow->message.key += count;
}

/* So many that ask, which come before those with the number `at` and higher ones. */
static void
insert_asked(struct reading *reading, uint64_t at, uint64_t count)
{
    const struct late *asked = reading->late[true];
    struct late *answers = reading->late[false];
    const bool in_doubt = reading_is_in_doubt(reading);
    /* The order of those that follow is known, or was: the late ones have been answered, if at all. */
    const bool is_past =
        reading->answered > at || (reading->answered == at && (!in_doubt || asked->orders != reading->orders));
    const bool untouched = reading->next.exact && reading->next.least == (int64_t)reading->answered;
    const struct message insert = { .kind = MESSAGE_INSERT, .key = reading_key(at), .bytes = count, .failed = is_past };
    reading_tell(reading, insert);
    raise_key(&reading->flow[true], at, count);
    raise_key(&reading->flow[false], at, count);
    reading->asked += count;
    reading_move_next(reading, at, count, is_past);
    raise_number(&reading->known, at + (in_doubt && !untouched && !is_past), count);
    raise_number(&reading->after_loss, at, count);
    raise_number(&reading->lost_at, at, count);
    raise_number(&reading->mark.asked, at, count);
    if (answers) {
        raise_key(&answers->flow, at, count);
        raise_number(&answers->next, at + !is_past, count);
        raise_number(&answers->known, at, count);
    }
    if (is_past)
        reading->answered += count;
}

/* Reads on in the hole. False if that makes no sense. */
static bool
read_hole(struct reading *reading, struct late *late, const struct segment *segment, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    struct flow in_time = *flow;
    char operation[OPERATION_ROOM];
    const size_t before = (size_t)(late->flow.at - reading->requests->taken.start);
    const uint64_t length = MIN(segment->payload_bytes - before, (uint64_t)(late->end - late->flow.at));
    *flow = late->flow;
    flow->least = in_time.least;
    flow->most = in_time.most;
    g_strlcpy(operation, reading->operation, sizeof operation);
    g_strlcpy(reading->operation, late->operation, sizeof reading->operation);
    reading->is_late = true;
    reading_segment(reading, from_client, segment, before, length);
    reading->is_late = false;
    g_strlcpy(late->operation, reading->operation, sizeof late->operation);
    g_strlcpy(reading->operation, operation, sizeof reading->operation);
    late->flow = *flow;
    in_time.least = flow->least;
    in_time.most = flow->most;
    in_time.unread -= MIN(in_time.unread, length);
    *flow = in_time;
    return reading->framer && late->flow.placed;
}

static bool
read_requests(struct reading *reading, struct late *late, const struct segment *segment)
{
    const uint64_t asked = reading->asked;
    if (asked - late->next > FRAMING_MOVED_MOST)
        return false;
    reading->asked = LATE_NUMBERS;
    bool goes_on = read_hole(reading, late, segment, true);
    uint64_t count = reading->asked - LATE_NUMBERS;
    reading->asked = asked;
    if (count == 0 || !reading->framer)
        return goes_on;
    if (count > FRAMING_MOVED_MOST)
        return false;
    insert_asked(reading, late->next, count);
    late->next += count;
    if (late->flow.has_message)
        late->flow.message.key = reading_key(late->next - 1);
    return goes_on;
}

static bool
read_answers(struct reading *reading, struct late *late, const struct segment *segment)
{
    const uint64_t answered = reading->answered, known = reading->known, asked = reading->asked, seen = reading->seen;
    const struct bounds next = reading->next;
    const uint64_t losses = reading->losses[false];
    const bool is_next = answered == late->next && reading_is_in_doubt(reading);
    if (late->next > answered)
        return false;
    reading->answered = late->next;
    reading->known = late->known;
    /* what follows has been told already */
    reading->asked = is_next ? asked : answered;
    bool goes_on =
        read_hole(reading, late, segment, false) && reading->losses[false] == losses && reading->seen == seen;
    uint64_t count = reading->answered - late->next;
    late->next += count;
    reading->answered = is_next ? late->next : answered;
    reading->known = is_next ? late->next : known;
    reading->asked = asked;
    reading->seen = seen;
    reading->next = next;
    if (is_next)
        reading_pass_late(reading, count);
    return goes_on;
}

/* Whether what was missed from the hole's end to `at` belongs to the message that has gone on in it, whatever it says.
 */
static bool
reaches(const struct flow *late, int64_t at)
{
    return !late->may_end && at >= late->at && late->skip >= (uint64_t)(at - late->at);
}

static void
resume(struct reading *reading, bool from_client, const struct flow *late)
{
    struct flow *flow = &reading->flow[from_client];
    const struct flow missed = *flow;
    const uint64_t bytes = (uint64_t)(missed.at - late->at);
    *flow = *late;
    flow->largest = missed.largest;
    flow->before = missed.before;
    flow->after_hole = missed.after_hole;
    flow->unread = missed.unread - MIN(missed.unread, bytes);
    if (from_client)
        g_strlcpy(reading->operation, reading->late[true]->operation, sizeof reading->operation);
    if (!missed.is_adrift)
        reading_tell(reading, (struct message){ .kind = MESSAGE_RESUME, .from_client = from_client });
    reading_pass(flow, bytes);
    if (flow->ends && flow->skip == 0)
        reading_end_message(reading, from_client);
}

/* The message in the hole ends where the next one was found. */
static void
end_late(struct reading *reading, struct late *late, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    const struct flow in_time = *flow;
    *flow = late->flow;
    reading_pass(flow, (uint64_t)(late->found - flow->at));
    reading->is_late = true;
    reading_end_message(reading, from_client);
    reading->is_late = false;
    *flow = in_time;
}

/* The hole has been filled. */
static void
finish(struct reading *reading, struct late *late, bool from_client)
{
    const struct flow *flow = &reading->flow[from_client];
    const struct flow *filled = &late->flow;
    const bool is_missed = !flow->placed || flow->is_adrift;
    const bool ends = filled->ends && filled->skip == (uint64_t)(late->found - filled->at);
    late->open = false;
    if (is_missed && reaches(filled, flow->at))
        resume(reading, from_client, filled);
    else if (late->found && reaches(filled, late->found) && ends)
        end_late(reading, late, from_client);
    else if (late->found != late->end || !reading_is_between(filled))
        return;
    bool is_alone = !from_client || late->known == UINT64_MAX;
    if (!is_alone || late->losses != reading->losses[from_client])
        return;
    if (from_client)
        reading_know_asked(reading, late->after_loss);
    else
        reading_know_seen(reading);
}

void
reading_take_late(struct reading *reading, const struct segment *segment, bool from_client)
{
    struct late *late = reading->late[from_client];
    const int64_t start = reading->requests->taken.start;
    if (!late || !late->open || start > late->flow.at || start + segment->payload_bytes <= late->flow.at)
        return;
    /* the answer that has gone adrift is under way */
    reading->is_mute = reading->flow[from_client].is_adrift;
    late->open = from_client ? read_requests(reading, late, segment) : read_answers(reading, late, segment);
    reading->is_mute = false;
    bool is_filled = late->open && late->flow.at == late->end;
    if (late->flow.divides && (is_filled || !late->open))
        reading_doubt_count(reading, late->next);
    if (is_filled)
        finish(reading, late, from_client);
}
