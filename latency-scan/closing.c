/* closing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "closing.h"

#include "core/analysis.h"
#include "table/observer.h"

struct closing {
    GQueue queue; /* of struct connection: the one that has been quiet longest first */
};

struct closing *
closing_new(void)
{
    return g_new0(struct closing, 1);
}

void
closing_free(struct closing *closing)
{
    g_queue_clear(&closing->queue);
    g_free(closing);
}

static void
note(struct closing *closing, struct connection *connection)
{
    GList *link = connection->closing;
    if (link)
        g_queue_unlink(&closing->queue, link);
    else
        link = connection->closing = g_list_alloc();
    link->data = connection;
    g_queue_push_tail_link(&closing->queue, link);
}

void
closing_note(struct closing *closing, struct connection_table *table, struct connection *connection)
{
    struct connection *replaced = connection_replaced(table);
    if (replaced)
        note(closing, replaced);
    note(closing, connection);
}

static void
forget(struct analysis *analysis, struct connection *connection, const struct listeners *listeners)
{
    analysis_end_connection(analysis, connection);
    listeners_tell_late(listeners);
    items_forget(analysis->items);
    observers_forget(listeners->source, connection);
    analysis_forget(analysis, connection);
}

void
closing_forget(struct closing *closing, const struct listeners *listeners)
{
    struct analysis *analysis = listeners->source->analysis;
    struct connection *connection;
    while ((connection = g_queue_peek_head(&closing->queue)) &&
           connection_is_quiet(connection, listeners->source->last_ns)) {
        g_list_free_1(g_queue_pop_head_link(&closing->queue));
        connection->closing = NULL;
        if (!connection_has_ended(connection))
            analysis_shed(analysis, connection);
        else if (!connection->circuit)
            forget(analysis, connection, listeners);
    }
}
