/* reading_gap.c
 * Where bytes were not read: what is lost with them, and what silence and acknowledgements tell: that the client has
 * every answer there was, and how many it has in flight; that the server has what the capture lacks. And where a side's
 * next message begins behind them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../request/looks.h"
#include "reading_parts.h"

/* Whether all that the server says until the client asks again belongs to the answer that has begun. */
static bool
stays_open(const struct reading *reading)
{
    const struct flow *flow = &reading->flow[false];
    return flow->has_message && !flow->is_open_ended && !reading->parser->has_ids && reading_interval(reading).idle;
}

void
reading_lose_place(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    /* what has begun in this segment is one of those that were counted */
    if (flow->has_message && flow->progress != PROGRESS_MESSAGE)
        reading_tell_message(reading, from_client, false);
    if (!from_client && stays_open(reading)) {
        reading->unread[false] = 0;
        reading_leave_open(reading, false);
        reading_tell_message(reading, false, false);
        return;
    }
    flow->placed = false;
    if (reading->parser->lose_place)
        reading->parser->lose_place(reading, from_client);
    reading->has_gap = true;
    if (!flow->has_message)
        reading->unread[from_client] += flow->bytes;
    if (from_client) {
        resync_open_gap(reading_resync(reading),
                        flow->at - (int64_t)MIN(reading->unread[true], (uint64_t)flow->at) + 1);
    } else {
        reading_drop(reading);
    }
    reading_loses_answers(reading, from_client);
    reading_settle(reading);
    if (flow->has_message)
        reading_tell(reading,
                     &(struct event){ .kind = EVENT_BREAKS, .breaks = { from_client, flow->bytes - flow->missing } });
    reading_break_head(reading, from_client);
    reading_reset(reading, from_client);
}

void
reading_pass_hole(struct reading *reading, bool from_client, int64_t start)
{
    struct flow *flow = &reading->flow[from_client];
    const bool is_cut = flow->skip == 0 && flow->unit_bytes > 0;
    if (from_client)
        flow->may_end = false; /* what is missing goes on with it */
    if (is_cut)
        reading_takes_cut(reading, from_client, true);
    if (flow->ends && flow->skip <= (uint64_t)(start - flow->at) && !flow->may_end)
        reading_end_unseen(reading, from_client);
    const uint64_t missing = (uint64_t)(start - flow->at);
    if (flow->skip < missing || flow->may_end) {
        reading->unread[from_client] += missing;
        if (!from_client)
            reading->before = missing;
        flow->at = start;
        reading_lose_place(reading, from_client);
    }
    /* the server may have answered it before */
    if (is_cut && from_client)
        reading_loses_answers(reading, false);
}

/* Bytes of a request: half as many as the shortest so far has, but others may be shorter than the first are. */
static uint64_t
least_request(const struct reading *reading)
{
    const uint64_t least = reading->parser->least, half = reading->least / 2;
    return reading->parser->has_short ? least : CLAMP(half, least, 2 * least);
}

void
reading_bound_unread(struct reading *reading, bool from_client, bool is_found)
{
    if (from_client && reading->resync)
        resync_close_gap(reading->resync, reading->unread[true] / least_request(reading));
    else if (!from_client && is_found)
        resync_miss(reading_resync(reading));
    if (is_found && reading->unread[from_client] > 0)
        reading_loses_answers(reading, from_client);
    reading->unread[from_client] = 0;
    reading_settle(reading);
}

static int64_t
end_of(const struct flow *flow)
{
    return flow->at + (flow->is_open_ended ? 0 : (int64_t)flow->skip);
}

/* The server has the rest of the request under way, which the capture lacks: it asks from now on. */
static void
end_asked(struct reading *reading)
{
    const struct flow *asked = &reading->flow[true];
    if (asked->ends && asked->skip > 0)
        reading_end_unseen(reading, true);
}

inline void
reading_note_acknowledged(struct reading *reading, const struct segment *segment)
{
    const struct sequence *sent = reading_sequence(reading, true);
    const struct flow *asked = &reading->flow[true];
    if (!(segment->flags & SEGMENT_ACK) || !sent->known)
        return;
    const int64_t had = sequence_offset(sent, segment->ack);
    if (reading->parser->has_ids && asked->placed && had > end_of(asked)) {
        if (reading->parser->lack_requests)
            reading->parser->lack_requests(reading);
        end_asked(reading);
    }
    if (reading->parser->has_ids)
        return;
    if (had > end_of(asked) && asked->skip == 0 && asked->unit_bytes > 0 && reading_takes_cut(reading, true, true) &&
        had >= end_of(asked))
        end_asked(reading);
    if (had > end_of(asked))
        resync_open_gap(reading_resync(reading), end_of(asked) + 1);
}

/* Whether the server has sent the segment since the client's first request asked, or just before, and acknowledges less
 * than `end` of the client's bytes. What is older than the bytes that the client then had says nothing. */
static bool
lacks(const struct reading *reading, const struct segment *segment, int64_t end)
{
    return segment->flags & SEGMENT_ACK && (int32_t)(segment->seq - reading->first_ack) >= 0 &&
           sequence_offset(reading_sequence(reading, true), segment->ack) < end;
}

/* Requests that the capture lacks are under way, too. Returns whether that matters still. */
static bool
precede(struct reading *reading)
{
    reading->began_unseen = reading->is_preceded = false;
    if (!resync_precede(reading_resync(reading)))
        return false;
    reading->has_gap = true;
    reading_settle(reading);
    return true;
}

inline void
reading_take_ack(struct connection *connection, const struct segment *segment)
{
    struct reading *reading = connection->tcp->reading;
    if (reading && reading->began_unseen && lacks(reading, segment, reading->begun))
        reading->is_preceded = true;
}

