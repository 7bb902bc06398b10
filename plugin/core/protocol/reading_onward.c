/* reading_onward.c
 * Most pieces are the middle of an answer, of which the parser wants no byte. What arriving, framing and reading come
 * to for these is done here at once: on a web capture it spares a quarter of what a payload packet costs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

/* The request whose answer is under way, if nothing else is; else NULL. */
static struct request *
answered(const struct connection *connection)
{
    const struct framing *framing = &connection->framing;
    const struct framing_work *work = &connection->framing.work;
    struct request *request = work->under_way[false];
    bool is_plain = framing->claimed && !framing->hidden && !framing->is_lost && !work->turn && request &&
                    request->number && !request->in_parts && request->by_messages;
    return is_plain ? request : NULL;
}

/* Whether the flow is in an answer that has been told, and skips the piece and more. The length of a longer answer than
 * 4 GiB is told anew with each piece. */
static bool
skips(const struct reading *reading, const struct piece *piece, const struct request *request)
{
    const struct flow *flow = &reading->flow[false];
    const uint64_t bytes = piece->segment.payload_bytes;
    const bool is_known = flow->skip <= UINT32_MAX || flow->skip > FLOW_UNTIL_CLOSED / 2;
    return flow->skip > bytes && is_known && flow->at == piece->start && flow->placed && flow->has_message &&
           flow->is_told && flow->held == 0 && reading->unread[false] == 0 && !flow->may_end &&
           flow->message.kind == MESSAGE_ANSWERS && flow->message.key == request->key;
}

/* Whether the server says that it has more of the client's than what has been answered: then an answer may begin. */
static bool
has_more(const struct reading *reading, const struct segment *segment)
{
    const struct flow *asked = &reading->flow[true];
    const struct sequence *sent = reading_sequence(reading, true);
    if (!(segment->flags & SEGMENT_ACK) || !sent->known)
        return false;
    const int64_t had = sequence_offset(sent, segment->ack);
    return had > asked->at + (int64_t)(asked->is_open_ended ? 0 : asked->skip) ||
           (reading->flow[false].is_open_ended && had > reading->open_from);
}

static void
pass(struct reading *reading, struct flow *flow, const struct segment *segment)
{
    reading->largest = MAX(reading->largest, segment->payload_bytes);
    if (segment->time_ns >= flow->arrived_ns) {
        flow->arrived_ns = segment->time_ns;
        flow->arrived_frame = segment->frame;
    }
    reading_pass(flow, segment->payload_bytes);
    reading->before = segment->payload_bytes;
    reading->last_ns = segment->time_ns;
}

bool
reading_goes_onward(struct requests *requests, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    struct reading *reading = connection->tcp->reading;
    struct request *request = answered(connection);
    if (!request || piece->payload->sender == connection->client || piece->fresh == 0 || piece->again || !reading ||
        !reading->parser || reading->decrypted || reading->is_mute || reading->parser->has_ids)
        return false;
    struct flow *flow = &reading->flow[false];
    if (!skips(reading, piece, request) || has_more(reading, &piece->segment) || !reading_interval(reading).known)
        return false;
    const struct segment *segment = &piece->segment;
    request_add_packet(requests, request, piece, false);
    request->item_frame[false] = segment->frame;
    request_answers_more(request, segment, piece->fresh);
    pass(reading, flow, segment);
    reading_describe_message(reading, false, false);
    flow->message.arrives = false;
    request->cut |= flow->message.cut;
    if (requests->told)
        requests->told(connection, &flow->message, segment);
    return true;
}
