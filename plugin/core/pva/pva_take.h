/* pva_take.h
 * Takes the messages of pvAccess in the capture's order: pairs answers with requests, and tells which channels each is
 * about. A message in several parts is taken once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_TAKE_H
#define LATENCY_PVA_TAKE_H

#include "../ca/circuit_reading.h"

/* As struct circuit_protocol has them. What waits with an id is given up when its client asks anew: it does so when
 * that has been answered. */
void pva_take_give_up(struct reading *reading, const struct ca_taking *taking);
void pva_take(const struct ca_taking *taking, bool from_client, ca_note note, void *data);

/* Number of the channel that a message of either side is about that has not been taken: one in parts, while they come;
 * 0 if unknown. */
uint32_t pva_take_channel_of(const struct ca_taking *taking, bool from_client);

#endif
