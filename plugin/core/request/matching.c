/* matching.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "matching.h"

static uint32_t
hash_of(const struct requests *requests, const struct connection *connection, uint64_t key)
{
    uint64_t secret = requests->waiting.key;
    return (uint32_t)hashed_mix(key ^ secret, connection->number ^ secret << 1);
}

struct request *
matching_first(const struct requests *requests, const struct connection *connection, uint64_t key)
{
    if (requests->waiting.count == 0)
        return NULL;
    struct hashed *found = hashed_first(&requests->waiting, hash_of(requests, connection, key));
    for (; found; found = hashed_next(found)) {
        struct request *request = (struct request *)found;
        if (request->key == key && request->connection == connection)
            return request;
    }
    return NULL;
}

void
matching_add(struct requests *requests, struct request *request)
{
    struct request *first = matching_first(requests, request->connection, request->key);
    if (!requests->waiting.chains)
        hashed_init(&requests->waiting, requests->scope);
    request->waits_behind = NULL;
    request->waits_last = request;
    if (first)
        first->waits_last = first->waits_last->waits_behind = request;
    else
        hashed_add(&requests->waiting, &request->waiting, hash_of(requests, request->connection, request->key));
}

struct request *
matching_take(struct requests *requests, const struct connection *connection, uint64_t key)
{
    struct request *request = matching_first(requests, connection, key);
    if (!request)
        return NULL;
    struct request *next = request->waits_behind;
    hashed_remove(&requests->waiting, &request->waiting);
    if (next) {
        next->waits_last = request->waits_last;
        hashed_add(&requests->waiting, &next->waiting, request->waiting.hash);
    }
    return request;
}
