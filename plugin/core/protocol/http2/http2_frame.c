/* http2_frame.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2_frame.h"

#include <string.h>

#include <glib.h>

const char http2_preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum { LONGEST_UNASKED = 16384, TYPE_AT = 3 }; /* RFC 9113 §4.2, §4.1 */

struct http2_frame
http2_frame_read(const uint8_t *bytes)
{
    return (struct http2_frame){
        .length = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2],
        .type = bytes[3],
        .flags = bytes[4],
        .stream =
            ((uint32_t)bytes[5] << 24 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 8 | bytes[8]) & INT32_MAX,
    };
}

uint32_t
http2_frame_prefix(const struct http2_frame *frame)
{
    const uint32_t padding = frame->flags & HTTP2_PADDED ? 1 : 0;
    switch ((enum http2_type)frame->type) {
    case HTTP2_DATA:
        return padding;
    case HTTP2_HEADERS:
        return padding + (frame->flags & HTTP2_HAS_PRIORITY ? 5 : 0);
    case HTTP2_PUSH_PROMISE:
        return padding + 4;
    default:
        return 0;
    }
}

bool
http2_frame_is_valid(const struct http2_frame *frame, bool from_client)
{
    const uint32_t length = frame->length, stream = frame->stream;
    switch ((enum http2_type)frame->type) {
    case HTTP2_DATA:
    case HTTP2_HEADERS:
        return stream > 0 && length >= http2_frame_prefix(frame) && (!from_client || stream % 2 == 1);
    case HTTP2_PUSH_PROMISE:
        return stream > 0 && length >= http2_frame_prefix(frame) && !from_client;
    case HTTP2_CONTINUATION:
        return stream > 0;
    case HTTP2_PRIORITY:
        return stream > 0 && length == 5;
    case HTTP2_RST_STREAM:
        return stream > 0 && length == 4;
    case HTTP2_SETTINGS:
        return stream == 0 && length % 6 == 0 && (length == 0 || !(frame->flags & HTTP2_ACK));
    case HTTP2_PING:
        return stream == 0 && length == 8;
    case HTTP2_GOAWAY:
        return stream == 0 && length >= 8;
    case HTTP2_WINDOW_UPDATE:
        return length == 4;
    default:
        return length <= LONGEST_UNASKED;
    }
}

/* As one of today's programs sends it, in whose place nothing else would stand. */
static bool
is_usual(const struct http2_frame *frame, bool from_client)
{
    static const uint8_t flags[HTTP2_TYPES] = {
        [HTTP2_DATA] = HTTP2_END_STREAM | HTTP2_PADDED,
        [HTTP2_HEADERS] = HTTP2_END_STREAM | HTTP2_END_HEADERS | HTTP2_PADDED | HTTP2_HAS_PRIORITY,
        [HTTP2_SETTINGS] = HTTP2_ACK,
        [HTTP2_PUSH_PROMISE] = HTTP2_END_HEADERS | HTTP2_PADDED,
        [HTTP2_PING] = HTTP2_ACK,
        [HTTP2_CONTINUATION] = HTTP2_END_HEADERS,
    };
    return frame->type < HTTP2_TYPES && !(frame->flags & ~flags[frame->type]) && frame->length <= LONGEST_UNASKED &&
           (frame->type != HTTP2_DATA || frame->length > 0 || frame->flags & HTTP2_END_STREAM) &&
           http2_frame_is_valid(frame, from_client);
}

/* What a block of fields begins with, RFC 7541 §6 and its appendix A: a field of a request, whose names begin with a
 * colon, or a response's status; else it is not known. */
enum opening { OPENS_ANY, OPENS_REQUEST, OPENS_RESPONSE };

static enum opening
opening_of(const uint8_t *block, const uint8_t *end)
{
    enum { PATH = 1, SCHEME_HTTPS = 7, STATUS = 8, STATUS_LAST = 14, ADDED_FIRST = 62, INDEXED = 0x80, ADDING = 0x40 };
    /* fields of one byte that were added before */
    while (block < end && *block >= (INDEXED | ADDED_FIRST) && *block < 0xff)
        block++;
    if (block >= end || (*block & 0xe0) == 0x20)
        return OPENS_ANY;
    const unsigned first = *block;
    const unsigned index = first & INDEXED ? first & 0x7fU : first & ADDING ? first & 0x3fU : first & 0xfU;
    if (index >= PATH && index <= SCHEME_HTTPS)
        return OPENS_REQUEST;
    return index >= STATUS && index <= STATUS_LAST ? OPENS_RESPONSE : OPENS_ANY;
}

