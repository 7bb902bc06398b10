/* ca_parser.h
 * Reads the messages of circuits in the streams of their connections (tcp/stream.h): takes them (circuit_protocol.h),
 * tells those that ask and answer (framing.h), and notes where they are (ca_circuit.h).
 *
 * Of a message that is cut its first bytes are kept. One that lacks bytes counts if what says what it is about is
 * there. After a gap in which a message may begin, and after bytes that are no message, the next one is found where a
 * piece begins with messages such as EPICS sends. A message in several parts is one, that ends with the last.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_PARSER_H
#define LATENCY_CA_PARSER_H

#include "ca_channel.h"
#include "../request/framing.h"

/* Before the next piece of a stream is taken: reads on behind what is missing. False if its connection is no circuit.
 */
bool ca_parser_arrives(struct requests *requests, struct ca_channels *channels, const struct piece *piece);

/* Takes the piece. Likewise. */
bool ca_parser_take(struct requests *requests, struct ca_channels *channels, const struct piece *piece);

#endif
