/* ca_peer.h
 * Those who take part, each known once: hosts, searching clients, servers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_PEER_H
#define LATENCY_CA_PEER_H

#include "../util/pool.h"
#include "../tcp/segment.h"

enum ca_role {
    CA_HOST,         /* an address, whatever the port */
    CA_UDP_SEARCHER, /* who sends SEARCH in datagrams */
    CA_TCP_SEARCHER, /* or on a circuit, to a name server */
    CA_SERVER_PORT,  /* where a circuit can be opened, as a search's reply, a beacon or a circuit says */
    PVA_SEARCHER,    /* likewise of pvAccess: where the replies to SEARCH go */
    PVA_TCP_SEARCHER,
    PVA_SERVER_PORT,
    PVA_ANNOUNCER /* a server by what it says of itself in datagrams */
};

/* One datagram of SEARCHes. */
struct ca_attempt {
    int64_t time_ns;
    uint32_t frame;
    uint32_t sequence;
};

struct ca_peer {
    struct endpoint endpoint;
    bool ipv6;
    uint8_t role; /* enum ca_role */
    uint32_t number;
    uint8_t *guid;               /* of PVA_ANNOUNCER: the last it has said; NULL before the first */
    struct ca_attempt *attempts; /* of a searcher: those with a sequence, in the order they were captured */
    uint32_t n_attempts;
    uint32_t room;
};

struct ca_peers {
    struct pool pool;
    wmem_map_t *known;
};

void ca_parties_init(struct ca_peers *peers, wmem_allocator_t *scope);

/* The peer; a new one if it was not known. Of CA_HOST the port is ignored. */
struct ca_peer *ca_peer(struct ca_peers *peers, enum ca_role role, const struct endpoint *endpoint, bool ipv6);

/* The peer, NULL if it is not known. */
struct ca_peer *ca_peer_find(const struct ca_peers *peers, enum ca_role role, const struct endpoint *endpoint,
                             bool ipv6);

struct ca_peer *ca_peer_at(const struct ca_peers *peers, uint32_t number);

/* Notes an attempt, unless its frame was noted last. */
void ca_peer_try(struct ca_peers *peers, struct ca_peer *searcher, const struct ca_attempt *attempt);

/* The latest attempt with this sequence among the last few hundred; NULL if there is none. */
const struct ca_attempt *ca_peer_attempt(const struct ca_peer *searcher, uint32_t sequence);

#endif
