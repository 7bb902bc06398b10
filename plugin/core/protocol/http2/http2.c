/* http2.c
 * HTTP/2: RFC 9113. Its frames, one after the other; what they mean is http2_messages.c's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2.h"

#include <string.h>

enum state { HEADER, CONTINUES, PREFIX, FRAGMENT, CONTENT, CODE };

enum { RESET_BYTES = 4, GOAWAY_BYTES = 8, CONTENT_PREFIX_BYTES = 5 };

static uint32_t
read_number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static enum verdict
ends(struct flow *flow, uint64_t skip)
{
    flow->skip += skip;
    flow->ends = true;
    return PARSER_GOES_ON;
}

static enum verdict
want(struct flow *flow, enum state state, uint32_t bytes)
{
    flow->state = (uint8_t)state;
    flow->block = bytes;
    return PARSER_GOES_ON;
}

/* Of a block, what comes next. */
static enum verdict
next_fragment(struct reading *reading, bool from_client)
{
    struct http2_side *side = &http2_of(reading)->side[from_client];
    struct flow *flow = reading_flow(reading, from_client);
    if (side->fragment > 0)
        return want(flow, FRAGMENT, MIN(side->fragment, UNIT_BYTES));
    if (side->frame.flags & HTTP2_END_HEADERS) {
        http2_take_fields(reading, from_client);
        return ends(flow, side->padding);
    }
    flow->skip += side->padding;
    return want(flow, CONTINUES, HTTP2_FRAME_BYTES);
}

static enum verdict
take_fragment(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct http2 *http2 = http2_of(reading);
    struct http2_side *side = &http2->side[from_client];
    side->fragment -= (uint32_t)length;
    http2_decoder_take(&side->decoder, &http2->memory, unit, length,
                       side->fragment == 0 && side->frame.flags & HTTP2_END_HEADERS);
    return next_fragment(reading, from_client);
}

/* Of a frame of DATA, what comes next: of gRPC the beginning of a message, else nothing. */
static enum verdict
next_content(struct reading *reading, bool from_client, struct http2_stream *stream)
{
    struct http2_side *side = &http2_of(reading)->side[from_client];
    struct flow *flow = reading_flow(reading, from_client);
    struct http2_content *content = stream ? &stream->content[from_client] : NULL;
    if (content && stream->is_grpc && !content->is_lost) {
        const uint32_t passed = MIN(content->left, side->fragment);
        content->left -= passed;
        side->fragment -= passed;
        flow->skip += passed;
        if (side->fragment > 0)
            return want(flow, CONTENT, MIN(side->fragment, CONTENT_PREFIX_BYTES - (uint32_t)content->n_prefix));
    }
    if (content && content->is_lost)
        flow->message.content = CONTENT_UNKNOWN;
    http2_settle(reading, stream);
    return ends(flow, (uint64_t)side->fragment + side->padding);
}

static enum verdict
take_content(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct http2 *http2 = http2_of(reading);
    struct http2_side *side = &http2->side[from_client];
    struct http2_stream *stream = http2_stream_find(&http2->streams, side->frame.stream);
    if (!stream)
        return ends(reading_flow(reading, from_client), (uint64_t)side->fragment + side->padding - length);
    struct http2_content *content = &stream->content[from_client];
    memcpy(content->prefix + content->n_prefix, unit, length);
    content->n_prefix = (uint8_t)(content->n_prefix + length);
    side->fragment -= (uint32_t)length;
    if (content->n_prefix == CONTENT_PREFIX_BYTES) {
        content->n_prefix = 0;
        content->left = read_number(content->prefix + 1);
        struct message *message = &reading_flow(reading, from_client)->message;
        message->content = ++content->messages;
        message->is_stream = content->messages > 1;
    }
    return next_content(reading, from_client, stream);
}

/* The frame's content begins. */
static enum verdict
begin_content(struct reading *reading, bool from_client)
{
    struct http2 *http2 = http2_of(reading);
    struct http2_side *side = &http2->side[from_client];
    const uint32_t prefix = http2_frame_prefix(&side->frame);
    if (side->frame.length < prefix + side->padding)
        return PARSER_IS_LOST;
    side->fragment = side->frame.length - prefix - side->padding;
    if (side->frame.type == HTTP2_DATA)
        return next_content(reading, from_client, http2_stream_find(&http2->streams, side->frame.stream));
    return side->fragment > 0 ? next_fragment(reading, from_client) : take_fragment(reading, from_client, NULL, 0);
}

static enum verdict
take_prefix(struct reading *reading, bool from_client, const uint8_t *unit)
{
    struct http2_side *side = &http2_of(reading)->side[from_client];
    if (side->frame.flags & HTTP2_PADDED)
        side->padding = *unit++;
    if (side->frame.type == HTTP2_PUSH_PROMISE)
        side->promised = read_number(unit) & INT32_MAX;
    return begin_content(reading, from_client);
}

static enum verdict
begin_frame(struct reading *reading, bool from_client)
{
    struct http2_side *side = &http2_of(reading)->side[from_client];
    struct flow *flow = reading_flow(reading, from_client);
    const uint32_t prefix = http2_frame_prefix(&side->frame);
    side->padding = 0;
    side->promised = 0;
    switch ((enum http2_type)side->frame.type) {
    case HTTP2_DATA:
        http2_take_data(reading, from_client);
        return prefix ? want(flow, PREFIX, prefix) : begin_content(reading, from_client);
    case HTTP2_HEADERS:
    case HTTP2_PUSH_PROMISE:
        http2_decoder_begin(&side->decoder);
        if (side->decoder.ids)
            side->decoder.ids->more = reading_id_headers(reading);
        side->ends_stream = side->frame.type == HTTP2_HEADERS && side->frame.flags & HTTP2_END_STREAM;
        return prefix ? want(flow, PREFIX, prefix) : begin_content(reading, from_client);
    case HTTP2_CONTINUATION:
        return PARSER_IS_LOST; /* of what? */
    case HTTP2_RST_STREAM:
        return want(flow, CODE, RESET_BYTES);
    case HTTP2_GOAWAY:
        return want(flow, CODE, GOAWAY_BYTES);
    default:
        return ends(flow, side->frame.length);
    }
}

