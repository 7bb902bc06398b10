/* pva_guids.h
 * Which message shows that a server has been started anew: beacons and responses to searches say its GUID, which each
 * start changes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_GUIDS_H
#define LATENCY_PVA_GUIDS_H

#include <epan/packet.h>

#include "../../core/pva/pva_search.h"

/* To be called once. */
void pva_guids_register(void);

/* A datagram's message, on its first visit. */
void pva_guids_take(const struct pva_datagram *datagram, const struct ca_message *message, const uint8_t *payload,
                    size_t captured);

/* Whether the frame has the first message with another GUID. */
bool pva_guids_have_changed(uint32_t frame);

#endif
