/* operation.h
 * What a request asks for, told from its first bytes: HTTP, memcached (text and binary), Redis, TLS, SSH.
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

/* Of a command of MySQL's compressed protocol, which is not read. */
#define OPERATION_MYSQL_COMPRESSED "MySQL, compressed"

/* Writes the operation, in valid UTF-8, into `text` (OPERATION_ROOM bytes) and returns its length; 0 if nothing fits.
 * Cut by the capture, or after OPERATION_LONGEST bytes, it ends in an ellipsis. */
size_t operation_read(const uint8_t *bytes, size_t captured, char *text);

/* Writes what a request line of HTTP asks for, as operation_read() does. `is_line`: the bytes are all of the line,
 * without its end; else it may be cut. */
size_t operation_read_http(const uint8_t *bytes, size_t captured, bool is_line, char *text);

/* Whether a method of HTTP that is common, and a blank, stand there. */
bool operation_is_common_http(const uint8_t *bytes, size_t captured);

/* Likewise for a command and what it is about; "" for nothing, cut if it ends in an ellipsis. */
size_t operation_of(const char *command, const char *subject, char *text);

/* Writes the kind of an operation, of a request of that framing, into `kind` (OPERATION_ROOM bytes): its beginning, and
 * of HTTP with `fold` each number that is a part of the path as {n}, so that /user/1 and /user/2 are the same. */
void operation_kind(const char *operation, enum framing_kind framing, bool fold, char *kind);

#endif
