/* hashed.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "hashed.h"
#include "seldom.h"

#include <string.h>

enum { FIRST_CHAINS = 64 };

/* wmem's own hash is keyed, but ten times as slow as it need be for each packet. */
uint64_t
hashed_new_key(void)
{
    static const uint8_t high[] = "high", low[] = "low";
    return (uint64_t)wmem_strong_hash(high, sizeof high) << 32 | wmem_strong_hash(low, sizeof low);
}

void
hashed_init(struct hashed_table *table, wmem_allocator_t *scope)
{
    *table = (struct hashed_table){
        .scope = scope,
        .chains = wmem_alloc0_array(scope, struct hashed *, FIRST_CHAINS),
        .n_chains = FIRST_CHAINS,
        .key = hashed_new_key(),
    };
}

void
hashed_clear(struct hashed_table *table)
{
    wmem_free(table->scope, table->chains);
    table->chains = NULL;
}

uint64_t
hashed_bytes(uint64_t key, const void *bytes, size_t n)
{
    const char *at = bytes;
    uint64_t hash = n, word, pair[2];
    for (; n >= sizeof pair; n -= sizeof pair, at += sizeof pair) {
        memcpy(pair, at, sizeof pair);
        hash = hashed_mix(hash ^ pair[0] ^ key, pair[1] ^ (key << 1 | 1));
    }
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hashed_mix(hash ^ word ^ key, key << 1 | 1);
    }
    if (n == 0 && at != bytes)
        return hash;
    word = 0;
    memcpy(&word, at, n);
    return hashed_mix(hash ^ word ^ key, key << 1 | 1);
}

static void
put(struct hashed_table *table, struct hashed *record)
{
    struct hashed **chain = &table->chains[record->hash & (table->n_chains - 1)];
    record->next = *chain;
    *chain = record;
}

static SELDOM void
grow(struct hashed_table *table)
{
    const struct hashed_table old = *table;
    table->n_chains = old.n_chains * 2;
    table->chains = wmem_alloc0_array(table->scope, struct hashed *, table->n_chains);
    for (uint32_t i = 0; i < old.n_chains; i++)
        for (struct hashed *record = old.chains[i], *next; record; record = next) {
            next = record->next;
            put(table, record);
        }
    wmem_free(table->scope, old.chains);
}

void
hashed_add(struct hashed_table *table, struct hashed *record, uint32_t hash)
{
    if (table->count == table->n_chains)
        grow(table);
    record->hash = hash;
    put(table, record);
    table->count++;
}

void
hashed_remove(struct hashed_table *table, struct hashed *record)
{
    struct hashed **at = &table->chains[record->hash & (table->n_chains - 1)];
    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    table->count--;
}
