/* http2_streams.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2_streams.h"

static uint32_t
hash_of(const struct http2_streams *streams, uint32_t id)
{
    const uint64_t secret = streams->by_id.key;
    return (uint32_t)hashed_mix(id ^ secret, secret << 1 | 1);
}

struct http2_stream *
http2_stream_find(const struct http2_streams *streams, uint32_t id)
{
    if (streams->by_id.count == 0)
        return NULL;
    struct http2_stream *stream = (struct http2_stream *)hashed_first(&streams->by_id, hash_of(streams, id));
    while (stream && stream->id != id)
        stream = (struct http2_stream *)hashed_next(&stream->hashed);
    return stream;
}

struct http2_stream *
http2_stream_add(struct http2_streams *streams, uint32_t id)
{
    if (!streams->by_id.chains)
        hashed_init(&streams->by_id, streams->scope);
    struct http2_stream *stream = wmem_new0(streams->scope, struct http2_stream);
    stream->id = id;
    stream->before = streams->newest;
    *(streams->newest ? &streams->newest->after : &streams->oldest) = stream;
    streams->newest = stream;
    hashed_add(&streams->by_id, &stream->hashed, hash_of(streams, id));
    return stream;
}

void
http2_stream_remove(struct http2_streams *streams, struct http2_stream *stream)
{
    hashed_remove(&streams->by_id, &stream->hashed);
    *(stream->before ? &stream->before->after : &streams->oldest) = stream->after;
    *(stream->after ? &stream->after->before : &streams->newest) = stream->before;
    wmem_free(streams->scope, stream);
}

void
http2_streams_clear(struct http2_streams *streams)
{
    while (streams->oldest)
        http2_stream_remove(streams, streams->oldest);
    hashed_clear(&streams->by_id);
}
