/* ca_value.h
 * Shows the values of a Channel Access payload, and what stands before them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_VALUE_H
#define LATENCY_CA_VALUE_H

#include <epan/packet.h>

/* A field of the protocol as Wireshark wants it registered. */
#define CA_FIELD(id, name, abbreviation, type, base, strings, mask, blurb)                                             \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "ca." abbreviation, type, base, strings, mask, blurb, HFILL                                          \
        }                                                                                                              \
    }

void ca_value_register(int proto);

/* `payload` holds `count` values of DBR `type`; the first `most` are shown, and how many were not. Nothing outside the
 * captured bytes is read. */
void ca_value_show(proto_tree *tree, tvbuff_t *payload, packet_info *pinfo, unsigned type, uint32_t count,
                   unsigned most);

#endif
