/* calls_ids.h
 * Which requests have an id in common, of a trace or of a request, and which client a request names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_IDS_H
#define LATENCY_CALLS_IDS_H

#include "../request/request_ids.h"

/* An id tells who caused a call only if at most so many requests have it. */
enum { CALL_ID_REQUESTS = 64 };

struct calls_ids;

/* Returns which of the requests up to number `last` have ids in common. `ids` are borrowed until calls_ids_free(), and
 * must not become more. */
struct calls_ids *calls_ids_new(const struct request_ids *ids, uint32_t last);
void calls_ids_free(struct calls_ids *ids);

/* Hands over each request that has an id in common with this one, once for each id, in the order of their numbers. */
void calls_ids_each(const struct calls_ids *ids, uint32_t number, void (*take)(void *data, uint32_t other), void *data);

/* Returns the address of the client for which a proxy sends the request, as address_hash() has it; 0: none is named. */
uint64_t calls_ids_client(const struct calls_ids *ids, uint32_t number);

/* Returns whether no request has an id, or names a client. */
bool calls_ids_are_none(const struct calls_ids *ids);

#endif
