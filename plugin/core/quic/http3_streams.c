/* http3_streams.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http3_streams.h"

static uint32_t
hash_id(const struct http3 *http3, uint64_t id)
{
    return (uint32_t)(hashed_mix(id ^ http3->by_id.key, http3->by_id.key) >> 16);
}

struct http3_stream *
http3_stream_add(struct http3 *http3, uint64_t id)
{
    struct http3_stream *stream = g_new0(struct http3_stream, 1);
    stream->id = stream->key = id;
    stream->type = HTTP3_NOT_KNOWN;
    stream->before = http3->newest;
    *(stream->before ? &stream->before->after : &http3->oldest) = stream;
    http3->newest = stream;
    hashed_add(&http3->by_id, &stream->hashed, hash_id(http3, id));
    return stream;
}

struct http3_stream *
http3_stream_find(const struct http3 *http3, uint64_t id)
{
    struct hashed *found = hashed_first(&http3->by_id, hash_id(http3, id));
    while (found && ((struct http3_stream *)found)->id != id)
        found = hashed_next(found);
    return (struct http3_stream *)found;
}

void
http3_stream_remove(struct http3 *http3, struct http3_stream *stream)
{
    *(stream->before ? &stream->before->after : &http3->oldest) = stream->after;
    *(stream->after ? &stream->after->before : &http3->newest) = stream->before;
    hashed_remove(&http3->by_id, &stream->hashed);
    for (unsigned side = QUIC_CLIENT; side <= QUIC_SERVER; side++) {
        quic_stream_clear(&stream->order[side]);
        http3_frames_clear(&stream->frames[side]);
    }
    g_free(stream);
}
