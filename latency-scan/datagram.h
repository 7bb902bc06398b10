/* datagram.h
 * The messages of Channel Access in a UDP datagram.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_DATAGRAM_H
#define SCAN_DATAGRAM_H

#include "core/ca/ca_event.h"
#include "reader/ca_datagram.h"
#include "decap.h"

/* Whether a datagram between these ports is one of Channel Access or pvAccess. */
bool datagram_is_of_channels(uint16_t source_port, uint16_t destination_port, struct bytes payload);

/* Takes its messages, and tells of each; the datagram has everything but who sent it, and its batch. NULL if it is none
 * of either protocol. */
const struct circuit_protocol *datagram_take(struct ca_datagram *datagram, struct bytes payload,
                                             struct ca_channels *channels,
                                             void (*tell)(void *data, const struct ca_event *event), void *data);

#endif
