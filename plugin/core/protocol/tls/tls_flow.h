/* tls_flow.h
 * The records of one side while a handshake lasts: where they begin and end, and what of it is kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_FLOW_H
#define LATENCY_TLS_FLOW_H

#include "../../request/tls_records.h"
#include "../../tcp/payload.h"

/* RFC 8446 §5.1 */
enum {
    TLS_CHANGE_CIPHER_SPEC = 20,
    TLS_ALERT_RECORD = 21,
    TLS_HANDSHAKE_RECORD = 22,
    TLS_APPLICATION_DATA = 23,
    TLS_HEARTBEAT = 24
};

/* §6: level and description */
enum { TLS_ALERT_BYTES = 2 };

struct tls_flow {
    int64_t next;   /* offset of the next byte, if it is_known */
    uint32_t left;  /* bytes of the record under way */
    uint32_t bytes; /* its length */
    uint8_t header[TLS_HEADER_BYTES];
    uint8_t held; /* bytes of it */
    uint8_t alert[TLS_ALERT_BYTES];
    uint8_t n_alert;
    bool is_known;
    bool is_lost;     /* where the next record begins */
    bool wants_hello; /* that has not been read to its end */
    bool has_begun;   /* the hello */
    bool has_changed; /* it encrypts, up to TLS 1.2 */
    bool has_finished;
    uint8_t *hello; /* as much of it as is there; NULL for nothing */
    uint32_t n_hello;
};

/* Finds the place in a piece at which it goes on, `at`: behind what has been read, or behind what is missing, if that
 * is a record's and nothing that is to be kept. True if a record ends with what is missing. */
bool tls_flow_find(struct tls_flow *flow, const struct piece *piece, uint32_t *at);

/* Takes the byte `at` of a record's header. */
void tls_flow_take_header(struct tls_flow *flow, const struct segment *segment, uint32_t *at);

#endif
