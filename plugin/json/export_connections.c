/* export_connections.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_connections.h"

#include "../core/analysis.h"
#include "../core/item_subject.h"
#include "export_rows.h"

/* What a connection will have rows of; flags. */
enum noted { NOTED_ATTEMPT = 1, NOTED_HANDSHAKE = 2, NOTED_GREETING = 4 };

struct connection_rows {
    const struct table_source *source;
    struct export_head *head;
    struct tallies *tallies;
    struct late_rows *late;
    GHashTable *noted; /* enum noted, by struct connection: of those that the core has */
    uint32_t before;
};

struct connection_rows *
connection_rows_new(const struct table_source *source, struct export_head *head, struct tallies *tallies,
                    struct late_rows *late)
{
    struct connection_rows *rows = g_new(struct connection_rows, 1);
    *rows = (struct connection_rows){ source, head, tallies, late, g_hash_table_new(g_direct_hash, g_direct_equal), 0 };
    return rows;
}

void
connection_rows_free(struct connection_rows *rows)
{
    g_hash_table_destroy(rows->noted);
    g_free(rows);
}

void
connection_rows_set_before(struct connection_rows *rows, uint32_t before)
{
    rows->before = before;
}

static void
note(struct connection_rows *rows, const struct connection *connection, enum noted what)
{
    unsigned noted = GPOINTER_TO_UINT(g_hash_table_lookup(rows->noted, connection));
    if (!(noted & what))
        g_hash_table_insert(rows->noted, (void *)connection, GUINT_TO_POINTER(noted | what));
}

void
connection_rows_take(struct connection_rows *rows, const struct item *item, uint32_t frame)
{
    const struct connection *attempt = item_attempt(item);
    if (attempt)
        note(rows, attempt, NOTED_ATTEMPT);
    if (item->kind == ITEM_TLS)
        note(rows, item->connection, NOTED_HANDSHAKE);
    const struct greeting *greeting = item->kind == ITEM_UNSOLICITED ? connection_greeting(item->connection) : NULL;
    if (greeting && greeting->frame == frame)
        note(rows, item->connection, NOTED_GREETING);
}

static uint32_t
number_of(const struct connection_rows *rows, const struct connection *connection)
{
    return rows->before + connection->number;
}

static void
write_attempt(const struct connection_rows *rows, const struct connection *attempt)
{
    uint32_t number = attempt->tcp->connect.number;
    const enum connect_result result = connection_connect_result(attempt, rows->source->analysis->requests.last_ns);
    struct line *line = late_rows_begin(rows->late);
    rows->head->attempts++;
    tallies_take_attempt(rows->tallies, late_rows_key(rows->source->number, LATE_ATTEMPT, number), attempt, result);
    if (rows->head->content != JSON_SUMMARY)
        attempt_row_write(line, attempt, number_of(rows, attempt), result);
    late_rows_add(rows->late, LATE_ATTEMPT, number);
}

static void
write_handshake(const struct connection_rows *rows, const struct connection *connection)
{
    uint32_t number = connection->tcp->handshake->number;
    struct line *line = late_rows_begin(rows->late);
    rows->head->handshakes++;
    tallies_take_handshake(rows->tallies, late_rows_key(rows->source->number, LATE_HANDSHAKE, number), connection);
    if (rows->head->content != JSON_SUMMARY)
        handshake_row_write(line, connection, number_of(rows, connection));
    late_rows_add(rows->late, LATE_HANDSHAKE, number);
}

static void
write_unmatched(const struct connection_rows *rows, const struct connection *unmatched)
{
    struct line *line = late_rows_begin(rows->late);
    if (unmatched_row_is_due(unmatched) && !rows->head->filter)
        unmatched_row_write(line, unmatched, number_of(rows, unmatched));
    late_rows_add(rows->late, LATE_UNMATCHED, connection_greeting(unmatched)->frame);
}

static void
write_noted(const struct connection_rows *rows, const struct connection *connection, unsigned noted)
{
    if (noted & NOTED_ATTEMPT)
        write_attempt(rows, connection);
    if (noted & NOTED_HANDSHAKE)
        write_handshake(rows, connection);
    if (noted & NOTED_GREETING)
        write_unmatched(rows, connection);
}

void
connection_rows_forget(struct connection_rows *rows, const struct connection *connection)
{
    write_noted(rows, connection, GPOINTER_TO_UINT(g_hash_table_lookup(rows->noted, connection)));
    g_hash_table_remove(rows->noted, connection);
}

void
connection_rows_end_capture(struct connection_rows *rows)
{
    GHashTableIter each;
    void *connection, *noted;
    g_hash_table_iter_init(&each, rows->noted);
    while (g_hash_table_iter_next(&each, &connection, &noted))
        write_noted(rows, connection, GPOINTER_TO_UINT(noted));
    g_hash_table_remove_all(rows->noted);
}
