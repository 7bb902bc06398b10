/* closing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "closing.h"

#include "core/analysis.h"
#include "table/observer.h"

struct closing {
    GPtrArray *over; /* of struct connection */
    struct lingering conversations;
    uint32_t conversations_most;
};

struct closing *
closing_new(uint32_t conversations_most)
{
    struct closing *closing = g_new0(struct closing, 1);
    closing->over = g_ptr_array_new();
    closing->conversations_most = conversations_most;
    return closing;
}

void
closing_free(struct closing *closing)
{
    g_ptr_array_free(closing->over, TRUE);
    g_free(closing);
}

void
closing_tell_ends(struct closing *closing, const struct segment *segment, const struct listeners *listeners)
{
    struct table_source *source = listeners->source;
    struct connection *connection;
    while ((connection = analysis_end_next(source->analysis, segment))) {
        listeners_tell_end(listeners);
        items_told(source->analysis->items);
        /* What captures at several points, and circuits of Channel Access, know of a connection refers to it. */
        if (!source->has_points && !connection->tcp->circuit)
            g_ptr_array_add(closing->over, connection);
    }
}

void
closing_note(struct closing *closing, struct connection *conversation)
{
    lingering_note(&closing->conversations, conversation, true);
}

static void
forget(struct analysis *analysis, struct connection *connection, const struct listeners *listeners)
{
    observers_forget(listeners->source, connection);
    analysis_forget(analysis, connection);
}

static void
forget_all(struct closing *closing, const struct listeners *listeners)
{
    struct analysis *analysis = listeners->source->analysis;
    struct connection *conversation;
    for (unsigned i = 0; i < closing->over->len; i++)
        forget(analysis, g_ptr_array_index(closing->over, i), listeners);
    g_ptr_array_set_size(closing->over, 0);
    while (!listeners->source->has_points &&
           (conversation =
                lingering_next_open(&closing->conversations, listeners->source->last_ns, closing->conversations_most)))
        forget(analysis, conversation, listeners);
}

void
closing_forget(struct closing *closing, const struct listeners *listeners)
{
    if (closing->over->len > 0 || closing->conversations.open.count > 0)
        forget_all(closing, listeners);
}
