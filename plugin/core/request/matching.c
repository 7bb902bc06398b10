/* matching.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "matching.h"

/* Behind a request stand those of its connection with the same key. */
struct waiting {
    struct request *request;
    struct waiting *next;
    struct waiting *last; /* meaningful in the first */
};

static unsigned
hash_waiting(const void *data)
{
    const struct request *request = ((const struct waiting *)data)->request;
    const uint64_t key = request->key ^ request->connection->number * UINT64_C(0x9E3779B97F4A7C15);
    return wmem_strong_hash((const uint8_t *)&key, sizeof key);
}

static int
equal_waiting(const void *a, const void *b)
{
    const struct request *x = ((const struct waiting *)a)->request, *y = ((const struct waiting *)b)->request;
    return x->key == y->key && x->connection == y->connection;
}

static struct waiting *
find(const struct requests *requests, struct connection *connection, uint64_t key)
{
    struct request of;
    const struct waiting wanted = { .request = &of };
    of.connection = connection;
    of.key = key;
    return requests->waiting ? wmem_map_lookup(requests->waiting, &wanted) : NULL;
}

struct request *
matching_first(const struct requests *requests, struct connection *connection, uint64_t key)
{
    const struct waiting *first = find(requests, connection, key);
    return first ? first->request : NULL;
}

void
matching_add(struct requests *requests, struct request *request)
{
    struct waiting *first = find(requests, request->connection, request->key);
    struct waiting *waiting = wmem_new(requests->scope, struct waiting);
    *waiting = (struct waiting){ .request = request, .last = waiting };
    if (!requests->waiting)
        requests->waiting = wmem_map_new(requests->scope, hash_waiting, equal_waiting);
    if (first)
        first->last = first->last->next = waiting;
    else
        wmem_map_insert(requests->waiting, waiting, waiting);
}

struct request *
matching_take(struct requests *requests, struct connection *connection, uint64_t key)
{
    struct waiting *first = find(requests, connection, key);
    if (!first)
        return NULL;
    struct request *request = first->request;
    wmem_map_remove(requests->waiting, first);
    if (first->next) {
        first->next->last = first->last;
        wmem_map_insert(requests->waiting, first->next, first->next);
    }
    wmem_free(requests->scope, first);
    return request;
}
