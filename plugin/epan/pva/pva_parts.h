/* pva_parts.h
 * Joins a message of pvAccess that came in several parts, each with a header of its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_PARTS_H
#define LATENCY_PVA_PARTS_H

#include <epan/packet.h>

#include "../../core/ca/ca_circuit.h"

/* More bytes are not joined, of one message and of those of a capture that are visited again. */
enum { PARTS_BYTES_MOST = 16 << 20, PARTS_KEPT_MOST = 128 << 20 };

/* To be called once. */
void pva_parts_register(void);

/* On a frame's first visit: the part that begins at `start` of its sender's stream; `tvb` is the part, `part` an enum
 * ca_part. `kept`: frames are visited again. */
void pva_parts_add(const struct ca_circuit *circuit, bool from_client, int64_t start, unsigned part, tvbuff_t *tvb,
                   bool kept);

/* The message whose last part begins at `start`: the first part's header, and all bytes. NULL if they are not all
 * there.
 */
tvbuff_t *pva_parts_whole(const struct ca_circuit *circuit, bool from_client, int64_t start, tvbuff_t *parent);

#endif
