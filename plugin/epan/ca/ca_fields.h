/* ca_fields.h
 * Shows what a Channel Access message says: its header, and what each command means by it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_FIELDS_H
#define LATENCY_CA_FIELDS_H

#include <epan/packet.h>

#include "../../core/ca/ca_message.h"

void ca_fields_register(int proto);

/* `tvb` begins with the message. The first `values_most` values of an array are shown. */
void ca_fields_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct ca_message *message,
                    bool from_client, bool datagram, unsigned values_most);

/* Bytes that are no message. */
void ca_fields_show_skipped(proto_tree *tree, tvbuff_t *tvb);

#endif
