/* ca-requests.h
 * Messages of circuits as requests of the latency plugin.
 *
 * On the first visit of a frame only, and only where somebody wants to know of requests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_REQUESTS_H
#define LATENCY_CA_REQUESTS_H

#include "ca-reader.h"

/* The segment is a circuit's: its requests are messages, not turns. */
void ca_requests_claim(const struct ca_reader *reader);

/* A message that has been read. `pv`: NULL if unknown. */
void ca_requests_take(const struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload,
                      size_t captured, const char *pv);

/* A message of which only the beginning is there yet, `bytes` of it. */
void ca_requests_begin(const struct ca_reader *reader, const struct ca_message *message, uint32_t bytes);

/* What follows is no message, or nobody can tell. */
void ca_requests_skip(const struct ca_reader *reader);

#endif
