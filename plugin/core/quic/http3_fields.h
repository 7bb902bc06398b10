/* http3_fields.h
 * Blocks of HTTP/3's fields, compressed by QPACK (RFC 9204) and read by libnghttp3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP3_FIELDS_H
#define LATENCY_HTTP3_FIELDS_H

#include <nghttp3/nghttp3.h>

#include "../protocol/http2/http2_fields.h"

/* The largest table that is followed, and how much of its encoder's stream is kept until its size is known. */
enum { HTTP3_TABLE_MOST = 65536, HTTP3_ENCODER_MOST = 65536 };

/* Holds what one side's fields are read with; zeroed at first. */
struct http3_decoder {
    nghttp3_qpack_decoder *decoder; /* NULL before it is needed */
    GByteArray *early;              /* of the encoder's stream, before the table's size is known; NULL: nothing */
    uint64_t table_bytes;           /* that the receiver allows, by its SETTINGS */
    bool has_settings;              /* they are known */
    bool is_broken;                 /* the table is not known any more: bytes of its stream are missing */
};

enum http3_read {
    HTTP3_READ,
    HTTP3_BLOCKED, /* it refers to what the encoder's stream has not said yet */
    HTTP3_UNKNOWN  /* to what will never be known; or it is none. What could be read has been noted */
};

/* The receiver of these fields allows so large a table (RFC 9204 §5). */
void http3_decoder_set(struct http3_decoder *decoder, uint64_t table_bytes);

/* Takes bytes of the encoder's stream. Returns whether blocks that were blocked may be read now. */
bool http3_decoder_insert(struct http3_decoder *decoder, const uint8_t *bytes, size_t length);

/* Bytes of the encoder's stream are missing: what refers to the table will not be known. */
void http3_decoder_lose(struct http3_decoder *decoder);

/* Reads a block of a stream. `ids`: NULL if nobody looks for them. */
enum http3_read http3_decoder_read(struct http3_decoder *decoder, int64_t stream, const uint8_t *block, size_t length,
                                   struct http2_fields *fields, struct http2_ids *ids);

void http3_decoder_free(struct http3_decoder *decoder);

#endif