/* The content of a frame of few bytes says more: the reserved bit, an increment, an error, what fields come first. */
static bool
suits_content(const struct http2_frame *frame, const uint8_t *bytes, size_t length, bool from_client)
{
    const uint8_t *content = bytes + HTTP2_FRAME_BYTES;
    const uint32_t prefix = http2_frame_prefix(frame);
    if (bytes[5] & 0x80)
        return false;
    if (length < HTTP2_FRAME_BYTES + MIN(prefix + 4, frame->length))
        return true;
    switch ((enum http2_type)frame->type) {
    case HTTP2_WINDOW_UPDATE:
        return !(content[0] & 0x80) && (content[0] || content[1] || content[2] || content[3]);
    case HTTP2_RST_STREAM:
        return content[0] == 0 && content[1] == 0 && content[2] == 0 && content[3] <= 0xd;
    case HTTP2_SETTINGS:
        return frame->length == 0 || content[0] == 0;
    case HTTP2_GOAWAY:
        return !(content[0] & 0x80);
    case HTTP2_HEADERS:
        return frame->length > prefix &&
               opening_of(content + prefix, bytes + length) != (from_client ? OPENS_RESPONSE : OPENS_REQUEST);
    default:
        return true;
    }
}

/* A block that goes on does so in the next frame, and nothing else does, RFC 9113 §6.10. Of what has been cut off
 * nobody knows, but the first frame is told by it. */
static bool
suits_next(const struct http2_frame *frame, bool is_first, const uint8_t *next, const uint8_t *end)
{
    const bool has_block =
        frame->type == HTTP2_HEADERS || frame->type == HTTP2_PUSH_PROMISE || frame->type == HTTP2_CONTINUATION;
    const bool goes_on = has_block && !(frame->flags & HTTP2_END_HEADERS);
    if (end - next < HTTP2_FRAME_BYTES)
        return !goes_on || !is_first;
    const struct http2_frame after = http2_frame_read(next);
    return goes_on == (after.type == HTTP2_CONTINUATION) && (!goes_on || after.stream == frame->stream);
}

bool
http2_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client, bool is_head)
{
    for (size_t at = 0; at < length;) {
        const size_t left = length - at;
        if (left < HTTP2_FRAME_BYTES)
            return at > 0 && (left <= TYPE_AT || bytes[at + TYPE_AT] < HTTP2_TYPES);
        const struct http2_frame frame = http2_frame_read(bytes + at);
        if (!is_usual(&frame, from_client) || (at == 0 && frame.type == HTTP2_CONTINUATION) ||
            !suits_content(&frame, bytes + at, left, from_client) ||
            (at == 0 && ((is_head && frame.type == HTTP2_DATA) || whole < HTTP2_FRAME_BYTES + frame.length)) ||
            !suits_next(&frame, at == 0, bytes + MIN(at + HTTP2_FRAME_BYTES + frame.length, length), bytes + length))
            return false;
        at += HTTP2_FRAME_BYTES + frame.length;
    }
    return length > 0;
}

bool
http2_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    if (length >= HTTP2_PREFACE_BYTES && memcmp(bytes, http2_preface, HTTP2_PREFACE_BYTES) == 0)
        return *from_client = true;
    if (length < HTTP2_FRAME_BYTES)
        return false;
    const struct http2_frame frame = http2_frame_read(bytes);
    const size_t at = HTTP2_FRAME_BYTES + http2_frame_prefix(&frame);
    if (frame.type != HTTP2_HEADERS || at >= length)
        return false;
    const enum opening opening = opening_of(bytes + at, bytes + MIN(length, HTTP2_FRAME_BYTES + frame.length));
    *from_client = opening == OPENS_REQUEST;
    return opening != OPENS_ANY && http2_resumes(bytes, length, whole, *from_client, true);
}

const char *
http2_error_name(uint32_t code)
{
    static const char *const names[] = {
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    };
    return code < G_N_ELEMENTS(names) ? names[code] : "error";
}
