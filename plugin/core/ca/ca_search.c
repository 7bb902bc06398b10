/* ca_search.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_search.h"

#include <string.h>

/* Those of one host with the same cid that are looked at: each process counts its cids from the same start. */
enum { CANDIDATES_MOST = 32, REPLIERS_MOST = 32 };

static uint64_t
key_by_searcher(const void *record)
{
    const struct ca_search *search = record;
    return (uint64_t)search->searcher << 32 | search->cid;
}

static uint64_t
key_by_host(const void *record)
{
    const struct ca_search *search = record;
    return (uint64_t)search->host << 32 | search->cid;
}

void
ca_searches_init(struct ca_searches *searches, wmem_allocator_t *scope)
{
    pool_init(&searches->pool, scope, sizeof(struct ca_search));
    pool_init(&searches->repliers, scope, sizeof(struct ca_replier));
    lookup_init(&searches->by_searcher, &searches->pool, key_by_searcher);
    lookup_init(&searches->by_host, &searches->pool, key_by_host);
    ca_parties_init(&searches->peers, scope);
    texts_init(&searches->names, scope);
}

struct ca_search *
ca_search_at(const struct ca_searches *searches, uint32_t number)
{
    return pool_at(&searches->pool, number);
}

static uint32_t
find(const struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid)
{
    return lookup_find(&searches->by_searcher, (uint64_t)batch->searcher->number << 32 | cid);
}

static bool
is_named(const struct ca_search *search, const uint8_t *name, size_t bytes)
{
    return strlen(search->pv) == bytes && (bytes == 0 || memcmp(search->pv, name, bytes) == 0);
}

static uint32_t
begin(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid, const char *pv,
      const struct ca_arrival *arrival)
{
    uint32_t number = pool_add(&searches->pool);
    struct ca_search *search = ca_search_at(searches, number);
    const struct ca_peer *searcher = batch->searcher;
    *search = (struct ca_search){
        .pv = pv,
        .first_ns = arrival->time_ns,
        .cid = cid,
        .searcher = searcher->number,
        .host = ca_peer(&searches->peers, CA_HOST, &searcher->endpoint, searcher->ipv6)->number,
        .first_frame = arrival->frame,
    };
    search->older = lookup_find(&searches->by_host, key_by_host(search));
    lookup_put(&searches->by_searcher, number);
    lookup_put(&searches->by_host, number);
    return number;
}

uint32_t
ca_search_ask(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid, const uint8_t *name,
              size_t name_bytes, const struct ca_arrival *arrival)
{
    uint32_t number = find(searches, batch, cid);
    struct ca_search *search = ca_search_at(searches, number);
    bool same = search && is_named(search, name, name_bytes);
    if (!same || search->used) {
        const char *pv = same ? search->pv : texts_add(&searches->names, name, name_bytes);
        uint32_t channel = same ? search->channel : 0;
        number = begin(searches, batch, cid, pv, arrival);
        search = ca_search_at(searches, number);
        search->channel = channel;
    }
    if (batch->has_sequence)
        ca_peer_try(&searches->peers, batch->searcher,
                    &(struct ca_attempt){ arrival->time_ns, arrival->frame, batch->sequence });
    if (search->server == 0) {
        search->attempts++;
        search->attempt_ns = arrival->time_ns;
        search->attempt_frame = arrival->frame;
    }
    return number;
}

uint32_t
ca_search_find(const struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid, const uint8_t *name,
               size_t name_bytes)
{
    uint32_t number = find(searches, batch, cid);
    const struct ca_search *search = ca_search_at(searches, number);
    return search && is_named(search, name, name_bytes) ? number : 0;
}

static void
add_replier(struct ca_searches *searches, struct ca_search *search, uint32_t server)
{
    unsigned count = 0;
    if (search->server == server)
        return;
    for (uint32_t other = search->others; other != 0; count++) {
        const struct ca_replier *replier = pool_at(&searches->repliers, other);
        if (replier->server == server)
            return;
        other = replier->next;
    }
    if (count == REPLIERS_MOST)
        return;
    uint32_t number = pool_add(&searches->repliers);
    *(struct ca_replier *)pool_at(&searches->repliers, number) = (struct ca_replier){ server, search->others };
    search->others = number;
}

uint32_t
ca_search_reply(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid, const struct ca_peer *server,
                const struct ca_arrival *arrival)
{
    uint32_t number = find(searches, batch, cid);
    struct ca_search *search = ca_search_at(searches, number);
    if (!search)
        return 0;
    search->replies = (uint16_t)MIN(search->replies + 1, UINT16_MAX);
    if (search->server != 0) {
        add_replier(searches, search, server->number);
        return number;
    }
    const struct ca_attempt *attempt = batch->has_sequence ? ca_peer_attempt(batch->searcher, batch->sequence) : NULL;
    if (attempt && attempt->frame >= search->first_frame) {
        search->attempt_ns = attempt->time_ns;
        search->attempt_frame = attempt->frame;
    }
    search->server = server->number;
    search->answer_ns = arrival->time_ns;
    search->answer_frame = arrival->frame;
    return number;
}

uint32_t
ca_search_not_found(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid)
{
    uint32_t number = find(searches, batch, cid);
    if (number)
        ca_search_at(searches, number)->not_found = true;
    return number;
}

static bool
was_answered_by(const struct ca_searches *searches, const struct ca_search *search, uint32_t server)
{
    if (search->server == server)
        return server != 0;
    for (uint32_t other = search->others; other != 0;) {
        const struct ca_replier *replier = pool_at(&searches->repliers, other);
        if (replier->server == server)
            return true;
        other = replier->next;
    }
    return false;
}

uint32_t
ca_search_use(struct ca_searches *searches, uint32_t host, uint32_t cid, const char *pv, uint32_t server,
              bool *ambiguous)
{
    uint32_t found = 0;
    uint32_t number = lookup_find(&searches->by_host, (uint64_t)host << 32 | cid);
    *ambiguous = false;
    for (unsigned i = 0; number != 0 && i < CANDIDATES_MOST; i++) {
        const struct ca_search *search = ca_search_at(searches, number);
        if (!search->used && was_answered_by(searches, search, server) && strcmp(search->pv, pv) == 0) {
            *ambiguous = found != 0;
            found = found ? found : number;
        }
        number = search->older;
    }
    if (found)
        ca_search_at(searches, found)->used = true;
    return found;
}

int64_t
ca_search_time(const struct ca_search *search)
{
    return search->server ? MAX(search->answer_ns - search->first_ns, 0) : -1;
}

int64_t
ca_search_latency(const struct ca_search *search)
{
    return search->server ? MAX(search->answer_ns - search->attempt_ns, 0) : -1;
}
