/* ca_datagram.h
 * Datagrams of Channel Access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_DATAGRAM_H
#define LATENCY_CA_DATAGRAM_H

#include "../core/ca/ca_channel.h"
#include "../core/ca/ca_take.h"
#include "../core/tcp/segment.h"

/* Whether it begins like one, on whatever port: VERSION, then SEARCHes or replies; or it is a beacon alone. */
bool ca_datagram_begins(const uint8_t *bytes, size_t captured);

/* What is said tells who sent it; `else_client`: what counts where it does not. */
bool ca_is_from_client(const uint8_t *bytes, size_t captured, bool else_client);

/* A datagram being read. */
struct ca_datagram {
    struct endpoint source, destination;
    bool ipv6;
    bool from_client;
    struct ca_arrival arrival;
    struct ca_batch batch; /* zero at first */
};

/* Takes its next message, of whose payload `captured` bytes are there; returns what ca_take_datagram() does. */
uint32_t ca_datagram_take(struct ca_datagram *datagram, struct ca_channels *channels, const struct ca_message *message,
                          const uint8_t *payload, size_t captured);

#endif
