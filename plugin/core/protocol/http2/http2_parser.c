/* http2_parser.c
 * The parser of HTTP/2: what it keeps of a connection, and how its bytes are recognised.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2.h"

#include <string.h>

static void
lose_place(struct reading *reading, bool from_client)
{
    struct http2 *http2 = http2_of(reading);
    http2_decoder_lose(&http2->side[from_client].decoder);
    http2->side[from_client].lost = true;
    for (struct http2_stream *each = http2->streams.oldest; each; each = each->after)
        each->content[from_client].is_lost = true;
}

static void
forget(struct reading *reading)
{
    struct http2 *http2 = http2_of(reading);
    http2_decoder_free(&http2->side[false].decoder);
    http2_decoder_free(&http2->side[true].decoder);
    http2_streams_clear(&http2->streams);
    wmem_free(http2->streams.scope, http2->side[true].decoder.ids);
    wmem_free(http2->streams.scope, http2);
}

/* RFC 7540 §3.2: the request is stream 1, and its client says nothing more of it. */
static void
begin_upgraded(struct reading *reading, uint64_t id)
{
    struct http2 *http2 = http2_of(reading);
    http2_begin(http2);
    http2->is_upgraded = true;
    http2->first_id = id;
    http2_stream_add(&http2->streams, 1)->has_ended[true] = true;
}

static bool
recognise_cut(const uint8_t *bytes, size_t length, uint64_t whole)
{
    if (length >= HTTP2_PREFACE_BYTES && memcmp(bytes, http2_preface, HTTP2_PREFACE_BYTES) == 0)
        return true;
    return http2_resumes(bytes, length, whole, true, true);
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    return recognise_cut(bytes, length, length);
}

static bool
may_begin(const uint8_t *bytes, size_t length)
{
    return length < HTTP2_PREFACE_BYTES && memcmp(bytes, http2_preface, length) == 0;
}

/* Of fewer bytes than a header nothing can be said: there are types beyond RFC 9113's. */
static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    if (length < HTTP2_FRAME_BYTES)
        return true;
    const struct http2_frame frame = http2_frame_read(bytes);
    return http2_frame_is_valid(&frame, false);
}

/* RFC 9113 §3.4: in TLS it need not wait for the client's preface. */
static bool
recognise_greeting(const uint8_t *bytes, size_t length)
{
    return http2_resumes(bytes, length, length, false, true) && http2_frame_read(bytes).type == HTTP2_SETTINGS;
}

static bool
greeting_ends(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at + HTTP2_FRAME_BYTES <= length)
        at += HTTP2_FRAME_BYTES + http2_frame_read(bytes + at).length;
    return at == length;
}

static bool
resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client)
{
    return http2_resumes(bytes, length, whole, from_client, false);
}

const struct parser parser_http2 = { .protocol = PROTOCOL_HTTP2,
                                     .block = HTTP2_FRAME_BYTES,
                                     .has_ids = true,
                                     .interleaves = true,
                                     .recognise = recognise,
                                     .recognise_cut = recognise_cut,
                                     .recognise_answer = recognise_answer,
                                     .may_begin = may_begin,
                                     .recognise_greeting = recognise_greeting,
                                     .greeting_ends = greeting_ends,
                                     .tells_client = http2_tells_client,
                                     .resumes = resumes,
                                     .take = http2_take,
                                     .take_cut = http2_take_cut,
                                     .lose_place = lose_place,
                                     .forget = forget,
                                     .begin_upgraded = begin_upgraded,
                                     .least = HTTP2_FRAME_BYTES };
