/* ca_party.h
 * Those who take part, each known once: hosts, searching clients, servers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_PARTY_H
#define LATENCY_CA_PARTY_H

#include "pool.h"
#include "segment.h"

enum ca_role {
    CA_HOST,         /* an address, whatever the port */
    CA_UDP_SEARCHER, /* who sends SEARCH in datagrams */
    CA_TCP_SEARCHER, /* or on a circuit, to a name server */
    CA_SERVER_PORT   /* where a circuit can be opened, as a search's reply, a beacon or a circuit says */
};

/* One datagram of SEARCHes. */
struct ca_attempt {
    int64_t time_ns;
    uint32_t frame;
    uint32_t sequence;
};

struct ca_party {
    struct endpoint endpoint;
    bool ipv6;
    uint8_t role; /* enum ca_role */
    uint32_t number;
    struct ca_attempt *attempts; /* of a searcher: those with a sequence, in the order they were captured */
    uint32_t n_attempts;
    uint32_t room;
};

struct ca_parties {
    struct pool pool;
    wmem_map_t *known;
};

void ca_parties_init(struct ca_parties *parties, wmem_allocator_t *scope);

/* The party; a new one if it was not known. Of CA_HOST the port is ignored. */
struct ca_party *ca_party(struct ca_parties *parties, enum ca_role role, const struct endpoint *endpoint, bool ipv6);

/* The party, NULL if it is not known. */
struct ca_party *ca_party_find(const struct ca_parties *parties, enum ca_role role, const struct endpoint *endpoint,
                               bool ipv6);

struct ca_party *ca_party_at(const struct ca_parties *parties, uint32_t number);

/* Notes an attempt, unless its frame was noted last. */
void ca_party_try(struct ca_parties *parties, struct ca_party *searcher, const struct ca_attempt *attempt);

/* The latest attempt with this sequence among the last few hundred; NULL if there is none. */
const struct ca_attempt *ca_party_attempt(const struct ca_party *searcher, uint32_t sequence);

#endif
