/* circuit_reading.h
 * What the parsers of circuits share: what they find is kept until a message ends, told, taken, and noted where it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_READING_H
#define LATENCY_CIRCUIT_READING_H

#include "ca_taking.h"
#include "circuit_protocol.h"

struct ca_circuit *circuit_of(const struct reading *reading);

/* Begins the side's message, whose header has been read: keeps what there is of the bytes of its payload that say what
 * it is about; and more of them. */
void circuit_begin_message(struct ca_circuit *circuit, bool from_client, const uint8_t *bytes, uint32_t n);
void circuit_keep(struct ca_circuit *circuit, bool from_client, const uint8_t *bytes, uint32_t n);

/* The side's message, by what has been kept of it. `arrival`: NULL before it has ended. */
struct ca_taking circuit_taking(struct ca_circuit *circuit, bool from_client, const struct ca_arrival *arrival);

/* Tells which request the side's message is, or answers. */
void circuit_tell(struct reading *reading, bool from_client);

/* Gives up the requests that wait for an answer to the command with the message's id: as many as its
 * channel is asked for, at least `least`. Forgets what the channel is asked, too. */
void circuit_give_up(struct reading *reading, const struct ca_taking *taking, unsigned command, enum stop how,
                     unsigned least);

/* Notes what begins at an offset of the side's bytes: a message, or a part of one, and what it is about. */
void circuit_note(struct reading *reading, bool from_client, unsigned command, int64_t start, uint32_t reference);

/* As struct parser has them. */
void circuit_end_message(struct reading *reading, bool from_client);
void circuit_lose_place(struct reading *reading, bool from_client);
void circuit_lack_requests(struct reading *reading);

#endif
