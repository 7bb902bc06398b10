/* proxy_header.h
 * The header of the PROXY protocol, with which a proxy says whose connection it carries on, before the client's first
 * byte: HAProxy's doc/proxy-protocol.txt (2.1 and 2.2, of which the versions 1 and 2 are).
 *
 * It is known by the first piece of what a client says: a proxy sends it at once, and it fits into any segment (2).
 * What a longer one of version 2 has beside addresses may go on in the next pieces.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROXY_HEADER_H
#define LATENCY_PROXY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address of version 1 or 2, be it the path of a socket. */
enum { PROXY_ADDRESS_ROOM = 109 };

struct proxy_header {
    uint32_t bytes; /* all that it takes */
    /* Whose connection it is. "" and 0: the proxy's own, or it does not say. */
    char client[PROXY_ADDRESS_ROOM];
    uint16_t port; /* 0 for none */
};

/* Reads the header that stands here, up to its addresses at least. False if none does. */
bool proxy_header_read(const uint8_t *bytes, size_t length, struct proxy_header *header);

#endif
