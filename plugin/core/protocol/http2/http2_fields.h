/* http2_fields.h
 * What a block of HTTP/2's fields says, compressed by HPACK (RFC 7541) and read by libnghttp2.
 *
 * The compression remembers fields of earlier blocks in a table. Where the capture lacks some of them, a table of
 * placeholders takes their place: what refers to one is not known, all else is, and what is added later is known again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP2_FIELDS_H
#define LATENCY_HTTP2_FIELDS_H

#include <nghttp2/nghttp2.h>
#include <wsutil/wmem/wmem.h>

#include "../../request/id_texts.h"
#include "../../request/operation.h"

/* The largest table that is followed: a larger one is not known. */
enum { HTTP2_TABLE_BYTES = 65536 };

enum { HTTP2_STATUS_BYTES = 3, HTTP2_METHOD_ROOM = 24 };

/* Of a block. Texts are "" where they are not known, or not there. */
struct http2_fields {
    char method[HTTP2_METHOD_ROOM];
    char path[OPERATION_ROOM]; /* of a longer one more than an operation has room for */
    char authority[OPERATION_ROOM];
    char status[HTTP2_STATUS_BYTES + 1];
    int grpc_status; /* -1: not there */
    bool is_grpc, has_content_type;
    bool is_stream;       /* by the content's type; see http_waiting.h, as for the next */
    unsigned preferences; /* of what asks */
    bool has_unknown;     /* it refers to what is not known, or cannot be read */
};

/* A field of a block, borrowed. */
struct http_field {
    const uint8_t *name;
    size_t name_length;
    const uint8_t *value;
    size_t value_length;
};

/* Notes what a field says. */
void http2_fields_take(struct http2_fields *fields, const struct http_field *field);

/* The ids that are in the block being read (http_ids.h). */
struct http2_ids {
    const char *more; /* names of further fields, by commas */
    struct found_ids found;
};

/* One direction's. */
struct http2_decoder {
    nghttp2_hd_inflater *inflater; /* NULL before the first block, and after one that cannot be read */
    bool is_unknown;               /* earlier blocks are missing */
    struct http2_fields fields;    /* of the block being read */
    struct http2_ids *ids;         /* NULL: nobody looks for them */
};

/* Reads the next bytes of a block; `ends`: the last. `memory`: the same for all of the decoder's life. */
void http2_decoder_begin(struct http2_decoder *decoder);
void http2_decoder_take(struct http2_decoder *decoder, nghttp2_mem *memory, const uint8_t *bytes, size_t length,
                        bool ends);

/* Blocks may be missing from here on. */
void http2_decoder_lose(struct http2_decoder *decoder);

void http2_decoder_free(struct http2_decoder *decoder);

/* nghttp2's memory in a scope. */
nghttp2_mem http2_memory(wmem_allocator_t *scope);

/* Whether a request may be gRPC, and what would say it is not known. */
bool http2_may_be_grpc(const struct http2_fields *fields);

/* What the fields of a request ask for, into `text` (OPERATION_ROOM bytes); "" if they do not say it. */
void http2_operation(const struct http2_fields *fields, bool pushed, char *text);

/* gRPC's status by its name. */
const char *http2_grpc_status_name(int status);

#endif
