/* ca_take.h
 * Takes the messages of a capture in its order: pairs answers with requests, and tells which channel each is about.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_TAKE_H
#define LATENCY_CA_TAKE_H

#include "ca_taking.h"

/* A message of a circuit. Returns a reference, for ca_subject(). */
uint32_t ca_take(const struct ca_taking *taking, bool from_client);

/* A message of a datagram; `batch` is the datagram's, with its searcher. `source` sent it. */
uint32_t ca_take_datagram(struct ca_channels *channels, struct ca_batch *batch, const struct ca_message *message,
                          const uint8_t *payload, size_t captured, const struct endpoint *source, bool ipv6,
                          const struct ca_arrival *arrival);

#endif
