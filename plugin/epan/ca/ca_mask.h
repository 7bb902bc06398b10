/* ca_mask.h
 * What Channel Access says by bits: the events that a subscription is for, and access rights.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_MASK_H
#define LATENCY_CA_MASK_H

#include <epan/packet.h>

void ca_mask_register(int proto);

/* The payload of an EVENT_ADD: what it subscribes to; nothing if it is cut. */
void ca_mask_show(proto_tree *tree, tvbuff_t *payload);

void ca_mask_show_rights(proto_tree *tree, tvbuff_t *tvb, int offset);

#endif
