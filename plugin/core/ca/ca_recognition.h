/* ca_recognition.h
 * Which connections are circuits of Channel Access or pvAccess, and who of them is the client.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_RECOGNITION_H
#define LATENCY_CA_RECOGNITION_H

#include "ca_channel.h"
#include "../protocol/reading.h"
#include "../request/request.h"
#include "../tcp/payload.h"

/* Of which protocol a piece's payload makes its connection a circuit: if the port of one end is known for it; or a
 * search's reply, a beacon or a circuit said that a server listens there, and the bytes are messages; or they open a
 * circuit. NULL for none. */
const struct circuit_protocol *ca_recognise_circuit(const struct requests *requests, const struct ca_channels *channels,
                                                    const struct piece *piece, bool *from_client);

/* The same of what TLS hides: if what is decrypted opens a circuit. */
const struct circuit_protocol *ca_recognise_hidden(const struct ca_channels *channels, const struct piece *piece,
                                                   const struct decrypted *decrypted, bool *from_client);

/* Whether a connection may become one, as far as the segment tells. */
bool ca_may_speak(const struct ca_channels *channels, const struct settings *settings, const struct segment *segment);

#endif
