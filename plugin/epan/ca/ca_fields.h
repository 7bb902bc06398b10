/* ca_fields.h
 * Shows what a Channel Access message says: its header, what each command means by it, and its payload.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_FIELDS_H
#define LATENCY_CA_FIELDS_H

#include "ca_reader.h"

void ca_fields_register(int proto);

/* Show a message of Channel Access, and bytes that were skipped: the calls of struct ca_dissector. */
void ca_fields_show(struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message);
void ca_fields_show_skipped(proto_tree *tree, tvbuff_t *tvb);

#endif
