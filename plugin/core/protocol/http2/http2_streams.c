/* http2_streams.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2_streams.h"

enum { HASHES_LEAST = 16 };

static struct http2_stream **
place_of(const struct http2_streams *streams, uint32_t id)
{
    return &streams->by_hash[wmem_strong_hash((const uint8_t *)&id, sizeof id) & (streams->hashes - 1)];
}

struct http2_stream *
http2_stream_find(const struct http2_streams *streams, uint32_t id)
{
    struct http2_stream *stream = streams->count > 0 ? *place_of(streams, id) : NULL;
    while (stream && stream->id != id)
        stream = stream->next;
    return stream;
}

static void
insert(const struct http2_streams *streams, struct http2_stream *stream)
{
    struct http2_stream **place = place_of(streams, stream->id);
    stream->next = *place;
    *place = stream;
}

static void
grow(struct http2_streams *streams)
{
    if (streams->count < streams->hashes)
        return;
    wmem_free(streams->scope, streams->by_hash);
    streams->hashes = MAX(streams->hashes * 2, HASHES_LEAST);
    streams->by_hash = wmem_alloc0(streams->scope, streams->hashes * sizeof(struct http2_stream *));
    for (struct http2_stream *each = streams->oldest; each; each = each->after)
        insert(streams, each);
}

struct http2_stream *
http2_stream_add(struct http2_streams *streams, uint32_t id)
{
    grow(streams);
    struct http2_stream *stream = wmem_new0(streams->scope, struct http2_stream);
    stream->id = id;
    stream->before = streams->newest;
    *(streams->newest ? &streams->newest->after : &streams->oldest) = stream;
    streams->newest = stream;
    streams->count++;
    insert(streams, stream);
    return stream;
}

void
http2_stream_remove(struct http2_streams *streams, struct http2_stream *stream)
{
    struct http2_stream **place = place_of(streams, stream->id);
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    *(stream->before ? &stream->before->after : &streams->oldest) = stream->after;
    *(stream->after ? &stream->after->before : &streams->newest) = stream->before;
    streams->count--;
    wmem_free(streams->scope, stream);
}

void
http2_streams_clear(struct http2_streams *streams)
{
    while (streams->oldest)
        http2_stream_remove(streams, streams->oldest);
    wmem_free(streams->scope, streams->by_hash);
    streams->by_hash = NULL;
    streams->hashes = 0;
}
