/* reading_place.c
 * Where a side's next message begins, behind bytes that were not read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../request/looks.h"
#include "reading_parts.h"

#include <string.h>

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
