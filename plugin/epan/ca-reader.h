/* ca-reader.h
 * Reads a row of Channel Access messages: takes them on the first visit, taps and shows them on each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_READER_H
#define LATENCY_CA_READER_H

#include <epan/packet.h>

#include "ca-info.h"
#include "ca-state.h"

/* One segment's data, or one datagram's. */
struct ca_reader {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    struct ca_frame *frame;
    struct ca_circuit *circuit; /* of TCP */
    struct ca_batch batch;      /* of UDP */
    uint32_t seq;               /* of the first byte; TCP */
    bool from_client;
    struct ca_info info;
};

/* To be called once, when Wireshark registers protocols. */
void ca_reader_register(int proto, int tap);

/* The stream that the bytes are of; TCP only. */
struct ca_stream *ca_reader_stream(const struct ca_reader *reader);

/* Whether a message may begin where the bytes do; TCP only. */
bool ca_reader_can_begin(const struct ca_reader *reader);

/* Reads messages up to the end, or to where more segments are needed: `pinfo` then says how much. */
void ca_reader_read(struct ca_reader *reader);

/* From `offset` on there is no message, or nobody can tell where one begins. */
void ca_reader_skip(struct ca_reader *reader, unsigned offset);

/* The bytes captured from `offset` on; NULL if there are none. */
const uint8_t *ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available);

#endif
