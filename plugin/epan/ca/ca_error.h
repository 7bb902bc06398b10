/* ca_error.h
 * Shows statuses of Channel Access, and what an ERROR quotes and says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_ERROR_H
#define LATENCY_CA_ERROR_H

#include <epan/packet.h>

void ca_error_register(int proto);

/* The status is at `offset` of `tvb`. */
void ca_error_show_status(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, int offset, uint32_t status);

/* The payload of an ERROR. */
void ca_error_show(proto_tree *tree, tvbuff_t *payload);

#endif
