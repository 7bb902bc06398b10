/* http3_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http3_fields.h"

#include "../protocol/http/http_ids.h"

/* Streams that may be blocked: who sends the fields keeps to what the receiver allows. */
enum { BLOCKED_MOST = 65535 };

static void
close_decoder(struct http3_decoder *decoder)
{
    if (decoder->decoder)
        nghttp3_qpack_decoder_del(decoder->decoder);
    decoder->decoder = NULL;
}

/* The size must be the receiver's own, for the numbers of a block's references are counted modulo twice as many fields
 * as it has room for (RFC 9204 §4.5.1.1). */
static bool
open_decoder(struct http3_decoder *decoder)
{
    const size_t bytes = (size_t)MIN(decoder->table_bytes, HTTP3_TABLE_MOST);
    if (!decoder->decoder &&
        nghttp3_qpack_decoder_new(&decoder->decoder, bytes, BLOCKED_MOST, nghttp3_mem_default()) != 0)
        decoder->decoder = NULL;
    return decoder->decoder;
}

static bool
insert(struct http3_decoder *decoder, const uint8_t *bytes, size_t length)
{
    if (decoder->is_broken || length == 0)
        return false;
    if (!open_decoder(decoder) || nghttp3_qpack_decoder_read_encoder(decoder->decoder, bytes, length) < 0) {
        http3_decoder_lose(decoder);
        return true;
    }
    return true;
}

void
http3_decoder_set(struct http3_decoder *decoder, uint64_t table_bytes)
{
    if (decoder->has_settings)
        return;
    decoder->has_settings = true;
    decoder->table_bytes = table_bytes;
    decoder->is_broken |= table_bytes > HTTP3_TABLE_MOST;
    close_decoder(decoder);
    if (decoder->early)
        insert(decoder, decoder->early->data, decoder->early->len);
    if (decoder->early)
        g_byte_array_free(decoder->early, TRUE);
    decoder->early = NULL;
}

bool
http3_decoder_insert(struct http3_decoder *decoder, const uint8_t *bytes, size_t length)
{
    if (decoder->has_settings || decoder->is_broken)
        return insert(decoder, bytes, length);
    if (!decoder->early)
        decoder->early = g_byte_array_new();
    if (decoder->early->len + length > HTTP3_ENCODER_MOST) {
        http3_decoder_lose(decoder);
        return true;
    }
    g_byte_array_append(decoder->early, bytes, (unsigned)length);
    return false;
}

void
http3_decoder_lose(struct http3_decoder *decoder)
{
    close_decoder(decoder);
    decoder->is_broken = true;
}

void
http3_decoder_free(struct http3_decoder *decoder)
{
    close_decoder(decoder);
    if (decoder->early)
        g_byte_array_free(decoder->early, TRUE);
    decoder->early = NULL;
}

static void
take_field(const nghttp3_qpack_nv *field, struct http2_fields *fields, struct http2_ids *ids)
{
    const nghttp3_vec name = nghttp3_rcbuf_get_buf(field->name), value = nghttp3_rcbuf_get_buf(field->value);
    http2_fields_take(fields, &(struct http_field){ name.base, name.len, value.base, value.len });
    if (ids)
        http_find_ids(name.base, name.len, value.base, value.len, ids->more, &ids->found);
    nghttp3_rcbuf_decref(field->name);
    nghttp3_rcbuf_decref(field->value);
}

static enum http3_read
read_fields(struct http3_decoder *decoder, nghttp3_qpack_stream_context *context, const uint8_t *block, size_t length,
            struct http2_fields *fields, struct http2_ids *ids)
{
    for (size_t at = 0;;) {
        nghttp3_qpack_nv field;
        uint8_t flags = 0;
        const nghttp3_ssize taken =
            nghttp3_qpack_decoder_read_request(decoder->decoder, context, &field, &flags, block + at, length - at, 1);
        if (taken < 0)
            return HTTP3_UNKNOWN;
        at += (size_t)taken;
        if (flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT)
            take_field(&field, fields, ids);
        if (flags & NGHTTP3_QPACK_DECODE_FLAG_BLOCKED)
            return HTTP3_BLOCKED;
        if (flags & NGHTTP3_QPACK_DECODE_FLAG_FINAL)
            return HTTP3_READ;
        if (!(flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT) && taken == 0)
            return HTTP3_UNKNOWN;
    }
}

/* Drops what the decoder would acknowledge to who sends the fields: it refuses to go on with too much of that. */
static void
drop_acknowledgements(nghttp3_qpack_decoder *decoder)
{
    const size_t bytes = nghttp3_qpack_decoder_get_decoder_streamlen(decoder);
    if (bytes == 0)
        return;
    uint8_t *room = g_malloc(bytes);
    nghttp3_buf said = { room, room + bytes, room, room };
    nghttp3_qpack_decoder_write_decoder(decoder, &said);
    g_free(room);
}

enum http3_read
http3_decoder_read(struct http3_decoder *decoder, int64_t stream, const uint8_t *block, size_t length,
                   struct http2_fields *fields, struct http2_ids *ids)
{
    nghttp3_qpack_stream_context *context;
    *fields = (struct http2_fields){ .grpc_status = -1 };
    if (ids)
        ids->found = (struct found_ids){ 0 };
    /* A block begins with how many insertions it needs, 0 for none: RFC 9204 §4.5.1. */
    const bool refers = length > 0 && block[0] != 0;
    enum http3_read read = HTTP3_UNKNOWN;
    if (refers && !decoder->is_broken && !decoder->has_settings)
        return HTTP3_BLOCKED;
    if (length > 0 && !(refers && decoder->is_broken) && open_decoder(decoder) &&
        nghttp3_qpack_stream_context_new(&context, stream, nghttp3_mem_default()) == 0) {
        read = read_fields(decoder, context, block, length, fields, ids);
        nghttp3_qpack_stream_context_del(context);
        /* After a block that makes no sense it reads none. */
        if (read == HTTP3_UNKNOWN)
            http3_decoder_lose(decoder);
        else
            drop_acknowledgements(decoder->decoder);
    }
    fields->has_unknown = read == HTTP3_UNKNOWN;
    return read;
}
