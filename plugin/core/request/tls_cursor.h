/* tls_cursor.h
 * A cursor over the records of TLS in one direction of a connection: RFC 8446 §5.1, RFC 5246 §6.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_CURSOR_H
#define LATENCY_TLS_CURSOR_H

#include <stddef.h>

#include "../tcp/segment.h"

enum { TLS_HEADER_BYTES = 5 };

/* Types of records. */
enum {
    TLS_CHANGE_CIPHER_SPEC = 20,
    TLS_ALERT_RECORD = 21,
    TLS_HANDSHAKE_RECORD = 22,
    TLS_APPLICATION_DATA = 23,
    TLS_HEARTBEAT = 24
};

/* All zero, it begins with the first piece. */
struct tls_cursor {
    int64_t next;     /* offset in the sender's sequence of the next byte */
    uint32_t bytes;   /* of the last record whose header is there, without that */
    uint32_t left;    /* of these: to come */
    uint8_t type;     /* of that record */
    uint8_t n_header; /* bytes of the next header */
    uint8_t header[TLS_HEADER_BYTES];
    bool is_begun;
    bool has_record; /* a header has been taken */
    /* The last record is a ClientHello in SSLv2's format: the header has its length, its type and its version. */
    bool is_sslv2;
    bool is_lost; /* no record can be followed any more: a header is not in the capture, out of order, or none */
};

/* What a piece has of a record behind its header. */
struct tls_part {
    uint32_t at;       /* its offset in the piece */
    uint32_t bytes;    /* may be 0 */
    uint32_t captured; /* of these */
    uint32_t missing;  /* bytes of the record before the piece that nobody has */
    bool begins;       /* the record's header ends in the piece */
    bool ends;         /* the record has no more */
};

/* A ClientHello in SSLv2's format begins with so many bytes that say what it is. */
enum { TLS_SSLV2_BYTES = 11 };

/* Returns whether it may begin with these bytes, as far as they go: RFC 5246 §E.2. */
bool tls_may_be_sslv2(const uint8_t *bytes, size_t n);

/* A record begins at `offset`. */
struct tls_cursor tls_cursor_begin(int64_t offset);

/* Finds the next part of a record, cursor->type and cursor->bytes, in a segment's payload, which lies at `start`: call
 * it until it returns false, when the payload has no more, or the cursor is lost. What has been taken before is passed
 * over. */
bool tls_cursor_next(struct tls_cursor *cursor, const struct segment *segment, int64_t start, struct tls_part *part);

#endif
