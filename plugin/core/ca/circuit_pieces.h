/* circuit_pieces.h
 * The pieces of a stream that may be a circuit's: makes its connection one, and notes what its protocol's parser
 * (circuit_protocol.h) has found in a piece.
 *
 * After a gap in which a message may begin, and after bytes that are no message, the next one is found where a piece
 * begins with messages such as EPICS sends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_PIECES_H
#define LATENCY_CIRCUIT_PIECES_H

#include "ca_channel.h"
#include "../protocol/reading.h"
#include "../request/request.h"

/* Before reading_arrives() and after reading_take() of a piece; the first makes its connection a circuit, if the piece,
 * or what is decrypted of it, shows that it is one. Nothing is done for other connections. */
void circuit_enter(struct requests *requests, struct ca_channels *channels, struct carrier *carrier);
void circuit_leave(struct requests *requests, const struct piece *piece);

#endif
