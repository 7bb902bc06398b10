/* http2_messages.c
 * What HTTP/2's frames mean: a stream is a request, RFC 9113 §8.1; gRPC over it, github.com/grpc/grpc
 * doc/PROTOCOL-HTTP2.md.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2.h"

#include <string.h>

#include "../http/http_waiting.h"

uint64_t
http2_id(const struct http2 *http2, uint32_t stream)
{
    if (!http2->is_upgraded)
        return stream;
    /* the requests of HTTP/1.1 have numbers, too */
    return stream == 1 ? http2->first_id : stream | UINT64_C(1) << 32;
}

static void
give_up(struct reading *reading, struct http2_stream *stream, enum stop how)
{
    struct http2 *http2 = http2_of(reading);
    reading_gives_up(reading, http2_id(http2, stream->id), how);
    http2_stream_remove(&http2->streams, stream);
}

void
http2_settle(struct reading *reading, struct http2_stream *stream)
{
    if (stream && stream->has_ended[false] && stream->has_ended[true])
        http2_stream_remove(&http2_of(reading)->streams, stream);
}

static struct http2_stream *
begin_stream(struct reading *reading, uint32_t id)
{
    struct http2 *http2 = http2_of(reading);
    if (http2->streams.by_id.count == HTTP2_STREAMS_MOST)
        give_up(reading, http2->streams.oldest, STOP_LOST);
    return http2_stream_add(&http2->streams, id);
}

/* The message is the last of its side. */
static void
end_side(struct reading *reading, struct http2_stream *stream, bool from_client)
{
    stream->has_ended[from_client] = true;
    reading_flow(reading, from_client)->message.last = LAST_OF_SIDE;
}

static bool
is_long_poll(const struct http2_fields *fields)
{
    return http_is_long_poll(strcmp(fields->method, "GET") == 0 || strcmp(fields->method, "HEAD") == 0,
                             fields->preferences);
}

static void
take_asked(struct reading *reading, struct http2_side *side)
{
    struct http2 *http2 = http2_of(reading);
    const uint32_t id = side->frame.stream;
    struct http2_stream *stream = http2_stream_find(&http2->streams, id);
    char operation[OPERATION_ROOM];
    if (stream) {
        reading_goes_on(reading, true, http2_id(http2, id));
    } else {
        stream = begin_stream(reading, id);
        stream->is_grpc = side->decoder.fields.is_grpc;
        stream->may_be_grpc = http2_may_be_grpc(&side->decoder.fields);
        stream->is_tunnel = strcmp(side->decoder.fields.method, "CONNECT") == 0;
        http2_operation(&side->decoder.fields, false, operation);
        reading_asks_as(reading, http2_id(http2, id), operation);
        reading_flow(reading, true)->message.awaits_event = is_long_poll(&side->decoder.fields);
        if (side->decoder.ids)
            reading_carries(reading, &side->decoder.ids->found);
        http2->refused = id > http2->last_accepted ? id : 0;
    }
    if (side->ends_stream)
        end_side(reading, stream, true);
    http2_settle(reading, stream);
}

static void
take_promised(struct reading *reading, struct http2_side *side)
{
    struct http2 *http2 = http2_of(reading);
    char operation[OPERATION_ROOM];
    if (side->promised % 2 == 1 || http2_stream_find(&http2->streams, side->promised))
        return;
    struct http2_stream *stream = begin_stream(reading, side->promised);
    stream->is_pushed = stream->has_ended[true] = true;
    http2_operation(&side->decoder.fields, true, operation);
    reading_promises(reading, http2_id(http2, side->promised), operation);
}

/* gRPC says how it went behind the content. */
static void
say_status(const struct http2_stream *stream, const struct http2_fields *fields, const char **status, bool *failed)
{
    const bool has_failed = fields->status[0] >= '4';
    const bool ends_with_status = stream->is_grpc || (stream->may_be_grpc && !fields->has_content_type);
    *status = ends_with_status && !has_failed ? "" : fields->status;
    *failed = has_failed;
    if (fields->grpc_status < 0)
        return;
    *status = http2_grpc_status_name(fields->grpc_status);
    *failed = fields->grpc_status != 0;
}

