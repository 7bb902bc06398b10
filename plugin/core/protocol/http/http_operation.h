/* http_operation.h
 * What a request line of HTTP/1 asks for: RFC 9112 §3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP_OPERATION_H
#define LATENCY_HTTP_OPERATION_H

#include "../../request/operation.h"

/* See struct parser. */
bool http_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer);

/* Writes what a request line asks for into `text` (OPERATION_ROOM bytes), and returns its length; 0 if it is none.
 * `is_line`: the bytes are all of the line, without its end; else it may be cut. */
size_t http_read_operation(const uint8_t *bytes, size_t length, bool is_line, char *text);

/* Returns whether a common method of HTTP, and a blank, stand there. */
bool http_has_common_method(const uint8_t *bytes, size_t length);

#endif
