/* ca_parser.h
 * Channel Access in a connection's stream: takes its messages (ca_take.h) and notes where they are (ca_circuit.h).
 *
 * A message whose first bytes are cut by the snap length, or by a gap, counts by its header. After a gap in which a
 * message may begin, and after bytes that are no message, the next one is found where a piece begins with messages such
 * as EPICS sends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_PARSER_H
#define LATENCY_CA_PARSER_H

#include "ca_channel.h"
#include "../request/request.h"

/* Before and after reading_arrives(), and reading_take(), of a piece; the first makes its connection a circuit, if the
 * piece shows that it is one. Nothing is done for other connections. */
void ca_parser_enter(struct requests *requests, struct ca_channels *channels, const struct piece *piece);
void ca_parser_leave(struct requests *requests, const struct piece *piece);

#endif
