/* tls_reading.h
 * A connection's records while its handshake lasts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_READING_H
#define LATENCY_TLS_READING_H

#include <wsutil/wmem/wmem.h>

#include "../../tcp/payload.h"
#include "tls_handshake.h"

/* A longer hello is read up to here. Only what a segment has cut is kept. */
enum { TLS_HELLO_BYTES = 8192 };

struct tls_reading;

/* Told in the order in which the stream says it; `text` is borrowed. */
typedef void (*tls_tell)(void *data, enum tls_step step, const char *text);

/* A client's piece may begin with a ClientHello: as far as it goes. */
bool tls_reading_may_begin(const struct piece *piece);

struct tls_reading *tls_reading_new(wmem_allocator_t *scope);
void tls_reading_free(struct tls_reading *reading);

enum tls_progress {
    TLS_GOES_ON,
    TLS_IS_OVER, /* nothing more will be told */
    TLS_IS_NONE  /* what looked like a ClientHello is none; nothing has been told */
};

/* `acknowledges`: offset in the other side's sequence up to which the piece's sender has it. */
enum tls_progress tls_reading_take(struct tls_reading *reading, const struct piece *piece, bool from_client,
                                   int64_t acknowledges, tls_tell tell, void *data);

#endif
