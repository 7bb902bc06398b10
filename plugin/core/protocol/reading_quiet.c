/* reading_quiet.c
 * What silence and acknowledgements tell: that the client has every answer there was, and how many it has in flight;
 * that the server has what the capture lacks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

static int64_t
end_of(const struct flow *flow)
{
    return flow->at + (flow->is_open_ended ? 0 : (int64_t)flow->skip);
}

/* The server has the rest of the request under way, which the capture lacks: it asks from now on. */
static void
end_asked(struct reading *reading)
{
    const struct flow *asked = &reading->work->flow[true];
    if (asked->ends && asked->skip > 0)
        reading_end_unseen(reading, true);
}

/* Of a protocol with ids: the server has acknowledged more than the request under way, so the capture lacks the rest of
 * it, and the server may answer it from now on. */
static void
lack(struct reading *reading)
{
    if (reading->parser->lack)
        reading->parser->lack(reading);
    end_asked(reading);
}

void
reading_note_acknowledged(struct reading *reading, const struct segment *segment)
{
    const struct sequence *sent = reading_sequence(reading, true);
    const struct flow *asked = &reading->work->flow[true];
    if (!(segment->flags & SEGMENT_ACK) || !sent->known)
        return;
    const int64_t had = sequence_offset(sent, segment->ack);
    if (reading->parser->has_ids) {
        if (asked->placed && had > end_of(asked))
            lack(reading);
        return;
    }
    if (had > end_of(asked) && asked->skip == 0 && asked->held > 0 && reading_takes_cut(reading, true, true) &&
        had >= end_of(asked))
        end_asked(reading);
    if (had > end_of(asked))
        resync_open_gap(reading_resync(reading), end_of(asked) + 1);
}

/* Nothing more of an answer need follow. */
static bool
is_between_answers(const struct reading *reading, const struct flow *answers)
{
    return answers->bytes == 0 || (answers->may_end && answers->skip == 0 && reading->parser->ends_before);
}

void
reading_note_silence(struct reading *reading, const struct segment *segment)
{
    enum { QUIET_TIMES = 8, QUIET_LEAST_NS = 10000000 };
    struct flow *answers = &reading->work->flow[false];
    const struct sequence *answered = reading_sequence(reading, false);
    const int64_t quiet_ns = segment->time_ns - reading->last_ns, had = sequence_offset(answered, segment->ack);
    if (!reading->connection->framing.is_lost || !(segment->flags & SEGMENT_ACK) || !answered->known ||
        quiet_ns / QUIET_TIMES <= reading->connection->framing.longest_ns || quiet_ns <= QUIET_LEAST_NS ||
        (answers->placed && !is_between_answers(reading, answers)) || had < reading_end(reading, false))
        return;
    if (!answers->placed || had > answers->at) {
        /* what is missing at the end may be answers, too */
        if (answers->bytes > 0)
            return;
        reading_drop(reading);
        answers->at = had;
        answers->placed = true;
        answers->unread = 0;
    }
    if (!resync_finish(reading_resync(reading)))
        reading_drop(reading);
    reading_settle(reading);
}

/* Whether the client has all that the server has said: before the capture has any of it, what it acknowledged first. */
static bool
has_all_answers(const struct reading *reading, const struct segment *segment)
{
    const struct sequence *answered = reading_sequence(reading, false);
    const int64_t at = reading->work->flow[false].at;
    return segment->flags & SEGMENT_ACK && at == reading_end(reading, false) &&
           (answered->known ? sequence_offset(answered, segment->ack) == at : segment->ack == reading->first_ack);
}

void
reading_note_flight(struct reading *reading, const struct segment *segment)
{
    const struct flow *flow = reading->work->flow;
    if (reading->parser->has_ids || !flow[true].placed || !flow[false].placed ||
        !is_between_answers(reading, &flow[false]) || !has_all_answers(reading, segment))
        return;
    resync_note_flight(reading_resync(reading));
    reading_settle(reading);
}
