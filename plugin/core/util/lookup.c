/* lookup.c
 *
 * Open addressing, linear probing; removal closes the gap (Knuth, TAOCP 3, 6.4 algorithm R), so that there are no
 * tombstones to clean up.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lookup.h"

#include "hashed.h"

enum { FIRST_CAPACITY = 64 };

void
lookup_init(struct lookup *lookup, const struct pool *pool, uint64_t (*key)(const void *record))
{
    *lookup = (struct lookup){ .pool = pool, .key = key, .hash_key = hashed_new_key() };
}

static uint32_t
hash_of(const struct lookup *lookup, uint64_t key)
{
    return (uint32_t)hashed_mix(key ^ lookup->hash_key, lookup->hash_key << 1 | 1);
}

static uint64_t
key_at(const struct lookup *lookup, uint32_t slot)
{
    return lookup->key(pool_at(lookup->pool, lookup->slots[slot]));
}

static uint8_t
tag_of(uint32_t hash)
{
    return (uint8_t)(hash | 1); /* the slot is of its highest bits */
}

/* Where a key with this hash belongs, if that is free. The capacity may be any number: tables grow by half, for one
 * that has doubled is mostly empty. */
static uint32_t
home_of(const struct lookup *lookup, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * lookup->capacity >> 32);
}

static uint32_t
behind(const struct lookup *lookup, uint32_t slot)
{
    return slot + 1 < lookup->capacity ? slot + 1 : 0;
}

/* How many slots it is from one on to the other. */
static uint32_t
distance(const struct lookup *lookup, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + lookup->capacity - from;
}

/* The slot with this key, or the free one where it belongs. */
static uint32_t
slot_of(const struct lookup *lookup, uint64_t key, uint32_t hash)
{
    uint32_t slot = home_of(lookup, hash);
    uint8_t tag = tag_of(hash);
    while (lookup->tags[slot] != 0 && (lookup->tags[slot] != tag || key_at(lookup, slot) != key))
        slot = behind(lookup, slot);
    return slot;
}

static void
fill(struct lookup *lookup, uint32_t slot, uint32_t number, uint8_t tag)
{
    lookup->slots[slot] = number;
    lookup->tags[slot] = tag;
}

uint32_t
lookup_find(const struct lookup *lookup, uint64_t key)
{
    return lookup->capacity ? lookup->slots[slot_of(lookup, key, hash_of(lookup, key))] : 0;
}

/* One bit for each record of the pool: those that are in the table. */
static uint64_t *
members_of(const struct lookup *lookup, uint32_t words)
{
    uint64_t *members = g_new0(uint64_t, words);
    for (uint32_t i = 0; i < lookup->capacity; i++)
        members[lookup->slots[i] / 64] |= UINT64_C(1) << lookup->slots[i] % 64;
    members[0] &= ~UINT64_C(1); /* free slots */
    return members;
}

/* In a table without it, whose keys are all different from its own: none has to be looked at. */
static void
put_again(struct lookup *lookup, uint32_t number)
{
    uint32_t hash = hash_of(lookup, lookup->key(pool_at(lookup->pool, number)));
    uint32_t slot = home_of(lookup, hash);
    while (lookup->tags[slot] != 0)
        slot = behind(lookup, slot);
    fill(lookup, slot, number, tag_of(hash));
}

/* The table before goes first, and records come in the order in which they lie: they are many times larger than it. */
static void
grow(struct lookup *lookup)
{
    const uint32_t words = lookup->pool->count / 64 + 1;
    uint64_t *members = members_of(lookup, words);
    lookup->capacity = lookup->capacity ? lookup->capacity + lookup->capacity / 2 : FIRST_CAPACITY;
    wmem_free(lookup->pool->scope, lookup->slots);
    wmem_free(lookup->pool->scope, lookup->tags);
    lookup->slots = wmem_alloc0_array(lookup->pool->scope, uint32_t, lookup->capacity);
    lookup->tags = wmem_alloc0_array(lookup->pool->scope, uint8_t, lookup->capacity);
    for (uint32_t word = 0; word < words; word++)
        for (uint64_t left = members[word]; left; left &= left - 1)
            put_again(lookup, word * 64 + (uint32_t)__builtin_ctzll(left));
    g_free(members);
}

void
lookup_put(struct lookup *lookup, uint32_t number)
{
    uint64_t key = lookup->key(pool_at(lookup->pool, number));
    uint32_t hash = hash_of(lookup, key);
    if (lookup->count >= lookup->capacity / 4 * 3)
        grow(lookup);
    uint32_t slot = slot_of(lookup, key, hash);
    lookup->count += lookup->slots[slot] == 0;
    fill(lookup, slot, number, tag_of(hash));
}

void
lookup_remove(struct lookup *lookup, uint64_t key)
{
    if (lookup_find(lookup, key) == 0)
        return;
    uint32_t hole = slot_of(lookup, key, hash_of(lookup, key));
    for (uint32_t next = behind(lookup, hole); lookup->tags[next] != 0; next = behind(lookup, next)) {
        uint32_t home = home_of(lookup, hash_of(lookup, key_at(lookup, next)));
        if (distance(lookup, home, next) < distance(lookup, hole, next))
            continue; /* its home lies after the hole */
        fill(lookup, hole, lookup->slots[next], lookup->tags[next]);
        hole = next;
    }
    fill(lookup, hole, 0, 0);
    lookup->count--;
}