inline void
reading_note_preceding(struct reading *reading)
{
    if (reading->is_preceded && precede(reading))
        reading->flow[false].placed = false;
}

bool
reading_is_rest(struct reading *reading, bool from_client)
{
    const struct segment *segment = &reading->carrier->piece->segment;
    return !from_client && reading->began_unseen && lacks(reading, segment, reading->begun + 1) && precede(reading);
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
    enum { QUIET_LEAST_NS = 10000000 };
    struct flow *answers = &reading->flow[false];
    const struct sequence *answered = reading_sequence(reading, false);
    const int64_t had = sequence_offset(answered, segment->ack);
    if (!reading->connection->exchanges.is_lost || !(segment->flags & SEGMENT_ACK) || !answered->known ||
        !reading_is_silence(reading, segment->time_ns, QUIET_LEAST_NS) ||
        (answers->placed && !is_between_answers(reading, answers)) || had < reading_end(reading, false))
        return;
    if (!answers->placed || had > answers->at) {
        /* what is missing at the end may be answers, too */
        if (answers->bytes > 0)
            return;
        reading_drop(reading);
        answers->at = had;
        answers->placed = true;
        reading->unread[false] = 0;
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
    const struct standing *then = reading->carrier->piece->standing;
    const bool is_known = then ? then->server_read >= 0 : answered->known;
    const int64_t at = reading->flow[false].at, end = is_known ? reading_end(reading, false) : -1;
    return segment->flags & SEGMENT_ACK && at == end &&
           (is_known ? sequence_offset(answered, segment->ack) == at : segment->ack == reading->first_ack);
}

inline void
reading_note_flight(struct reading *reading, const struct segment *segment)
{
    const struct flow *flow = reading->flow;
    if (reading->parser->has_ids || !flow[true].placed || !flow[false].placed ||
        !is_between_answers(reading, &flow[false]) || !has_all_answers(reading, segment))
        return;
    resync_note_flight(reading_resync(reading));
    reading_settle(reading);
}

/* Whether the client, when it asked last, had all that the server had sent before this segment, and the server then had
 * all that the client had asked: answers do not wait for each other here. */
static bool
answers_at_once(const struct reading *reading, const struct segment *segment)
{
    const struct connection *connection = reading->connection;
    const struct tcp_sender *client = &connection->tcp->sender[connection->client];
    return reading->client_ack == segment->seq && client->sequence.known && segment->flags & SEGMENT_ACK &&
           sequence_offset(&client->sequence, segment->ack) == connection->sender[connection->client].read;
}

/* Whether what the server's segment begins with may be a part of an answer whose beginning is missing. */
static bool
may_be_part(struct reading *reading, const struct segment *segment)
{
    const struct parser *parser = reading->parser;
    const uint16_t kinds = parser->part_of ? parser->part_of(segment->payload, segment->captured_bytes) : 0;
    return kinds && resync_awaits(reading_resync(reading), looks_of(kinds, 0));
}

/* Where no message can be known to begin, one does with a segment that looks so. In the middle of a long answer another
 * may seem to begin, but not after the end of what was sent at once: that is no full segment. Nor where the client asks
 * only when it has been answered. */
static bool
is_recognised(struct reading *reading, bool from_client, const struct segment *segment)
{
    enum { LEAST_FULL = 536 }; /* RFC 9293 §3.7.1 */
    const struct parser *parser = reading->parser;
    if (segment->captured_bytes == 0)
        return false;
    if (!from_client && !parser->has_ids && reading->before >= MAX(reading->largest, LEAST_FULL) &&
        !answers_at_once(reading, segment))
        return false;
    if (!from_client && may_be_part(reading, segment))
        return false;
    if (parser->resumes)
        return parser->resumes(segment->payload, segment->captured_bytes, segment->payload_bytes, from_client);
    if (from_client)
        return parser->recognise(segment->payload, segment->captured_bytes);
    bool is_whole = parser->block > 0 || memchr(segment->payload, '\n', segment->captured_bytes);
    return is_whole && parser->recognise_answer(segment->payload, segment->captured_bytes);
}

/* A client's segment begins with the rest of a message that was lost: the offset of the next one, 0 if there is none.
 */
static size_t
find_request(struct reading *reading, const struct segment *segment)
{
    const struct parser *parser = reading->parser;
    const uint8_t *begin = segment->payload, *end = begin + segment->captured_bytes;
    const int64_t read = reading->flow[true].at - reading->carrier->piece->start;
    const uint8_t *at = begin + CLAMP(read, 0, (int64_t)segment->captured_bytes);
    if (parser->find) {
        const size_t found = parser->find(at, (size_t)(end - at));
        return found ? (size_t)(at - begin) + found : 0;
    }
    while (parser->block == 0 && at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        if (parser->recognise(at, (size_t)(end - at)))
            return (size_t)(at - begin);
    }
    return 0;
}

bool
reading_find_place(struct reading *reading, bool from_client, const struct segment *segment)
{
    struct flow *flow = &reading->flow[from_client];
    int64_t start = reading->carrier->piece->start, next = start + segment->payload_bytes;
    size_t rest = 0;
    flow->placed = is_recognised(reading, from_client, segment);
    if (from_client && !flow->placed && segment->captured_bytes > 0)
        rest = find_request(reading, segment);
    flow->placed |= rest > 0;
    if (flow->placed)
        next = MAX(start + (int64_t)rest, flow->at);
    reading->unread[from_client] += (uint64_t)(next - flow->at);
    flow->at = next;
    return flow->placed;
}
