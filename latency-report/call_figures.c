/* call_figures.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_figures.h"

#include <inttypes.h>

#include "table/names.h"

/* Writes the server, or the clients that are none: then there is no name. */
static void
write_node(struct line *line, const struct request_figures *requests, uint32_t row)
{
    json_dumper_begin_object(&line->dumper);
    if (row != CALL_CLIENTS) {
        const struct group_key *key = groups_key(requests->servers, row);
        const struct gathered *gathered = groups_value(requests->servers, row);
        char *server = endpoint_text(&key->server, key->ipv6);
        line_text(line, "server", server);
        line_text(line, "protocol", gathered->framing == PROTOCOL_TURNS ? "" : protocol_name(gathered->framing));
        g_free(server);
    }
    json_dumper_end_object(&line->dumper);
}

/* Returns the number of the row's node, which is written if it has none yet. */
static unsigned
node_at(struct line *line, const struct request_figures *requests, GHashTable *nodes, uint32_t row)
{
    void *number;
    if (g_hash_table_lookup_extended(nodes, GUINT_TO_POINTER(row), NULL, &number))
        return GPOINTER_TO_UINT(number);
    const unsigned next = g_hash_table_size(nodes);
    write_node(line, requests, row);
    g_hash_table_insert(nodes, GUINT_TO_POINTER(row), GUINT_TO_POINTER(next));
    return next;
}

static void
write_edge(struct line *line, const struct call_edge *edge, GHashTable *nodes)
{
    json_dumper_begin_object(&line->dumper);
    line_uint(line, "from", GPOINTER_TO_UINT(g_hash_table_lookup(nodes, GUINT_TO_POINTER(edge->caller))));
    line_uint(line, "to", GPOINTER_TO_UINT(g_hash_table_lookup(nodes, GUINT_TO_POINTER(edge->called))));
    line_uint(line, "calls", edge->calls);
    line_uint(line, "errors", edge->errors);
    line_uint(line, "unanswered", edge->unanswered);
    line_uint(line, "byWorker", edge->by_worker);
    json_dumper_set_member_name(&line->dumper, "time");
    json_dumper_value_anyf(&line->dumper, "%.0f", wide_double(edge->time_ns));
    json_dumper_end_object(&line->dumper);
}

static void
write_map(struct line *line, const struct request_figures *requests)
{
    const struct call_map *map = &requests->map;
    const unsigned shown = MIN(map->edges->len, EDGES_SHOWN);
    GHashTable *nodes = g_hash_table_new(NULL, NULL);
    line_array(line, "nodes");
    for (unsigned i = 0; i < shown; i++) {
        const struct call_edge *edge = g_ptr_array_index(map->edges, i);
        node_at(line, requests, nodes, edge->caller);
        node_at(line, requests, nodes, edge->called);
    }
    line_end_array(line);
    line_array(line, "edges");
    for (unsigned i = 0; i < shown; i++)
        write_edge(line, g_ptr_array_index(map->edges, i), nodes);
    line_end_array(line);
    line_uint(line, "moreEdges", map->edges->len - shown);
    g_hash_table_destroy(nodes);
}

/* Writes how many calls are told by which rule, and how many are not told. */
static void
write_told(struct line *line, const struct call_map *map)
{
    line_object(line, "told");
    for (unsigned rule = CALL_ID; rule <= CALL_AFTER; rule++)
        if (map->told[rule] > 0)
            line_uint(line, call_rule_name(rule), map->told[rule]);
    line_end_object(line);
    line_uint(line, "several", map->told[CALL_SEVERAL]);
    line_uint(line, "none", map->none);
}

static void
write_joined(struct line *line, const struct request_figures *requests)
{
    line_array(line, "joined");
    for (unsigned i = 0; i < requests->joined->len; i++)
        line_value(line, g_ptr_array_index(requests->joined, i));
    line_end_array(line);
    line_uint(line, "moreJoined", requests->more_joined);
}

/* Writes when no call was under way: pairs of a beginning and how long. */
static void
write_own(struct line *line, const GArray *own)
{
    line_array(line, "bars");
    for (unsigned i = 0; i < own->len; i++) {
        const struct stretch *stretch = &g_array_index(own, struct stretch, i);
        line_array(line, NULL);
        json_dumper_value_anyf(&line->dumper, "%" PRId64, stretch->from_ns);
        json_dumper_value_anyf(&line->dumper, "%" PRId64, stretch->until_ns - stretch->from_ns);
        line_end_array(line);
    }
    line_end_array(line);
}

/* Says what became of it, unless it has a response without error; and how sure its cause is, unless that is certain. */
static void
write_remarks(struct line *line, const struct waterfall_row *row)
{
    if (row->failed)
        line_text(line, "failed", "error");
    else if (row->time_ns < 0)
        line_text(line, "failed", outcome_name(row->outcome));
    if (row->rule == CALL_WORKER || row->rule == CALL_AFTER)
        line_text(line, "cause", call_rule_name(row->rule));
    if (row->rule == CALL_WORKER)
        line_uint(line, "probability", row->probability);
}

static void
write_row(struct line *line, const struct request_figures *requests, const struct waterfall_row *row)
{
    json_dumper_begin_object(&line->dumper);
    line_uint(line, "depth", row->depth);
    if (row->left_out > 0) {
        line_uint(line, "more", row->left_out);
    } else {
        const struct group_key *key = groups_key(requests->operations, row->operation);
        char *server = endpoint_text(&key->server, key->ipv6);
        line_text(line, "server", server);
        line_text(line, "operation", key->kind);
        line_uint(line, "number", row->number);
        line_uint(line, "frame", row->frame);
        line_uint(line, "count", row->count);
        line_time(line, "time", row->time_ns);
        line_time(line, "own", row->own_ns);
        line_int(line, "from", row->whole.from_ns);
        line_int(line, "took", row->whole.until_ns - row->whole.from_ns);
        if (row->is_critical)
            line_true(line, "critical");
        write_remarks(line, row);
        write_own(line, row->own);
        g_free(server);
    }
    json_dumper_end_object(&line->dumper);
}

static void
write_waterfalls(struct line *line, const struct request_figures *requests)
{
    line_array(line, "waterfalls");
    for (unsigned i = 0; i < requests->waterfalls->len; i++) {
        const struct waterfall *waterfall = g_ptr_array_index(requests->waterfalls, i);
        json_dumper_begin_object(&line->dumper);
        line_uint(line, "file", waterfall->file);
        line_int(line, "after", waterfall->begin_ns - requests->time.first_ns);
        line_int(line, "took", waterfall->wait_ns);
        line_array(line, "rows");
        for (unsigned row = 0; row < waterfall->rows->len; row++)
            write_row(line, requests, &g_array_index(waterfall->rows, struct waterfall_row, row));
        line_end_array(line);
        json_dumper_end_object(&line->dumper);
    }
    line_end_array(line);
}

void
call_figures_write(struct line *line, const struct request_figures *requests)
{
    if (!call_map_has_calls(&requests->map))
        return;
    line_object(line, "calls");
    write_told(line, &requests->map);
    write_map(line, requests);
    write_joined(line, requests);
    line_end_object(line);
    write_waterfalls(line, requests);
}
