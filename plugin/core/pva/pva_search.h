/* pva_search.h
 * Searches of pvAccess and their responses, in datagrams and on circuits to name servers: one message asks for many
 * names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_SEARCH_H
#define LATENCY_PVA_SEARCH_H

#include "../ca/ca_taking.h"
#include "../ca/circuit_protocol.h"
#include "pva_cursor.h"

/* Servers whose GUID is known. */
enum { ANNOUNCERS_MOST = 65536 };

/* What a SEARCH, a SEARCH_RESPONSE or a BEACON says of who speaks. */
struct pva_peer {
    struct endpoint endpoint; /* all zero but the port: the sender's address */
    bool ipv6;
    bool is_any;
};

/* A SEARCH up to its names, or a SEARCH_RESPONSE up to its ids. */
struct pva_search {
    uint32_t sequence;
    uint8_t flags;
    const uint8_t *guid;  /* of a response; NULL if it is cut */
    struct pva_peer peer; /* where responses go, or the server */
    bool found;           /* of a response */
    unsigned count;       /* names, or ids */
};

/* `cursor`, at the payload's beginning, is left at the first name or id. */
struct pva_search pva_search_read(struct pva_cursor *cursor);
struct pva_search pva_search_response_read(struct pva_cursor *cursor);

/* The next name with its id, or false if there is none. */
bool pva_search_next(struct pva_cursor *cursor, uint32_t *id, struct pva_text *name);

struct pva_peer pva_peer_read(struct pva_cursor *cursor);

/* A message of a circuit. */
void pva_search_take(const struct ca_taking *taking, ca_note note, void *data);

/* A datagram with messages. */
struct pva_datagram {
    struct endpoint source, destination;
    bool ipv6;
    struct ca_arrival arrival;
    bool is_forwarded; /* an ORIGIN_TAG came before: by another server of the host that got it */
};

/* A client searches; a server answers, and beacons. */
bool pva_datagram_is_from_client(const struct ca_message *message);

/* Its next message. */
void pva_datagram_take(struct pva_datagram *datagram, struct ca_channels *channels, const struct ca_message *message,
                       const uint8_t *payload, size_t captured, ca_note note, void *data);

/* Whether the frame has a datagram that shows that a server has been started anew: it has another GUID than before. */
bool pva_datagram_shows_restart(const struct ca_channels *channels, uint32_t frame);

#endif
