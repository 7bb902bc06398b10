/* lookup.c
 *
 * Open addressing, linear probing; removal closes the gap (Knuth, TAOCP 3, 6.4 algorithm R), so that there are no
 * tombstones to clean up.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lookup.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

void
lookup_init(struct lookup *lookup, const struct pool *pool, uint64_t (*key)(const void *record))
{
    *lookup = (struct lookup){ .pool = pool, .key = key };
}

/* Keyed: who makes a capture chooses the ids. */
static uint32_t
hash(uint64_t key)
{
    return wmem_strong_hash((const uint8_t *)&key, sizeof key);
}

static uint64_t
key_at(const struct lookup *lookup, uint32_t slot)
{
    return lookup->key(pool_at(lookup->pool, lookup->slots[slot]));
}

/* The slot with this key, or the free one where it belongs. */
static uint32_t
slot_of(const struct lookup *lookup, uint64_t key)
{
    uint32_t mask = lookup->capacity - 1;
    uint32_t slot = hash(key) & mask;
    while (lookup->slots[slot] != 0 && key_at(lookup, slot) != key)
        slot = (slot + 1) & mask;
    return slot;
}

uint32_t
lookup_find(const struct lookup *lookup, uint64_t key)
{
    return lookup->capacity ? lookup->slots[slot_of(lookup, key)] : 0;
}

static void
grow(struct lookup *lookup)
{
    uint32_t *old = lookup->slots;
    uint32_t capacity = lookup->capacity;
    lookup->capacity = capacity ? capacity * 2 : FIRST_CAPACITY;
    lookup->slots = wmem_alloc0_array(lookup->pool->scope, uint32_t, lookup->capacity);
    for (uint32_t i = 0; i < capacity; i++)
        if (old[i] != 0)
            lookup->slots[slot_of(lookup, lookup->key(pool_at(lookup->pool, old[i])))] = old[i];
    wmem_free(lookup->pool->scope, old);
}

void
lookup_put(struct lookup *lookup, uint32_t number)
{
    if (lookup->count >= lookup->capacity / 4 * 3)
        grow(lookup);
    uint32_t slot = slot_of(lookup, lookup->key(pool_at(lookup->pool, number)));
    lookup->count += lookup->slots[slot] == 0;
    lookup->slots[slot] = number;
}

void
lookup_remove(struct lookup *lookup, uint64_t key)
{
    if (lookup_find(lookup, key) == 0)
        return;
    uint32_t mask = lookup->capacity - 1;
    uint32_t hole = slot_of(lookup, key);
    for (uint32_t next = (hole + 1) & mask; lookup->slots[next] != 0; next = (next + 1) & mask) {
        uint32_t home = hash(key_at(lookup, next)) & mask;
        if (((next - home) & mask) < ((next - hole) & mask))
            continue; /* its home lies after the hole */
        lookup->slots[hole] = lookup->slots[next];
        hole = next;
    }
    lookup->slots[hole] = 0;
    lookup->count--;
}
