/* ca_state.h
 * What the core knows of Channel Access in the capture being read, for whoever shows a frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_STATE_H
#define LATENCY_CA_STATE_H

#include <epan/packet.h>

#include "../../core/ca/circuit_protocol.h"

struct ca_channels *ca_state_channels(void);

/* The circuit of the segment that is being dissected; NULL if it is of none of that protocol, or not yet. */
const struct ca_circuit *ca_state_circuit(const packet_info *pinfo, const struct circuit_protocol *protocol);

struct endpoint ca_state_source(const packet_info *pinfo);
struct endpoint ca_state_destination(const packet_info *pinfo);

/* References of a datagram's messages, in their order, from its first visit to later ones. */
struct ca_references {
    bool first;            /* the first visit: they are to be added */
    wmem_array_t *numbers; /* of uint32_t; NULL if later visits have none */
    uint32_t next;         /* of those to be read */
    uint32_t end;          /* of the message's */
    uint32_t head;         /* of the message: how many it has */
};

/* Those of the datagram that is being dissected. */
struct ca_references ca_state_references(packet_info *pinfo, int proto);
void ca_state_add(struct ca_references *references, uint32_t reference);

/* The next message begins: its references are added, or read. */
void ca_state_begin(struct ca_references *references);

/* The next one of the message; false if there is none. */
bool ca_state_next(struct ca_references *references, uint32_t *reference);

#endif
