/* closing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "closing.h"

#include <glib.h>

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

void
closing_note(struct closing *closing, struct connection *connection)
{
    GList *link = connection->closing;
    if (link)
        g_queue_unlink(&closing->queue, link);
    else
        link = connection->closing = g_list_alloc();
    link->data = connection;
    g_queue_push_tail_link(&closing->queue, link);
}

struct connection *
closing_next(struct closing *closing, int64_t now_ns)
{
    struct connection *connection = g_queue_peek_head(&closing->queue);
    if (!connection || !connection_is_quiet(connection, now_ns))
        return NULL;
    g_list_free_1(g_queue_pop_head_link(&closing->queue));
    connection->closing = NULL;
    return connection;
}
