/* closing.h
 * Connections that have ended, until nothing more of them is awaited: then they are forgotten, so that memory is what
 * is open.
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
void closing_note(struct closing *closing, struct connection *connection, int64_t now_ns);

/* One of which nothing more is awaited by now, and which is noted no longer; NULL if there is none. */
struct connection *closing_next(struct closing *closing, int64_t now_ns);

#endif
