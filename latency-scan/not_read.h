/* not_read.h
 * What latency-scan does not understand: it is counted, and said below the titles of tables.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_NOT_READ_H
#define SCAN_NOT_READ_H

#include <glib.h>

#include "core/tcp/connection.h"
#include "decap.h"

struct not_read;

struct not_read *not_read_new(void);
void not_read_free(struct not_read *not_read);

/* A frame that decap did not understand; `encapsulation` one of wiretap's. */
void not_read_note(struct not_read *not_read, enum decap_reason reason, int encapsulation);

/* A connection that has gone on: that it is TLS, or QUIC, which only Wireshark decrypts. */
void not_read_note_connection(struct not_read *not_read, const struct connection *connection);

/* Takes what another one has, of other connections. */
void not_read_join(struct not_read *not_read, const struct not_read *other);

/* Lines, if there is something to say. */
void not_read_write(const struct not_read *not_read, GString *text);

#endif
