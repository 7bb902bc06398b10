/* closing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "closing.h"

#include <glib.h>

static const int64_t lingers_ns = CONNECTION_LINGERS_S * INT64_C(1000000000);

struct entry {
    struct connection *connection;
    int64_t last_ns;
    GList link; /* in the queue */
};

struct closing {
    GHashTable *entries; /* by connection */
    GQueue queue;        /* the one that has been quiet longest first */
};

struct closing *
closing_new(void)
{
    struct closing *closing = g_new0(struct closing, 1);
    closing->entries = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return closing;
}

void
closing_free(struct closing *closing)
{
    g_hash_table_destroy(closing->entries);
    g_free(closing);
}

void
closing_note(struct closing *closing, struct connection *connection, int64_t now_ns)
{
    if (!connection_has_ended(connection))
        return;
    struct entry *entry = g_hash_table_lookup(closing->entries, connection);
    if (entry) {
        g_queue_unlink(&closing->queue, &entry->link);
    } else {
        entry = g_new0(struct entry, 1);
        entry->connection = connection;
        entry->link.data = entry;
        g_hash_table_insert(closing->entries, connection, entry);
    }
    entry->last_ns = now_ns;
    g_queue_push_tail_link(&closing->queue, &entry->link);
}

struct connection *
closing_next(struct closing *closing, int64_t now_ns)
{
    struct entry *entry = g_queue_peek_head(&closing->queue);
    if (!entry || now_ns - entry->last_ns < lingers_ns)
        return NULL;
    struct connection *connection = entry->connection;
    g_queue_unlink(&closing->queue, &entry->link);
    g_hash_table_remove(closing->entries, connection);
    return connection;
}
