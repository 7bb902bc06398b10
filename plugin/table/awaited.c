/* awaited.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "awaited.h"

#include "../core/analysis.h"

static void
forget(void *data, const struct connection *connection)
{
    struct awaited *awaited = data;
    if (!g_hash_table_contains(awaited->attempts, connection))
        return;
    awaited->take(awaited->rows, connection);
    g_hash_table_remove(awaited->attempts, connection);
}

static void
end_capture(void *data)
{
    struct awaited *awaited = data;
    awaited_settle(awaited);
    g_hash_table_remove_all(awaited->attempts);
}

void
awaited_open(struct awaited *awaited, struct table_source *source,
             void (*take)(void *rows, const struct connection *attempt), void *rows)
{
    *awaited = (struct awaited){
        .source = source,
        .attempts = g_hash_table_new(NULL, NULL),
        .take = take,
        .rows = rows,
        .observer = { .data = awaited, .forget = forget, .end = end_capture },
    };
    observer_add(source, &awaited->observer);
}

void
awaited_close(struct awaited *awaited)
{
    observer_remove(awaited->source, &awaited->observer);
    g_hash_table_destroy(awaited->attempts);
}

enum connect_result
awaited_result(struct awaited *awaited, const struct connection *attempt)
{
    const enum connect_result result = connection_connect_result(attempt, awaited->source->analysis->requests.last_ns);
    if (result == CONNECT_WAITING)
        g_hash_table_add(awaited->attempts, (void *)attempt);
    else if (g_hash_table_size(awaited->attempts) > 0)
        g_hash_table_remove(awaited->attempts, attempt);
    return result;
}

void
awaited_settle(struct awaited *awaited)
{
    GList *attempts = g_hash_table_get_keys(awaited->attempts);
    for (const GList *each = attempts; each; each = each->next)
        awaited->take(awaited->rows, each->data);
    g_list_free(attempts);
}
