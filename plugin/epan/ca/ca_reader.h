/* ca_reader.h
 * Shows a row of Channel Access messages, with what the core knows of each: by its place in its circuit, on any visit
 * and in any order. Those of datagrams it takes, on the first visit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_READER_H
#define LATENCY_CA_READER_H

#include <epan/packet.h>

#include "../../frame/ca_datagram.h"
#include "ca_info.h"
#include "ca_state.h"

/* One segment's data, or one datagram's. */
struct ca_reader {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    bool is_datagram;
    bool from_client;
    const struct ca_circuit *circuit; /* NULL in a datagram, and where the core knows of none */
    uint32_t seq;                     /* of the first byte, as captured; of a circuit */
    struct ca_datagram datagram;      /* of a datagram, as the next */
    struct ca_references references;
    struct ca_info info;
};

/* To be called once, when Wireshark registers protocols. */
void ca_reader_register(int proto);

/* Reads messages up to the end, or to where more segments are needed: `pinfo` then says how much. */
void ca_reader_read(struct ca_reader *reader);

/* The bytes captured from `offset` on; NULL if there are none. */
const uint8_t *ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available);

#endif
