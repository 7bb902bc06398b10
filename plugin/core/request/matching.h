/* matching.h
 * Requests that wait for an answer, by their connections and keys (exchanges.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MATCHING_H
#define LATENCY_MATCHING_H

#include "request.h"

static inline void
matching_add(struct requests *requests, struct request *request)
{
    waiting_add(&requests->waiting, request->connection->number, request->key, request);
}

/* Returns what has waited longest with that key; NULL for nothing. */
static inline struct request *
matching_first(const struct requests *requests, const struct connection *connection, uint64_t key)
{
    return waiting_first(&requests->waiting, connection->number, key);
}

/* Returns the same, which waits no longer; the next one with the key moves up. */
static inline struct request *
matching_take(struct requests *requests, const struct connection *connection, uint64_t key)
{
    return waiting_take(&requests->waiting, connection->number, key);
}

#endif
