/* operation.h
 * What a request asks for, as a text: in valid UTF-8, no longer than OPERATION_LONGEST bytes but for an ellipsis where
 * it is cut. Who reads it from a request's bytes is a parser (parser.h, operation_read()).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OPERATION_H
#define LATENCY_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tcp/connection.h"

enum { OPERATION_LONGEST = 200, OPERATION_ROOM = OPERATION_LONGEST + 4 };

/* With which a client of SSH begins. */
#define OPERATION_SSH "SSH"

/* An operation that is being written into `text`, of OPERATION_ROOM bytes. What does not fit is left out and an
 * ellipsis put in its place; also with `cut`, which says that the capture does not have the rest. */
struct operation_writer {
    char *text;
    size_t length;
    bool cut;
};

/* Appends bytes, each that is no printable ASCII as a dot, or a text. */
void operation_put(struct operation_writer *writer, const uint8_t *bytes, size_t n);
void operation_put_text(struct operation_writer *writer, const char *text);

/* Ends the text, and returns its length. */
size_t operation_finish(struct operation_writer *writer);

/* Write what a record of TLS is, and that a client begins with SSH; false, and nothing is written, if these bytes are
 * not that. All else is encrypted. */
bool operation_read_tls(const uint8_t *bytes, size_t length, struct operation_writer *writer);
bool operation_read_ssh(const uint8_t *bytes, size_t length, struct operation_writer *writer);

/* Writes a command and what it is about ("" for nothing; cut if it ends in an ellipsis) into `text` (OPERATION_ROOM
 * bytes), and returns its length. */
size_t operation_of(const char *command, const char *subject, char *text);

/* Writes the kind of an operation, of a request of that protocol, into `kind` (OPERATION_ROOM bytes): its beginning,
 * and of HTTP with `fold` each number that is a part of the path as {n}, so that /user/1 and /user/2 are the same. */
void operation_kind(const char *operation, enum protocol protocol, bool fold, char *kind);

/* Writes a kind, of any length, with these numbers as {n} into `folded` (OPERATION_ROOM bytes). */
void operation_fold(const char *kind, char *folded);

#endif
