/* tls_records.h
 * Where the records of TLS end in one direction of a connection: RFC 8446 §5.1, RFC 5246 §6.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_RECORDS_H
#define LATENCY_TLS_RECORDS_H

#include "../tcp/segment.h"

enum { TLS_HEADER_BYTES = 5 };

/* How many records can be application data: the small ones may also be an alert or a new key. */
struct record_count {
    unsigned least, most;
};

struct tls_records {
    int64_t next;               /* offset in the sender's sequence at which a record begins */
    struct record_count begun;  /* not yet told by tls_records_complete() */
    struct record_count latest; /* of them, the one before `next` */
    uint8_t held;               /* bytes of the next header */
    uint8_t header[TLS_HEADER_BYTES];
};

/* A record begins at `offset`. */
struct tls_records tls_records_begin(int64_t offset);

/* Takes a segment's payload, which lies at `start`. False if no record can be followed any more: the header of one is
 * not in the capture, comes out of order, or is none. */
bool tls_records_take(struct tls_records *records, const struct segment *segment, int64_t start);

/* Those of which the last byte has come by now, when all before `end` is there; each is told once. */
struct record_count tls_records_complete(struct tls_records *records, int64_t end);

#endif
