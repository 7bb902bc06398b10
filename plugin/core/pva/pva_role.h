/* pva_role.h
 * Whether a message of a circuit of pvAccess asks for an answer, or is one.
 *
 * SEARCH, which names many channels at once, is none: ca_search.h has searches.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_ROLE_H
#define LATENCY_PVA_ROLE_H

#include "pva_message.h"
#include "../request/event.h"

/* Of ECHO, which has no id. */
#define PVA_ECHO_KEY ((uint64_t)PVA_ECHO << 32)

/* As struct circuit_protocol has it. */
bool pva_role(const struct ca_message *message, const uint8_t *payload, size_t captured, bool from_client,
              struct message *role);

/* "GET": what the request's operation begins with; "" for what asks nothing. */
const char *pva_role_operation(const struct ca_message *message, const uint8_t *payload, size_t captured);

#endif
