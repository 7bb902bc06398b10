/* ca_role.h
 * What a message of Channel Access asks, or answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_ROLE_H
#define LATENCY_CA_ROLE_H

#include "circuit_role.h"

/* `payload`: what is captured of it. */
struct circuit_role ca_role(const struct ca_message *message, const uint8_t *payload, size_t captured,
                            bool from_client);

#endif
