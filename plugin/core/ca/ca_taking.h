/* ca_taking.h
 * A message of a circuit as it is taken: what ca_take.c and pva_take.c share.
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
    const struct ca_arrival *arrival; /* NULL as long as it has not all arrived */
    const struct circuit_role *role;
};

/* Number of the circuit's channel with this id, or with the message's sid; 0 if there is none. */
uint32_t ca_taking_channel_by_cid(const struct ca_taking *taking, uint32_t cid);
uint32_t ca_taking_channel(const struct ca_taking *taking);

/* The server says hello, for the first time or again. */
void ca_taking_hello(const struct ca_taking *taking);

/* The message asks, with this id, for what is known of the request from here on. */
void ca_taking_note_request(const struct ca_taking *taking, struct ca_request *request, uint32_t id);

/* The message asks for a channel of this name. Number of the channel. */
uint32_t ca_taking_add_channel(const struct ca_taking *taking, uint32_t cid, const char *name, size_t name_bytes);

/* The message answers a request for a channel. Number of the channel: of a new one if the capture does not have the
 * request, for later messages are about it. */
uint32_t ca_taking_answer_create(const struct ca_taking *taking);

/* The message asks anything else. `channel`: its number, or 0. Returns the number of the exchange. */
uint32_t ca_taking_add_exchange(const struct ca_taking *taking, uint32_t channel);

/* Returns the number of the channel, or of the exchange, whose request has waited longest for an answer to the command
 * with the id; 0 if none waits. */
uint32_t ca_taking_waiting(const struct ca_taking *taking, unsigned command, uint32_t id);

/* Whether the message, if it answers something, answers what waits longest: no answer to that may be missing, where
 * this one may be another's. */
bool ca_taking_is_certain(const struct ca_taking *taking);

/* The message answers the one that waits. Returns the number of the channel or exchange; 0, and nothing happens, if
 * there is none. */
uint32_t ca_taking_answer(const struct ca_taking *taking);

/* The exchange is answered with a value, which may be its channel's first. `begins`: the command that began what it
 * carries out, with the same id; 0 for none. */
void ca_taking_note_value(const struct ca_taking *taking, uint32_t exchange, unsigned begins);

/* Returns the number of the exchange that waits; if none does, of the one that was answered, if it is in `by_id`; or 0.
 */
uint32_t ca_taking_exchange(const struct ca_taking *taking, unsigned command, uint32_t id);

/* Whatever was asked with the id, and answered or not: no later message is about it. */
void ca_taking_forget_exchange(const struct ca_taking *taking, unsigned command, uint32_t id);

#endif
