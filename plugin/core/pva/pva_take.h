/* pva_take.h
 * Takes the messages of pvAccess in the capture's order: pairs answers with requests, and tells which channels each is
 * about. A message in several parts is taken once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_TAKE_H
#define LATENCY_PVA_TAKE_H

#include "../ca/ca_taking.h"
#include "../ca/circuit_protocol.h"

/* A message of a circuit. `note` is told what it is about, once for each channel; at least once. */
void pva_take(const struct ca_taking *taking, bool from_client, ca_note note, void *data);

/* How many requests wait with the id of a server's message, if it may as well answer none of them: where the answer to
 * one may be missing, and what this one answers, too. A client carries an operation out anew when it has been answered.
 */
unsigned pva_take_doubtful(const struct ca_taking *taking);

/* Number of the channel that a client's message about an operation is about; 0 if unknown. */
uint32_t pva_take_channel(const struct ca_taking *taking);

/* The same of a message of either side that has not been taken: of one in parts, while they come. */
uint32_t pva_take_channel_of(const struct ca_taking *taking, bool from_client);

#endif
