/* ca_peer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_peer.h"

#include <string.h>

enum { FIRST_ROOM = 4, ATTEMPTS_SEARCHED = 512 };

static unsigned
hash_party(const void *key)
{
    const struct ca_peer *peer = key;
    return wmem_strong_hash(peer->endpoint.address, sizeof peer->endpoint.address) ^ peer->endpoint.port ^
           (unsigned)peer->role << 16;
}

static gboolean
equal_parties(const void *left, const void *right)
{
    const struct ca_peer *a = left;
    const struct ca_peer *b = right;
    return a->role == b->role && a->ipv6 == b->ipv6 && a->endpoint.port == b->endpoint.port &&
           memcmp(a->endpoint.address, b->endpoint.address, sizeof a->endpoint.address) == 0;
}

void
ca_parties_init(struct ca_peers *peers, wmem_allocator_t *scope)
{
    pool_init(&peers->pool, scope, sizeof(struct ca_peer));
    peers->known = wmem_map_new(scope, hash_party, equal_parties);
}

static struct ca_peer
describe(enum ca_role role, const struct endpoint *endpoint, bool ipv6)
{
    struct ca_peer peer = { .endpoint = *endpoint, .ipv6 = ipv6, .role = (uint8_t)role };
    if (role == CA_HOST)
        peer.endpoint.port = 0;
    return peer;
}

struct ca_peer *
ca_peer_find(const struct ca_peers *peers, enum ca_role role, const struct endpoint *endpoint, bool ipv6)
{
    if (wmem_map_size(peers->known) == 0)
        return NULL;
    const struct ca_peer sought = describe(role, endpoint, ipv6);
    return wmem_map_lookup(peers->known, &sought);
}

struct ca_peer *
ca_peer(struct ca_peers *peers, enum ca_role role, const struct endpoint *endpoint, bool ipv6)
{
    struct ca_peer *peer = ca_peer_find(peers, role, endpoint, ipv6);
    if (peer)
        return peer;
    uint32_t number = pool_add(&peers->pool);
    peer = pool_at(&peers->pool, number);
    *peer = describe(role, endpoint, ipv6);
    peer->number = number;
    wmem_map_insert(peers->known, peer, peer);
    return peer;
}

struct ca_peer *
ca_peer_at(const struct ca_peers *peers, uint32_t number)
{
    return pool_at(&peers->pool, number);
}

void
ca_peer_try(struct ca_peers *peers, struct ca_peer *searcher, const struct ca_attempt *attempt)
{
    if (searcher->n_attempts > 0 && searcher->attempts[searcher->n_attempts - 1].frame == attempt->frame)
        return;
    if (searcher->n_attempts == searcher->room) {
        searcher->room = MAX(searcher->room * 2, FIRST_ROOM);
        searcher->attempts =
            wmem_realloc(peers->pool.scope, searcher->attempts, searcher->room * sizeof *searcher->attempts);
    }
    searcher->attempts[searcher->n_attempts++] = *attempt;
}

const struct ca_attempt *
ca_peer_attempt(const struct ca_peer *searcher, uint32_t sequence)
{
    uint32_t least = searcher->n_attempts > ATTEMPTS_SEARCHED ? searcher->n_attempts - ATTEMPTS_SEARCHED : 0;
    for (uint32_t i = searcher->n_attempts; i > least; i--)
        if (searcher->attempts[i - 1].sequence == sequence)
            return &searcher->attempts[i - 1];
    return NULL;
}
