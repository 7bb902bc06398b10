/* http2-talk.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2-talk.h"

#include <string.h>

enum { TABLE = 4096, BLOCK_MOST = 1024, FIELDS_MOST = 12, PADDING = 3 };

void
talk_open(struct talk *talk)
{
    for (unsigned i = 0; i < 2; i++) {
        talk->said[i] = g_byte_array_new();
        g_assert_cmpint(nghttp2_hd_deflate_new(&talk->deflater[i], TABLE), ==, 0);
    }
}

void
talk_close(struct talk *talk)
{
    for (unsigned i = 0; i < 2; i++) {
        g_byte_array_free(talk->said[i], TRUE);
        nghttp2_hd_deflate_del(talk->deflater[i]);
    }
}

void
talk_turn(struct talk *talk)
{
    g_byte_array_set_size(talk->said[0], 0);
    g_byte_array_set_size(talk->said[1], 0);
}

void
talk_frame(struct talk *talk, bool from_client, unsigned type, unsigned flags, uint32_t stream, const char *content,
           size_t length)
{
    const uint8_t header[] = { (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length,
                               (uint8_t)type,           (uint8_t)flags,         (uint8_t)(stream >> 24),
                               (uint8_t)(stream >> 16), (uint8_t)(stream >> 8), (uint8_t)stream };
    g_byte_array_append(talk->said[from_client], header, sizeof header);
    g_byte_array_append(talk->said[from_client], (const uint8_t *)content, (unsigned)length);
}

static size_t
deflate(struct talk *talk, bool from_client, const char *fields, uint8_t *block)
{
    nghttp2_nv pairs[FIELDS_MOST];
    size_t n = 0;
    char **texts = g_strsplit(fields, ", ", -1);
    for (; texts[n]; n++) {
        char *value = strchr(texts[n], ' ');
        g_assert_true(value && n < FIELDS_MOST);
        pairs[n] = (nghttp2_nv){ .name = (uint8_t *)texts[n],
                                 .namelen = (size_t)(value - texts[n]),
                                 .value = (uint8_t *)value + 1,
                                 .valuelen = strlen(value + 1) };
    }
    ssize_t length = nghttp2_hd_deflate_hd(talk->deflater[from_client], block, BLOCK_MOST, pairs, n);
    g_assert_cmpint(length, >, 0);
    g_strfreev(texts);
    return (size_t)length;
}

void
talk_fields(struct talk *talk, bool from_client, unsigned flags, uint32_t stream, const char *fields)
{
    uint8_t block[BLOCK_MOST];
    size_t length = deflate(talk, from_client, fields, block);
    talk_frame(talk, from_client, HTTP2_HEADERS, flags | HTTP2_END_HEADERS, stream, (char *)block, length);
}

void
talk_get(struct talk *talk, uint32_t stream, const char *path)
{
    char *fields = g_strdup_printf(":method GET, :scheme http, :path %s, :authority h", path);
    talk_fields(talk, true, HTTP2_END_STREAM, stream, fields);
    g_free(fields);
}

void
talk_promise(struct talk *talk, uint32_t stream, uint32_t promised, const char *path)
{
    uint8_t content[BLOCK_MOST + 4] = { 0, 0, 0, (uint8_t)promised };
    char *fields = g_strdup_printf(":method GET, :scheme http, :path %s, :authority h", path);
    size_t length = deflate(talk, false, fields, content + 4);
    talk_frame(talk, false, HTTP2_PUSH_PROMISE, HTTP2_END_HEADERS, stream, (char *)content, length + 4);
    g_free(fields);
}

void
talk_long_fields(struct talk *talk, bool from_client, unsigned flags, uint32_t stream, const char *fields)
{
    uint8_t block[BLOCK_MOST], content[BLOCK_MOST] = { PADDING, 0, 0, 0, 0, 16 };
    size_t length = deflate(talk, from_client, fields, block), first = 6, second = length - first - 5;
    memcpy(content + 6, block, first);
    talk_frame(talk, from_client, HTTP2_HEADERS, flags | HTTP2_PADDED | HTTP2_HAS_PRIORITY, stream, (char *)content,
               6 + first + PADDING);
    talk_frame(talk, from_client, HTTP2_CONTINUATION, 0, stream, (char *)block + first, second);
    talk_frame(talk, from_client, HTTP2_CONTINUATION, HTTP2_END_HEADERS, stream, (char *)block + first + second, 5);
}

void
talk_data(struct talk *talk, bool from_client, uint32_t stream, const char *content, bool ends)
{
    talk_frame(talk, from_client, HTTP2_DATA, ends ? HTTP2_END_STREAM : 0, stream, content, strlen(content));
}

void
talk_number(struct talk *talk, bool from_client, unsigned type, uint32_t stream, uint32_t number)
{
    const char content[8] = { (char)(number >> 24), (char)(number >> 16), (char)(number >> 8), (char)number };
    talk_frame(talk, from_client, type, 0, stream, content, type == HTTP2_GOAWAY ? 8 : 4);
}

void
talk_greet(struct talk *talk)
{
    g_byte_array_append(talk->said[true], (const uint8_t *)http2_preface, HTTP2_PREFACE_BYTES);
    talk_frame(talk, true, HTTP2_SETTINGS, 0, 0, "\0\3\0\0\0\144", 6);
    talk_frame(talk, false, HTTP2_SETTINGS, 0, 0, NULL, 0);
    talk_frame(talk, false, HTTP2_SETTINGS, HTTP2_ACK, 0, NULL, 0);
}
