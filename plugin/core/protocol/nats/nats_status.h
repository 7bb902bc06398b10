/* nats_status.h
 * What a message says of the request that it answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NATS_STATUS_H
#define LATENCY_NATS_STATUS_H

#include "nats_line.h"

/* That nothing is there yet, and the request goes on. */
enum { NATS_STATUS_GOES_ON = 100 };

/* Returns the number in a header's first line; 0 if it has none (ADR-4 of
 * github.com/nats-io/nats-architecture-and-design).
 */
uint32_t nats_header_status(struct nats_word header);

/* Writes what is shown of a payload, as far as it is there, into `status`, of STATUS_ROOM bytes. Returns whether it
 * says that something failed. */
bool nats_status(struct nats_word payload, size_t header_bytes, char *status);

/* Writes the text of an error, as much of it as there is room for. */
void nats_error_status(struct nats_word text, char *status);

#endif
