/* closing.h
 * Connections by how long they have been quiet. Of those that are for long nothing more is awaited: they are forgotten
 * if they have ended, so that memory is what is open, and what was to know whose late segments are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_CLOSING_H
#define SCAN_CLOSING_H

#include "core/tcp/connection.h"
#include "listeners.h"

struct closing;

struct closing *closing_new(void);
void closing_free(struct closing *closing);

/* A connection of the table has gone on; it may have replaced another one. */
void closing_note(struct closing *closing, struct connection_table *table, struct connection *connection);

/* Forgets what may be by now, having told the listeners what becomes known with that. */
void closing_forget(struct closing *closing, const struct listeners *listeners);

#endif
