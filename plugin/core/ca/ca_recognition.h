/* ca_recognition.h
 * Which connections are circuits of Channel Access or pvAccess, and who of them is the client.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_RECOGNITION_H
#define LATENCY_CA_RECOGNITION_H

#include "ca_channel.h"
#include "../request/framing.h"

/* The circuit of a piece's connection, which its payload can make one: if the port of one end is known for the
 * protocol; or a search's reply, a beacon or a circuit said that a server listens there, and the bytes are messages; or
 * they open a circuit. NULL if it is none. */
struct ca_circuit *ca_recognise_circuit(struct requests *requests, struct ca_channels *channels,
                                        const struct piece *piece);

/* Whether a connection may become one, as far as the segment tells. */
bool ca_may_speak(const struct ca_channels *channels, const struct settings *settings, const struct segment *segment);

#endif
