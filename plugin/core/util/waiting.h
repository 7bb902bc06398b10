/* waiting.h
 * What waits for an answer: by whose it is (a connection, a circuit) and by a key, which the answer repeats. What waits
 * with the same key is answered first in, first out.
 *
 * What waits is a pointer of its owner's, or one of its numbers made a pointer (GUINT_TO_POINTER()). It has no links,
 * as many records live on for long when they have been answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WAITING_H
#define LATENCY_WAITING_H

#include "hashed.h"
#include "pool.h"

struct waiting {
    struct hashed_table heads; /* of struct waiter: for each key, what has waited longest */
    struct pool waiters;       /* as many as have waited at a time */
    struct waiter *spare;      /* the first of those that are not in use; NULL for none */
};

/* Everything allocated lives in `scope`. */
void waiting_init(struct waiting *waiting, wmem_allocator_t *scope);

/* Puts what is not NULL behind what waits with the same key. */
void waiting_add(struct waiting *waiting, uint32_t whose, uint64_t key, void *what);

/* Returns what has waited longest with this key; NULL if nothing waits. */
void *waiting_first(const struct waiting *waiting, uint32_t whose, uint64_t key);

/* Returns the same, which waits no longer: the next one with the key moves up. */
void *waiting_take(struct waiting *waiting, uint32_t whose, uint64_t key);

/* Nothing waits with this key any longer. */
void waiting_forget(struct waiting *waiting, uint32_t whose, uint64_t key);

/* Returns how much waits with this key. */
unsigned waiting_count(const struct waiting *waiting, uint32_t whose, uint64_t key);

#endif
