/* pva_role.h
 * What a message of pvAccess asks, or answers.
 *
 * SEARCH, which names many channels at once, does neither: ca_search.h has searches. Of what asks for several channels
 * the first counts: peers name one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_ROLE_H
#define LATENCY_PVA_ROLE_H

#include "pva_message.h"
#include "../ca/circuit_role.h"

/* `payload`: what is captured of it. */
struct circuit_role pva_role(const struct ca_message *message, const uint8_t *payload, size_t captured,
                             bool from_client);

#endif
