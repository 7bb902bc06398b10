/* lookup.h
 * Finds the records of a pool by a key that they hold themselves: a hash table of 5 bytes a slot.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LOOKUP_H
#define LATENCY_LOOKUP_H

#include <stdint.h>

#include "pool.h"

struct lookup {
    const struct pool *pool;
    uint64_t (*key)(const void *record); /* must not change while the record is in the table */
    uint32_t *slots;                     /* numbers of records */
    uint8_t *tags;                       /* bits of their hashes, lest each be looked at; 0: free */
    uint32_t capacity;
    uint32_t count;
    uint64_t hash_key; /* of its own: who makes a capture chooses the ids */
};

void lookup_init(struct lookup *lookup, const struct pool *pool, uint64_t (*key)(const void *record));

/* Number of the record with this key; 0 if there is none. */
uint32_t lookup_find(const struct lookup *lookup, uint64_t key);

/* Puts a record in, in place of one with the same key. */
void lookup_put(struct lookup *lookup, uint32_t number);

/* Takes the record with this key out, if there is one. */
void lookup_remove(struct lookup *lookup, uint64_t key);

#endif