/* The response's first fields, or those behind its content. False if the first are missing. */
static bool
take_answer(struct reading *reading, struct http2_side *side, struct http2_stream *stream)
{
    const struct http2_fields *fields = &side->decoder.fields;
    const uint64_t id = http2_id(http2_of(reading), stream->id);
    const char *status;
    bool failed;
    if (!stream->is_answered && !*fields->status && (side->ends_stream || !fields->has_unknown))
        return false;
    if (!stream->is_grpc && fields->is_grpc) {
        /* nobody has looked for them in what was asked */
        stream->content[true].is_lost = true;
        stream->is_grpc = true;
    }
    say_status(stream, fields, &status, &failed);
    if (stream->is_answered) {
        reading_goes_on(reading, false, id);
        reading_says(reading, status, failed);
    } else {
        reading_answers_to(reading, id, status, failed);
        reading_flow(reading, false)->message.is_stream =
            fields->is_stream || (stream->is_tunnel && fields->status[0] == '2');
    }
    stream->is_answered = true;
    return true;
}

static void
take_answered(struct reading *reading, struct http2_side *side)
{
    struct http2_stream *stream = http2_stream_find(&http2_of(reading)->streams, side->frame.stream);
    const bool is_interim = side->decoder.fields.status[0] == '1' && !side->ends_stream;
    if (!stream || is_interim || stream->has_ended[false])
        return;
    if (!take_answer(reading, side, stream)) {
        give_up(reading, stream, STOP_LOST);
        return;
    }
    if (side->ends_stream)
        end_side(reading, stream, false);
    http2_settle(reading, stream);
}

void
http2_take_fields(struct reading *reading, bool from_client)
{
    struct http2_side *side = &http2_of(reading)->side[from_client];
    if (from_client)
        take_asked(reading, side);
    else if (side->promised > 0)
        take_promised(reading, side);
    else
        take_answered(reading, side);
}

struct http2_stream *
http2_take_data(struct reading *reading, bool from_client)
{
    struct http2 *http2 = http2_of(reading);
    const struct http2_side *side = &http2->side[from_client];
    struct http2_stream *stream = http2_stream_find(&http2->streams, side->frame.stream);
    if (!stream || stream->has_ended[from_client])
        return NULL;
    if (!from_client && !stream->is_answered) {
        give_up(reading, stream, STOP_LOST);
        return NULL;
    }
    reading_goes_on(reading, from_client, http2_id(http2, stream->id));
    struct message *message = &reading_flow(reading, from_client)->message;
    message->is_data = side->frame.length > http2_frame_prefix(&side->frame);
    message->content = stream->content[from_client].messages;
    if (side->frame.flags & HTTP2_END_STREAM)
        end_side(reading, stream, from_client);
    return stream;
}

/* Instead of an answer, or of its rest. That the server wants no more of what is asked is no error, RFC 9113 §8.1. */
static void
take_servers_reset(struct reading *reading, struct http2_stream *stream, uint32_t code)
{
    const uint64_t id = http2_id(http2_of(reading), stream->id);
    const char *name = http2_error_name(code);
    if (stream->has_ended[false]) {
        reading_gives_up(reading, id, STOP_CLOSED);
        return;
    }
    if (!stream->is_answered && code == HTTP2_REFUSED) {
        reading_gives_up(reading, id, STOP_REFUSED);
        return;
    }
    if (stream->is_answered) {
        reading_goes_on(reading, false, id);
        reading_says(reading, name, code != 0);
    } else {
        reading_answers_to(reading, id, name, code != 0);
    }
    reading_flow(reading, false)->message.last = LAST_OF_BOTH;
}

void
http2_take_reset(struct reading *reading, bool from_client, uint32_t code)
{
    struct http2 *http2 = http2_of(reading);
    const uint32_t id = http2->side[from_client].frame.stream;
    struct http2_stream *stream = http2_stream_find(&http2->streams, id);
    if (!stream)
        return;
    if (!from_client)
        take_servers_reset(reading, stream, code);
    else if (stream->has_ended[false])
        reading_gives_up(reading, http2_id(http2, id), STOP_CLOSED);
    else
        reading_gives_up(reading, http2_id(http2, id), STOP_CANCELLED);
    http2_stream_remove(&http2->streams, stream);
}

void
http2_take_goaway(struct reading *reading, uint32_t last_stream)
{
    struct http2 *http2 = http2_of(reading);
    http2->last_accepted = last_stream;
    for (struct http2_stream *each = http2->streams.oldest, *after; each; each = after) {
        after = each->after;
        if (each->id > last_stream && !each->is_pushed && !each->is_answered)
            give_up(reading, each, STOP_REFUSED);
    }
}
