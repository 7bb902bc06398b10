/* ca_party.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_party.h"

#include <string.h>

enum { FIRST_ROOM = 4, ATTEMPTS_SEARCHED = 512 };

static unsigned
hash_party(const void *key)
{
    const struct ca_party *party = key;
    return wmem_strong_hash(party->endpoint.address, sizeof party->endpoint.address) ^ party->endpoint.port ^
           (unsigned)party->role << 16;
}

static gboolean
equal_parties(const void *left, const void *right)
{
    const struct ca_party *a = left;
    const struct ca_party *b = right;
    return a->role == b->role && a->ipv6 == b->ipv6 && a->endpoint.port == b->endpoint.port &&
           memcmp(a->endpoint.address, b->endpoint.address, sizeof a->endpoint.address) == 0;
}

void
ca_parties_init(struct ca_parties *parties, wmem_allocator_t *scope)
{
    pool_init(&parties->pool, scope, sizeof(struct ca_party));
    parties->known = wmem_map_new(scope, hash_party, equal_parties);
}

static struct ca_party
describe(enum ca_role role, const struct endpoint *endpoint, bool ipv6)
{
    struct ca_party party = { .endpoint = *endpoint, .ipv6 = ipv6, .role = (uint8_t)role };
    if (role == CA_HOST)
        party.endpoint.port = 0;
    return party;
}

struct ca_party *
ca_party_find(const struct ca_parties *parties, enum ca_role role, const struct endpoint *endpoint, bool ipv6)
{
    const struct ca_party sought = describe(role, endpoint, ipv6);
    return wmem_map_lookup(parties->known, &sought);
}

struct ca_party *
ca_party(struct ca_parties *parties, enum ca_role role, const struct endpoint *endpoint, bool ipv6)
{
    struct ca_party *party = ca_party_find(parties, role, endpoint, ipv6);
    if (party)
        return party;
    uint32_t number = pool_add(&parties->pool);
    party = pool_at(&parties->pool, number);
    *party = describe(role, endpoint, ipv6);
    party->number = number;
    wmem_map_insert(parties->known, party, party);
    return party;
}

struct ca_party *
ca_party_at(const struct ca_parties *parties, uint32_t number)
{
    return pool_at(&parties->pool, number);
}

void
ca_party_try(struct ca_parties *parties, struct ca_party *searcher, const struct ca_attempt *attempt)
{
    if (searcher->n_attempts > 0 && searcher->attempts[searcher->n_attempts - 1].frame == attempt->frame)
        return;
    if (searcher->n_attempts == searcher->room) {
        searcher->room = MAX(searcher->room * 2, FIRST_ROOM);
        searcher->attempts =
            wmem_realloc(parties->pool.scope, searcher->attempts, searcher->room * sizeof *searcher->attempts);
    }
    searcher->attempts[searcher->n_attempts++] = *attempt;
}

const struct ca_attempt *
ca_party_attempt(const struct ca_party *searcher, uint32_t sequence)
{
    uint32_t least = searcher->n_attempts > ATTEMPTS_SEARCHED ? searcher->n_attempts - ATTEMPTS_SEARCHED : 0;
    for (uint32_t i = searcher->n_attempts; i > least; i--)
        if (searcher->attempts[i - 1].sequence == sequence)
            return &searcher->attempts[i - 1];
    return NULL;
}
