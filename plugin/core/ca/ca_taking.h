/* ca_taking.h
 * A message of a circuit as it is taken: what ca_take.c, ca_exchange.c and pva_take.c share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_TAKING_H
#define LATENCY_CA_TAKING_H

#include "ca_channel.h"

/* What one message is taken with. */
struct ca_taking {
    struct ca_channels *channels;
    struct ca_circuit *circuit;
    const struct ca_message *message;
    const uint8_t *payload;
    size_t captured;
    const struct ca_arrival *arrival;
};

/* Number of the circuit's channel with this id; 0 if there is none. */
uint32_t ca_taking_channel_by_cid(const struct ca_taking *taking, uint32_t cid);
uint32_t ca_taking_channel_by_sid(const struct ca_taking *taking, uint32_t sid);

/* The message asks with the request. */
void ca_taking_note_request(const struct ca_taking *taking, struct ca_request *request, unsigned command, uint32_t id);

/* The message asks for a channel of this name, or answers a request for one that the capture does not have: it still
 * says which channel later messages are about. Number of the channel. */
uint32_t ca_taking_add_channel(const struct ca_taking *taking, uint32_t cid, const char *name, size_t name_bytes);
uint32_t ca_taking_add_orphan(const struct ca_taking *taking, uint32_t cid);

/* The message asks anything else. `channel`: its number, or 0. Returns the number of the exchange. */
uint32_t ca_taking_add_exchange(const struct ca_taking *taking, unsigned command, uint32_t id, uint32_t channel);

/* Returns the number of the channel, or of the exchange, whose request has waited longest for an answer to the command
 * with the id; 0 if none waits. */
uint32_t ca_taking_waiting(const struct ca_taking *taking, unsigned command, uint32_t id);

/* The message answers that one. Returns the same; where there is none nothing happens. */
uint32_t ca_taking_answer(const struct ca_taking *taking, unsigned command, uint32_t id, enum ca_outcome outcome,
                          uint32_t status);

/* Returns the number of that exchange; if none waits, of the one that was answered, if it is in `by_id`; or 0. */
uint32_t ca_taking_exchange(const struct ca_taking *taking, unsigned command, uint32_t id);

/* Whatever was asked with the id, and answered or not: no later message is about it. */
void ca_taking_forget_exchange(const struct ca_taking *taking, unsigned command, uint32_t id);

#endif
