/* lines.h
 * A file of JSON lines, one object after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINES_H
#define LATENCY_LINES_H

#include <glib.h>

#include "record.h"

struct lines;

/* NULL and a sentence in `error` if it cannot be read. */
struct lines *lines_open(const char *path, GError **error);
void lines_close(struct lines *lines);

/* The next object but the last, valid until the next call. False at the end, with a sentence in `error` if there is
 * none, or if the last line, which says what lines there are, does not agree. */
bool lines_next(struct lines *lines, struct record *record, GError **error);

/* A sentence on the line last read: where it is, and `what` is wrong with it. */
void lines_complain(const struct lines *lines, GError **error, const char *what, ...) G_GNUC_PRINTF(3, 4);

/* Sets `error` to a sentence about the line's first member that is wrong or missing. */
void lines_complain_of_member(const struct lines *lines, GError **error, struct record *record);

/* Takes an object; false if a member that is wanted of it is missing or wrong (`record->wrong`). */
typedef bool lines_take(void *data, struct record *record);

/* Gives a file's objects but the last to `take`, in their order. False, with a sentence in `error`, if the file cannot
 * be read to its end, or `take` returned false, and no more are given then. */
bool lines_read(const char *path, lines_take *take, void *data, GError **error);

#endif