static enum verdict
take_preface(struct reading *reading, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, true);
    if (length < HTTP2_PREFACE_BYTES) {
        flow->block = HTTP2_PREFACE_BYTES;
        return PARSER_WANTS_MORE;
    }
    if (memcmp(unit, http2_preface, HTTP2_PREFACE_BYTES) != 0)
        return PARSER_IS_LOST;
    if (!http2_of(reading)->from_beginning)
        http2_begin(http2_of(reading));
    return ends(flow, 0);
}

static enum verdict
take_header(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct http2 *http2 = http2_of(reading);
    struct http2_side *side = &http2->side[from_client];
    if (from_client && memcmp(unit, http2_preface, HTTP2_FRAME_BYTES) == 0)
        return take_preface(reading, unit, length);
    side->frame = http2_frame_read(unit);
    const bool is_valid = http2_frame_is_valid(&side->frame, from_client);
    /* A server that does not begin with SETTINGS (RFC 9113 §3.4) speaks something else. */
    if (!from_client && http2->from_beginning && !http2->has_greeted && !http2->side[false].lost &&
        (!is_valid || side->frame.type != HTTP2_SETTINGS))
        return PARSER_IS_OVER;
    if (!is_valid)
        return PARSER_IS_LOST;
    http2->has_greeted |= !from_client;
    if (http2->refused > 0)
        http2_take_goaway(reading, http2->last_accepted);
    http2->refused = 0;
    return begin_frame(reading, from_client);
}

static enum verdict
take_continuation(struct reading *reading, bool from_client, const uint8_t *unit)
{
    struct http2_side *side = &http2_of(reading)->side[from_client];
    const struct http2_frame frame = http2_frame_read(unit);
    if (frame.type != HTTP2_CONTINUATION || frame.stream != side->frame.stream)
        return PARSER_IS_LOST;
    side->frame.flags = frame.flags;
    side->fragment = frame.length;
    side->padding = 0;
    return side->fragment > 0 ? next_fragment(reading, from_client) : take_fragment(reading, from_client, NULL, 0);
}

static enum verdict
take_code(struct reading *reading, bool from_client, const uint8_t *unit)
{
    const struct http2_side *side = &http2_of(reading)->side[from_client];
    struct flow *flow = reading_flow(reading, from_client);
    if (side->frame.type == HTTP2_RST_STREAM) {
        http2_take_reset(reading, from_client, read_number(unit));
        return ends(flow, 0);
    }
    if (!from_client)
        http2_take_goaway(reading, read_number(unit) & INT32_MAX);
    return ends(flow, side->frame.length - GOAWAY_BYTES);
}

enum verdict
http2_take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    switch ((enum state)reading_flow(reading, from_client)->state) {
    case HEADER:
        return take_header(reading, from_client, unit, length);
    case CONTINUES:
        return take_continuation(reading, from_client, unit);
    case PREFIX:
        return take_prefix(reading, from_client, unit);
    case FRAGMENT:
        return take_fragment(reading, from_client, unit, length);
    case CONTENT:
        return take_content(reading, from_client, unit, length);
    default:
        return take_code(reading, from_client, unit);
    }
}

bool
http2_take_cut(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    enum { NO_CODE = UINT32_MAX };
    struct http2 *http2 = http2_of(reading);
    struct http2_side *side = &http2->side[from_client];
    struct flow *flow = reading_flow(reading, from_client);
    struct http2_stream *stream;
    switch ((enum state)flow->state) {
    case HEADER:
        return false;
    case CONTINUES:
        /* what is known of the block stays known */
        http2_decoder_lose(&side->decoder);
        side->decoder.fields.has_unknown = true;
        http2_take_fields(reading, from_client);
        flow->message.cut = !flow->after_gap;
        return false;
    case PREFIX:
        side->fragment = side->frame.length;
        break;
    case CODE:
        if (side->frame.type == HTTP2_RST_STREAM)
            http2_take_reset(reading, from_client, NO_CODE);
        side->fragment = side->frame.length;
        break;
    default:
        break;
    }
    const uint64_t rest = (uint64_t)side->fragment - length + side->padding;
    if (side->frame.type == HTTP2_DATA) {
        stream = http2_stream_find(&http2->streams, side->frame.stream);
        if (stream)
            stream->content[from_client].is_lost = true;
        flow->message.content = CONTENT_UNKNOWN;
        http2_settle(reading, stream);
        ends(flow, rest);
    } else if (flow->state == CODE) {
        ends(flow, rest);
    } else {
        if (flow->state == FRAGMENT)
            http2_decoder_take(&side->decoder, &http2->memory, unit, length, false);
        http2_decoder_lose(&side->decoder);
        side->decoder.fields.has_unknown = true;
        side->fragment = 0;
        side->padding = 0;
        next_fragment(reading, from_client);
        flow->skip += rest;
    }
    flow->message.cut = !flow->after_gap;
    return true;
}
