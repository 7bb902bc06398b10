/* parsers.h
 * The parsers of protocols.h, in its order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PARSERS_H
#define LATENCY_PARSERS_H

#include "parser.h"

#define PARSER_ONE(name) +1
enum { PARSERS = 0 PROTOCOLS(NO_PROTOCOL, PARSER_ONE) };
#undef PARSER_ONE

extern const struct parser *const parsers[PARSERS];

/* Writes what a request with these first bytes asks for into `text` (OPERATION_ROOM bytes), whichever protocol it is
 * of, and returns its length; 0 if nobody knows. */
size_t operation_read(const uint8_t *bytes, size_t captured, char *text);

#endif
