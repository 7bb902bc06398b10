/* analysis_end.c
 * Ends: of a capture, and of connections in the midst of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "analysis.h"

#include "protocol/opening.h"
#include "util/seldom.h"

static void
begin_end(struct analysis *analysis)
{
    analysis->requests.frame = UINT32_MAX;
    items_enter(analysis->items, analysis->requests.frame);
}

static SELDOM void
end_connection(struct analysis *analysis, struct connection *connection)
{
    stream_end(analysis->streams, connection);
    quic_end(&analysis->requests, connection);
    opening_end(analysis->openings, connection, true);
}

static int
compare_connections(const void *a, const void *b)
{
    const struct connection *x = *(struct connection *const *)a;
    const struct connection *y = *(struct connection *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

void
analysis_end(struct analysis *analysis)
{
    GPtrArray *waiting = g_ptr_array_new();
    begin_end(analysis);
    streams_add_waiting(analysis->streams, waiting);
    openings_add_open(analysis->openings, waiting);
    quic_add_waiting(&analysis->quic, waiting);
    g_ptr_array_sort(waiting, compare_connections);
    for (unsigned i = 0; i < waiting->len; i++)
        end_connection(analysis, g_ptr_array_index(waiting, i));
    g_ptr_array_free(waiting, TRUE);
}

void
analysis_end_connection(struct analysis *analysis, struct connection *connection)
{
    begin_end(analysis);
    end_connection(analysis, connection);
}

inline struct connection *
analysis_end_next(struct analysis *analysis, const struct segment *segment)
{
    struct connection *connection;
    unsigned count;
    analysis->requests.frame = segment->frame;
    items_enter(analysis->items, segment->frame);
    /* Of another segment in the frame. */
    if (items_late(analysis->items, &count))
        return NULL;
    while ((connection = lingering_next(&analysis->lingering, &analysis->lingering.open, segment->time_ns, UINT32_MAX)))
        analysis_shed(analysis, connection);
    connection =
        lingering_next(&analysis->lingering, &analysis->lingering.ended, segment->time_ns, ANALYSIS_ENDED_MOST);
    if (!connection)
        return NULL;
    connection_retire(analysis->connections, connection);
    end_connection(analysis, connection);
    return connection;
}
