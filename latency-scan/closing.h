/* closing.h
 * Forgets connections of which nothing more is awaited, so that memory is what is open, and what was to know whose late
 * segments are: those that were over (connection.h), and conversations of UDP that have been quiet for as long.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_CLOSING_H
#define SCAN_CLOSING_H

#include "core/tcp/lingering.h"
#include "listeners.h"

struct closing;

/* Of more than `conversations_most` conversations the one that has been quiet longest is forgotten in any case. */
struct closing *closing_new(uint32_t conversations_most);
void closing_free(struct closing *closing);

/* Before the segment is taken: tells the listeners what the ends of connections that are over make known. */
void closing_tell_ends(struct closing *closing, const struct segment *segment, const struct listeners *listeners);

/* A conversation of UDP has gone on. */
void closing_note(struct closing *closing, struct connection *conversation);

/* Once the listeners have been told of a frame: forgets what may be by now. */
void closing_forget(struct closing *closing, const struct listeners *listeners);

#endif
