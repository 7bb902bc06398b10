/* waiting.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "waiting.h"

#include "seldom.h"

struct waiter {
    struct hashed hashed; /* meaningful in the first with its key, as `last` is */
    uint64_t key;
    uint32_t whose;
    void *what;
    struct waiter *behind; /* the next one with the key, or of the spare ones; NULL for none */
    struct waiter *last;   /* with the key */
};

void
waiting_init(struct waiting *waiting, wmem_allocator_t *scope)
{
    hashed_init(&waiting->heads, scope);
    pool_init(&waiting->waiters, scope, sizeof(struct waiter));
    waiting->spare = NULL;
}

static uint32_t
hash_of(const struct waiting *waiting, uint32_t whose, uint64_t key)
{
    const uint64_t secret = waiting->heads.key;
    return (uint32_t)hashed_mix(key ^ secret, whose ^ secret << 1);
}

/* Returns the waiter that is first with this key, whose hash is `hash`; NULL if none waits. */
static inline struct waiter *
first_of(const struct waiting *waiting, uint32_t whose, uint64_t key, uint32_t hash)
{
    struct waiter *waiter = (struct waiter *)hashed_first(&waiting->heads, hash);
    while (waiter && (waiter->key != key || waiter->whose != whose))
        waiter = (struct waiter *)hashed_next(&waiter->hashed);
    return waiter;
}

/* Returns a new waiter, which has none behind it. */
static SELDOM struct waiter *
waiter_new(struct waiting *waiting)
{
    return pool_at(&waiting->waiters, pool_add(&waiting->waiters));
}

void
waiting_add(struct waiting *waiting, uint32_t whose, uint64_t key, void *what)
{
    const uint32_t hash = hash_of(waiting, whose, key);
    struct waiter *first = first_of(waiting, whose, key, hash);
    struct waiter *waiter = waiting->spare ? waiting->spare : waiter_new(waiting);
    waiting->spare = waiter->behind;
    waiter->key = key;
    waiter->whose = whose;
    waiter->what = what;
    waiter->behind = NULL;
    waiter->last = waiter;
    if (first)
        first->last = first->last->behind = waiter;
    else
        hashed_add(&waiting->heads, &waiter->hashed, hash);
}

void *
waiting_first(const struct waiting *waiting, uint32_t whose, uint64_t key)
{
    const struct waiter *first = first_of(waiting, whose, key, hash_of(waiting, whose, key));
    return first ? first->what : NULL;
}

void *
waiting_take(struct waiting *waiting, uint32_t whose, uint64_t key)
{
    struct waiter *first = first_of(waiting, whose, key, hash_of(waiting, whose, key));
    if (!first)
        return NULL;
    struct waiter *next = first->behind;
    hashed_remove(&waiting->heads, &first->hashed);
    if (next) {
        next->last = first->last;
        hashed_add(&waiting->heads, &next->hashed, first->hashed.hash);
    }
    first->behind = waiting->spare;
    waiting->spare = first;
    return first->what;
}

void
waiting_forget(struct waiting *waiting, uint32_t whose, uint64_t key)
{
    while (waiting_take(waiting, whose, key))
        continue;
}

unsigned
waiting_count(const struct waiting *waiting, uint32_t whose, uint64_t key)
{
    unsigned count = 0;
    const struct waiter *waiter = first_of(waiting, whose, key, hash_of(waiting, whose, key));
    for (; waiter; waiter = waiter->behind)
        count++;
    return count;
}
