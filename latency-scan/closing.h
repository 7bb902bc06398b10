/* closing.h
 * Connections by how long they have been quiet. Of those that are for long nothing more is awaited: they are forgotten
 * if they have ended, so that memory is what is open, and what was to know whose late segments are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_CLOSING_H
#define SCAN_CLOSING_H

#include "core/tcp/connection.h"

struct closing;

struct closing *closing_new(void);
void closing_free(struct closing *closing);

/* A connection has gone on. */
void closing_note(struct closing *closing, struct connection *connection);

/* One that is quiet, and noted no longer until it goes on; NULL if there is none. */
struct connection *closing_next(struct closing *closing, int64_t now_ns);

#endif
