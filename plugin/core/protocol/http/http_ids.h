/* http_ids.h
 * The ids that the fields of a request of HTTP carry, of whichever version, and gRPC's metadata.
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

/* Likewise of a line of HTTP/1 that has a field. */
void http_find_ids_in_line(const uint8_t *line, size_t length, const char *more, struct found_ids *found);

#endif
