/* worker_pins.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker_pins.h"

/* Bounds how many calls of a host, and how many connections with most calls, are looked at; those with few are not. */
enum { PIN_CALLS = 20000, PIN_CONNECTIONS = 64, PIN_LEAST = 5 };

/* A connection's calls, as places in what the host has made. */
struct pin_connection {
    uint32_t number;
    uint32_t worker;                    /* the number of one of its connections */
    const struct call_operation *first; /* of its calls */
    GArray *calls;
};

struct worker_pins {
    GHashTable *workers; /* numbers of workers, by connection */
};

/* Two connections that may be one worker's: `regular` of `seen` times there were as many calls between two. */
struct pin_pair {
    struct pin_connection *a, *b;
    uint32_t regular, seen;
};

static void
free_connection(void *data)
{
    struct pin_connection *connection = data;
    g_array_free(connection->calls, TRUE);
    g_free(connection);
}

static const struct call *
made_at(const struct calls_host *host, uint32_t place)
{
    return call_at(host->calls, host->made[place]);
}

static int
compare_connections(const void *a, const void *b)
{
    const struct pin_connection *x = *(const struct pin_connection *const *)a;
    const struct pin_connection *y = *(const struct pin_connection *const *)b;
    if (x->calls->len != y->calls->len)
        return x->calls->len < y->calls->len ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Returns the connections with most calls, to be freed. */
static GPtrArray *
find_connections(const struct calls_host *host)
{
    GHashTable *by_number = g_hash_table_new(NULL, NULL);
    GPtrArray *all = g_ptr_array_new_with_free_func(free_connection);
    for (uint32_t i = 0; i < MIN(host->n_made, PIN_CALLS); i++) {
        const uint32_t number = made_at(host, i)->connection;
        struct pin_connection *connection = g_hash_table_lookup(by_number, GUINT_TO_POINTER(number));
        if (!connection) {
            connection = g_new(struct pin_connection, 1);
            *connection = (struct pin_connection){
                .number = number,
                .worker = number,
                .first = calls_operation(host->calls, made_at(host, i)->operation),
                .calls = g_array_new(FALSE, FALSE, sizeof i),
            };
            g_hash_table_insert(by_number, GUINT_TO_POINTER(number), connection);
            g_ptr_array_add(all, connection);
        }
        g_array_append_val(connection->calls, i);
    }
    g_hash_table_destroy(by_number);
    g_ptr_array_sort(all, compare_connections);
    if (all->len > PIN_CONNECTIONS)
        g_ptr_array_set_size(all, PIN_CONNECTIONS);
    return all;
}

/* Counts how often two calls of `b`, the one with fewer, have so many of `a` between them as most often. False if any
 * two overlap. */
static bool
compare_calls(const struct calls_host *host, struct pin_pair *pair)
{
    enum { BETWEEN = 16 };
    const GArray *a = pair->a->calls, *b = pair->b->calls;
    uint32_t counts[BETWEEN] = { 0 }, between = 0, i = 0, j = 0;
    int64_t busy_ns = INT64_MIN;
    while (i < a->len || j < b->len) {
        const bool is_a = j == b->len || (i < a->len && g_array_index(a, uint32_t, i) < g_array_index(b, uint32_t, j));
        const struct call *call = made_at(host, is_a ? g_array_index(a, uint32_t, i) : g_array_index(b, uint32_t, j));
        if (call->begins_ns < busy_ns || call->end_frame == 0)
            return false;
        busy_ns = call->ends_ns;
        between += is_a;
        i += is_a;
        if (is_a)
            continue;
        if (j++ > 0)
            counts[MIN(between, BETWEEN - 1)]++;
        between = 0;
    }
    pair->seen = b->len - 1;
    for (unsigned k = 1; k < BETWEEN - 1; k++)
        pair->regular = MAX(pair->regular, counts[k]);
    return true;
}

static int
compare_pairs(const void *a, const void *b)
{
    const struct pin_pair *x = a, *y = b;
    const uint64_t more = (uint64_t)x->regular * y->seen, less = (uint64_t)y->regular * x->seen;
    if (more != less)
        return more < less ? 1 : -1;
    return (x->seen < y->seen) - (x->seen > y->seen);
}

static bool
is_to_same_server(const struct pin_connection *a, const struct pin_connection *b)
{
    return endpoint_equal(&a->first->server, &b->first->server);
}

/* Returns the pairs that are nearly always regular, those first that are most. */
static GArray *
find_pairs(const struct calls_host *host, const GPtrArray *connections)
{
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct pin_pair));
    for (unsigned i = 0; i < connections->len; i++)
        for (unsigned j = i + 1; j < connections->len; j++) {
            struct pin_pair pair = { connections->pdata[i], connections->pdata[j], 0, 0 };
            if (pair.b->calls->len >= PIN_LEAST && !is_to_same_server(pair.a, pair.b) && compare_calls(host, &pair) &&
                pair.regular * 10 >= pair.seen * 9)
                g_array_append_val(pairs, pair);
        }
    g_array_sort(pairs, compare_pairs);
    return pairs;
}

/* Makes of two workers one, unless both have a connection to one server. */
static void
join(const GPtrArray *connections, uint32_t one, uint32_t other)
{
    for (unsigned i = 0; i < connections->len; i++)
        for (unsigned j = 0; j < connections->len; j++) {
            const struct pin_connection *a = connections->pdata[i], *b = connections->pdata[j];
            if (a != b && a->worker == one && b->worker == other && is_to_same_server(a, b))
                return;
        }
    for (unsigned i = 0; i < connections->len; i++) {
        struct pin_connection *connection = connections->pdata[i];
        if (connection->worker == other)
            connection->worker = one;
    }
}

/* Notes the workers with more than one connection. */
static void
note_workers(const struct worker_pins *pins, const GPtrArray *connections)
{
    for (unsigned i = 0; i < connections->len; i++)
        for (unsigned j = 0; j < connections->len; j++) {
            const struct pin_connection *a = connections->pdata[i], *b = connections->pdata[j];
            if (i != j && a->worker == b->worker)
                g_hash_table_insert(pins->workers, GUINT_TO_POINTER(a->number), GUINT_TO_POINTER(a->worker));
        }
}

struct worker_pins *
worker_pins_new(const struct calls_host *host)
{
    struct worker_pins *pins = g_new(struct worker_pins, 1);
    GPtrArray *connections = find_connections(host);
    GArray *pairs = find_pairs(host, connections);
    pins->workers = g_hash_table_new(NULL, NULL);
    for (unsigned i = 0; i < pairs->len; i++) {
        const struct pin_pair *pair = &g_array_index(pairs, struct pin_pair, i);
        join(connections, pair->a->worker, pair->b->worker);
    }
    note_workers(pins, connections);
    g_array_free(pairs, TRUE);
    g_ptr_array_free(connections, TRUE);
    return pins;
}

void
worker_pins_free(struct worker_pins *pins)
{
    g_hash_table_destroy(pins->workers);
    g_free(pins);
}

uint32_t
worker_pins_worker(const struct worker_pins *pins, uint32_t connection)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(pins->workers, GUINT_TO_POINTER(connection)));
}
