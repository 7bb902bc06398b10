/* nesting.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "nesting.h"

enum { REQUESTS_LEAST = 3 };

/* An operation, and another whose requests lie within its own. */
struct pair {
    void *outer, *inner;
    struct endpoint host; /* where outer is served */
    unsigned requests;    /* of outer, of which one of inner takes half or more */
    double outer_ns;      /* how long these took */
    bool is_uncertain;    /* a request of inner from the host lies within none, or in several */
};

GPtrArray *
nesting_new(void)
{
    return heap_new(g_free);
}

static struct endpoint
host_of(const struct endpoint *endpoint)
{
    struct endpoint host = *endpoint;
    host.port = 0;
    return host;
}

void
nesting_take(GPtrArray *lasting, void *operation, const struct endpoint *client, const struct endpoint *server,
             int64_t begin_ns, int64_t end_ns, bool is_whole)
{
    const int64_t ns = end_ns == INT64_MAX ? INT64_MAX : end_ns - begin_ns;
    if (!heap_wants(lasting, NESTING_MOST, ns))
        return;
    struct lasting *request = g_new(struct lasting, 1);
    *request = (struct lasting){ { ns, begin_ns }, is_whole, operation, host_of(client), host_of(server) };
    heap_add(lasting, NESTING_MOST, &request->slow);
}

/* Returns whether the other request, to the host from which this one comes, was under way from its beginning to its
 * end. */
static bool
contains(const struct lasting *outer, const struct lasting *inner)
{
    const int64_t later_ns = inner->slow.begin_ns - outer->slow.begin_ns;
    return outer != inner && later_ns >= 0 && endpoint_equal(&outer->server, &inner->client) &&
           inner->slow.ns <= outer->slow.ns - later_ns;
}

/* Returns the only request that contains this one; NULL if there is none, or another. */
static const struct lasting *
only_container(const GPtrArray *lasting, const struct lasting *inner)
{
    const struct lasting *only = NULL;
    for (unsigned i = 0; i < lasting->len; i++) {
        const struct lasting *outer = g_ptr_array_index(lasting, i);
        if (!contains(outer, inner))
            continue;
        if (only)
            return NULL;
        only = outer;
    }
    return only && only->is_whole ? only : NULL;
}

static struct pair *
pair_at(GArray *pairs, const struct lasting *outer, const struct lasting *inner)
{
    for (unsigned i = 0; i < pairs->len; i++) {
        struct pair *pair = &g_array_index(pairs, struct pair, i);
        if (pair->outer == outer->operation && pair->inner == inner->operation)
            return pair;
    }
    const struct pair pair = { outer->operation, inner->operation, outer->server, 0, 0, false };
    g_array_append_val(pairs, pair);
    return &g_array_index(pairs, struct pair, pairs->len - 1);
}

static void
note_uncertain(GArray *pairs, const struct lasting *inner)
{
    for (unsigned i = 0; i < pairs->len; i++) {
        struct pair *pair = &g_array_index(pairs, struct pair, i);
        pair->is_uncertain |= pair->inner == inner->operation && endpoint_equal(&pair->host, &inner->client);
    }
}

static double
lasted(const GPtrArray *lasting, const void *operation)
{
    double sum_ns = 0;
    for (unsigned i = 0; i < lasting->len; i++) {
        const struct lasting *request = g_ptr_array_index(lasting, i);
        if (request->is_whole && request->operation == operation)
            sum_ns += (double)request->slow.ns;
    }
    return sum_ns;
}

/* Of requests as short as the shortest that is kept, what contains them may have been left out. */
static bool
is_complete(const GPtrArray *lasting, const struct lasting *inner, int64_t shortest_ns)
{
    return inner->is_whole && (lasting->len < NESTING_MOST || inner->slow.ns > shortest_ns);
}

static GArray *
find_pairs(const GPtrArray *lasting, int64_t shortest_ns)
{
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct pair)),
           *uncertain = g_array_new(FALSE, FALSE, sizeof(unsigned));
    for (unsigned i = 0; i < lasting->len; i++) {
        const struct lasting *inner = g_ptr_array_index(lasting, i);
        if (!is_complete(lasting, inner, shortest_ns))
            continue;
        const struct lasting *outer = only_container(lasting, inner);
        if (!outer) {
            g_array_append_val(uncertain, i);
            continue;
        }
        struct pair *pair = pair_at(pairs, outer, inner);
        const bool is_half = inner->slow.ns >= outer->slow.ns - inner->slow.ns;
        pair->requests += is_half;
        pair->outer_ns += is_half ? (double)outer->slow.ns : 0;
    }
    for (unsigned i = 0; i < uncertain->len; i++)
        note_uncertain(pairs, g_ptr_array_index(lasting, g_array_index(uncertain, unsigned, i)));
    g_array_free(uncertain, TRUE);
    return pairs;
}

void
nesting_find(GPtrArray *lasting, void (*found)(void *outer, void *inner))
{
    heap_sort(lasting);
    const struct slow *shortest = lasting->len > 0 ? g_ptr_array_index(lasting, lasting->len - 1) : NULL;
    GArray *pairs = find_pairs(lasting, shortest ? shortest->ns : 0);
    for (unsigned i = 0; i < pairs->len; i++) {
        const struct pair *pair = &g_array_index(pairs, struct pair, i);
        if (!pair->is_uncertain && pair->requests >= REQUESTS_LEAST &&
            2 * pair->outer_ns >= lasted(lasting, pair->outer))
            found(pair->outer, pair->inner);
    }
    g_array_free(pairs, TRUE);
}
