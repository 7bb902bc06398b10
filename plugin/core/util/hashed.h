/* hashed.h
 * A hash table whose links are in its records: nothing is allocated for a record, and none is looked at whose hash
 * differs. The caller hashes, and compares: where it is found out which of the records with one hash is meant.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HASHED_H
#define LATENCY_HASHED_H

#include <stdint.h>

#include <wsutil/wmem/wmem.h>

#include "wide.h"

/* In a record, its first member. */
struct hashed {
    struct hashed *next; /* in its chain */
    uint32_t hash;
};

struct hashed_table {
    wmem_allocator_t *scope;
    struct hashed **chains;
    uint32_t n_chains; /* a power of two */
    uint32_t count;
    uint64_t key; /* of its hashes, another one in each run: who makes a capture chooses what is hashed */
};

/* A key for hashed_mix(). */
uint64_t hashed_new_key(void);

/* `scope`: NULL for none; then call hashed_clear(). */
void hashed_init(struct hashed_table *table, wmem_allocator_t *scope);
void hashed_clear(struct hashed_table *table);

void hashed_add(struct hashed_table *table, struct hashed *record, uint32_t hash);
void hashed_remove(struct hashed_table *table, struct hashed *record);

static inline struct hashed *
hashed_with(struct hashed *record, uint32_t hash)
{
    while (record && record->hash != hash)
        record = record->next;
    return record;
}

/* The records with this hash: NULL after the last. */
static inline struct hashed *
hashed_first(const struct hashed_table *table, uint32_t hash)
{
    return hashed_with(table->chains[hash & (table->n_chains - 1)], hash);
}

static inline struct hashed *
hashed_next(const struct hashed *record)
{
    return hashed_with(record->next, record->hash);
}

/* All bits of two words, of which one is keyed: both halves of their product (as wyhash, by Wang Yi, does). */
static inline uint64_t
hashed_mix(uint64_t a, uint64_t b)
{
    const unsigned_wide product = wide_multiply(a, b);
    return product.low ^ product.high;
}

/* Returns a hash of `n` bytes under a key, which may be the hash of what stands before them. That of no bytes depends
 * on the key, too. */
uint64_t hashed_bytes(uint64_t key, const void *bytes, size_t n);

#endif
