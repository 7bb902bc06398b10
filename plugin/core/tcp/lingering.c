/* lingering.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lingering.h"

static inline struct lingering_row *
row_of(struct lingering *lingering, const struct connection *connection)
{
    return connection->lingers == LINGERS_OPEN ? &lingering->open : &lingering->ended;
}

static void
leave(struct lingering_row *row, struct connection *connection)
{
    struct connection *before = connection->lingers_before, *behind = connection->lingers_behind;
    *(before ? &before->lingers_behind : &row->first) = behind;
    *(behind ? &behind->lingers_before : &row->last) = before;
    row->count--;
}

static void
join(struct lingering_row *row, struct connection *connection)
{
    connection->lingers_before = row->last;
    connection->lingers_behind = NULL;
    *(row->last ? &row->last->lingers_behind : &row->first) = connection;
    row->last = connection;
    row->count++;
}

inline void
lingering_note(struct lingering *lingering, struct connection *connection, bool with_open)
{
    const enum lingers lingers = connection_has_ended(connection) ? LINGERS_ENDED : LINGERS_OPEN;
    if (connection->lingers == lingers && row_of(lingering, connection)->last == connection)
        return;
    lingering_drop(lingering, connection);
    if (lingers == LINGERS_OPEN && !with_open)
        return;
    connection->lingers = lingers;
    join(row_of(lingering, connection), connection);
}

inline void
lingering_drop(struct lingering *lingering, struct connection *connection)
{
    if (connection->lingers == LINGERS_NOWHERE)
        return;
    leave(row_of(lingering, connection), connection);
    connection->lingers = LINGERS_NOWHERE;
}

inline struct connection *
lingering_next(struct lingering *lingering, const struct lingering_row *row, int64_t now_ns, uint32_t most)
{
    struct connection *connection = row->first;
    if (!connection || (!connection_is_quiet(connection, now_ns) && row->count <= most))
        return NULL;
    lingering_drop(lingering, connection);
    return connection;
}
