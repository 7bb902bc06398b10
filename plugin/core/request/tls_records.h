/* tls_records.h
 * Where the records of TLS end in one direction of a connection: RFC 8446 §5.1, RFC 5246 §6.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_RECORDS_H
#define LATENCY_TLS_RECORDS_H

#include "../tcp/segment.h"

enum { TLS_HEADER_BYTES = 5 };

struct tls_records {
    int64_t next;   /* offset in the sender's sequence at which a record begins */
    uint32_t bytes; /* of the record before that, without its header */
    bool is_data;   /* it may be application data; */
    bool goes_on;   /* its end has not been taken */
    uint8_t held;   /* bytes of the next header */
    uint8_t header[TLS_HEADER_BYTES];
};

/* A record begins at `offset`. */
struct tls_records tls_records_begin(int64_t offset);

/* Takes a segment's payload, which lies at `start`. `ended` is told of each record that may be application data and of
 * which the last byte is there. False if no record can be followed any more: the header of one is not in the capture,
 * comes out of order, or is none. */
bool tls_records_take(struct tls_records *records, const struct segment *segment, int64_t start,
                      void (*ended)(void *data, uint32_t bytes), void *data);

/* Whether one of so many bytes may also be an alert or a new key. */
bool tls_record_is_small(uint32_t bytes);

#endif
