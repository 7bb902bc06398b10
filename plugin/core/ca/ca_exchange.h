/* ca_exchange.h
 * Requests about channels that exist, and their answers. Each function returns what the message is about, as ca_take().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_EXCHANGE_H
#define LATENCY_CA_EXCHANGE_H

#include "ca_taking.h"

/* The id by which a request is answered. */
uint32_t ca_exchange_id(const struct ca_message *request);

/* `channel`: its number, or 0. */
uint32_t ca_exchange_take(const struct ca_taking *taking, uint32_t channel);

/* `status`: an ECA status. */
uint32_t ca_exchange_take_answer(const struct ca_taking *taking, uint32_t id, uint32_t status);

/* An update; without payload, what confirms that there will be no more. */
uint32_t ca_exchange_take_update(const struct ca_taking *taking);

uint32_t ca_exchange_take_read(const struct ca_taking *taking);

/* An ERROR, which may refuse the creation of a channel, too. */
uint32_t ca_exchange_take_error(const struct ca_taking *taking);

#endif
