/* http_ids.h
 * The ids that the fields of a request of HTTP carry, of whichever version, and gRPC's metadata; and the client for
 * which a proxy asks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP_IDS_H
#define LATENCY_HTTP_IDS_H

#include "../../request/id_texts.h"

/* Adds the ids that a field has. `more`: names of further fields whose values are ids, by commas (the preference
 * latency.id_headers). */
void http_find_ids(const uint8_t *name, size_t name_length, const uint8_t *value, size_t length, const char *more,
                   struct found_ids *found);

/* Adds the ids that a line of HTTP/1 has, which is a field's name, a colon and its value. */
void http_find_ids_in_line(const uint8_t *line, size_t length, const char *more, struct found_ids *found);

/* Returns whether these are names of fields (RFC 9110 §5.1), by commas, or nothing. */
bool http_are_names(const char *names);

#endif
