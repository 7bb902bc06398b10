/* lingering.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lingering.h"

void
lingering_init(struct lingering *lingering)
{
    g_queue_init(&lingering->ended);
    g_queue_init(&lingering->open);
}

void
lingering_clear(struct lingering *lingering)
{
    g_queue_clear(&lingering->ended);
    g_queue_clear(&lingering->open);
}

static GQueue *
queue_of(struct lingering *lingering, const struct connection *connection)
{
    return connection->lingers_open ? &lingering->open : &lingering->ended;
}

static void
move_to_tail(GQueue *queue, struct connection *connection)
{
    GList *link = connection->lingers;
    if (link == queue->tail && link)
        return;
    if (link)
        g_queue_unlink(queue, link);
    else
        link = connection->lingers = g_list_alloc();
    link->data = connection;
    g_queue_push_tail_link(queue, link);
}

void
lingering_note(struct lingering *lingering, struct connection *connection, bool with_open)
{
    const bool is_open = !connection_has_ended(connection);
    if (connection->lingers && is_open != connection->lingers_open)
        lingering_drop(lingering, connection);
    if (is_open && !with_open)
        return;
    connection->lingers_open = is_open;
    move_to_tail(queue_of(lingering, connection), connection);
}

void
lingering_drop(struct lingering *lingering, struct connection *connection)
{
    if (!connection->lingers)
        return;
    g_queue_delete_link(queue_of(lingering, connection), connection->lingers);
    connection->lingers = NULL;
}

struct connection *
lingering_next_ended(struct lingering *lingering, int64_t now_ns)
{
    struct connection *connection = g_queue_peek_head(&lingering->ended);
    if (!connection || !connection_is_quiet(connection, now_ns))
        return NULL;
    lingering_drop(lingering, connection);
    return connection;
}

struct connection *
lingering_next_open(struct lingering *lingering, int64_t now_ns, uint32_t most)
{
    struct connection *connection = g_queue_peek_head(&lingering->open);
    if (!connection || (!connection_is_quiet(connection, now_ns) && lingering->open.length <= most))
        return NULL;
    lingering_drop(lingering, connection);
    return connection;
}
