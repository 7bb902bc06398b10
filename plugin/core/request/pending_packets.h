/* pending_packets.h
 * The frames of a request on its way to a row. For pending.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PENDING_PACKETS_H
#define LATENCY_PENDING_PACKETS_H

#include "pending.h"

/* `spill_buffer` is NULL if nobody wants packets. */
void pending_packets_add(struct spill_buffer *spill_buffer, struct pending_request *pending, const struct item *item,
                         uint32_t frame);

/* Nothing more comes: in the order of the capture, with what became known of each, up to the last that counts. */
void pending_packets_settle(struct spill_buffer *spill_buffer, struct pending_request *pending);

#endif
