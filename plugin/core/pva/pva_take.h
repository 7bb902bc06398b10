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

/* Gives up, before it is told, what the message says will not be answered any more: what waits with the same id when a
 * client asks anew, for it does so when it has been answered; and where an answer may be missing, and what this one
 * answers, too, what may as well not be answered by this one. */
void pva_take_give_up(const struct ca_taking *taking, struct reading *reading);

/* Number of the channel that a message of either side is about that has not been taken: one in parts, while they come;
 * 0 if unknown. */
uint32_t pva_take_channel_of(const struct ca_taking *taking, bool from_client);

#endif
