/* pva_header.h
 * Shows a message of pvAccess: its header, and what it says (pva_body.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_HEADER_H
#define LATENCY_PVA_HEADER_H

#include "../ca/ca_reader.h"

void pva_header_register(int proto);

/* As struct ca_dissector has them. */
const char *pva_header_label(const struct ca_reader *reader, const struct ca_message *message, const uint8_t *bytes,
                             size_t available);
void pva_header_look(struct ca_reader *reader, tvbuff_t *tvb, const struct ca_message *message);
void pva_header_show(struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message);
void pva_header_show_skipped(proto_tree *tree, tvbuff_t *tvb);

#endif
