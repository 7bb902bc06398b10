/* call_map.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_map.h"

void
call_map_init(struct call_map *map)
{
    *map = (struct call_map){
        .edges = g_ptr_array_new_with_free_func(g_free),
        .by_pair = g_hash_table_new(g_int64_hash, g_int64_equal),
    };
}

void
call_map_clear(struct call_map *map)
{
    g_hash_table_destroy(map->by_pair);
    g_ptr_array_free(map->edges, TRUE);
}

static struct call_edge *
edge_at(struct call_map *map, uint32_t caller, uint32_t called)
{
    const int64_t pair = (int64_t)((uint64_t)caller << 32 | called);
    struct call_edge *edge = g_hash_table_lookup(map->by_pair, &pair);
    if (edge)
        return edge;
    edge = g_new0(struct call_edge, 1);
    edge->pair = pair;
    edge->caller = caller;
    edge->called = called;
    g_ptr_array_add(map->edges, edge);
    g_hash_table_insert(map->by_pair, &edge->pair, edge);
    return edge;
}

static void
count_call(struct call_edge *edge, const struct asked *call)
{
    edge->calls++;
    edge->errors += call->failed;
    edge->unanswered += (outcome_says(call->outcome) & OUTCOME_IS_UNANSWERED) != 0;
    edge->by_worker += call->has_cause && call->rule == CALL_WORKER;
}

/* Adds the time of a call that no earlier one of the edge and the same request has had: calls come in the order in
 * which they began. */
static void
add_time(const struct call_map *map, struct call_edge *edge, const struct asked *cause, const struct asked *call)
{
    if (edge->counted != map->requests)
        edge->counted_ns = cause->begin_ns;
    edge->counted = map->requests;
    const int64_t from_ns = MAX(call->begin_ns, edge->counted_ns), until_ns = MIN(call->until_ns, cause->until_ns);
    if (until_ns <= from_ns)
        return;
    wide_add_int(&edge->time_ns, until_ns - from_ns);
    edge->counted_ns = until_ns;
}

static void
take_calls(struct call_map *map, const struct call_links *links, const struct asked *cause)
{
    for (uint32_t i = 0; i < cause->calls; i++) {
        const struct asked *call = call_links_at(links, call_links_call(links, cause, i));
        struct call_edge *edge = edge_at(map, cause->server, call->server);
        count_call(edge, call);
        add_time(map, edge, cause, call);
    }
}

void
call_map_take(struct call_map *map, const struct call_links *links, bool (*serves)(void *data, uint32_t client),
              void *data)
{
    for (uint32_t place = 0; place < links->asked->len; place++) {
        const struct asked *asked = call_links_at(links, place);
        map->requests++;
        if (asked->has_cause || asked->rule == CALL_SEVERAL) {
            map->told[asked->rule]++;
        } else if (asked->is_uncaused || serves(data, asked->client)) {
            map->none += !asked->is_pushed;
        } else {
            struct call_edge *edge = edge_at(map, CALL_CLIENTS, asked->server);
            count_call(edge, asked);
            wide_add_int(&edge->time_ns, asked->until_ns - asked->begin_ns);
        }
        take_calls(map, links, asked);
    }
}

static int
compare_edges(const void *a, const void *b)
{
    const struct call_edge *x = *(struct call_edge *const *)a;
    const struct call_edge *y = *(struct call_edge *const *)b;
    const int longer = wide_compare(y->time_ns, x->time_ns);
    return longer != 0 ? longer : (x->pair > y->pair) - (x->pair < y->pair);
}

void
call_map_sort(struct call_map *map)
{
    g_ptr_array_sort(map->edges, compare_edges);
}

bool
call_map_has_calls(const struct call_map *map)
{
    for (unsigned i = 0; i < map->edges->len; i++)
        if (((const struct call_edge *)g_ptr_array_index(map->edges, i))->caller != CALL_CLIENTS)
            return true;
    return false;
}
