/* ca_role.h
 * Whether a message of a circuit asks for an answer, or is one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_ROLE_H
#define LATENCY_CA_ROLE_H

#include "ca_message.h"
#include "../request/event.h"

/* Fills in all but the bytes and the operation; false if it is neither. `payload`: what is captured of it. */
bool ca_role(const struct ca_message *message, const uint8_t *payload, size_t captured, bool from_client,
             struct message *role);

#endif
