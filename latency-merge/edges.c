/* edges.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "edges.h"

#include "json/line_kinds.h"
#include "key.h"

/* A request without response. */
struct open {
    struct group_key key; /* first: the connection's endpoints */
    int64_t begin_ns, end_ns;
    int64_t network_server_ns; /* -1 if unknown */
    char *kind;
    char *host; /* "" for none */
};

struct edges {
    GHashTable *before; /* of struct open */
    GHashTable *now;    /* likewise: of the capture being read */
    uint64_t joined;
};

static void
free_open(void *data)
{
    struct open *open = data;
    g_free(open->kind);
    g_free(open->host);
    g_free(open);
}

static GHashTable *
new_table(void)
{
    return g_hash_table_new_full(group_key_hash, group_key_equal, NULL, free_open);
}

struct edges *
edges_new(void)
{
    struct edges *edges = g_new(struct edges, 1);
    *edges = (struct edges){ new_table(), new_table(), 0 };
    return edges;
}

void
edges_free(struct edges *edges)
{
    g_hash_table_destroy(edges->before);
    g_hash_table_destroy(edges->now);
    g_free(edges);
}

void
edges_take_open(struct edges *edges, struct record *record)
{
    struct open_line line;
    if (!line_read(record, &open_members, &line))
        return;
    const struct group_key key = key_of_ends(record, &line.client, &line.server, true);
    if (record->wrong)
        return;
    struct open *open = g_new(struct open, 1);
    *open = (struct open){
        .key = key,
        .begin_ns = line.request_time,
        .end_ns = line.request_end_time,
        .network_server_ns = line.network_server,
        .kind = g_strdup(line.kind),
        .host = g_strdup(line.host),
    };
    g_hash_table_replace(edges->now, open, open);
}

void
edges_take_unmatched(struct edges *edges, struct record *record, struct totals *totals)
{
    struct unmatched_line line;
    if (!line_read(record, &unmatched_members, &line))
        return;
    const struct group_key key = key_of_ends(record, &line.client, &line.server, true);
    if (record->wrong)
        return;
    const struct open *open = g_hash_table_lookup(edges->before, &key);
    if (!open)
        return;
    struct tcp_part tcp = { .connect.network_server_ns = open->network_server_ns };
    struct connection connection = { .tcp = &tcp };
    const struct request request = {
        .connection = &connection,
        .first_ns = open->begin_ns,
        .last_ns = open->end_ns,
        .response = { .first_frame = 1, .first_ns = line.time, .last_ns = line.last_time, .bytes = line.bytes },
        .operation = "",
    };
    const struct measured measured = request_measure(NULL, &request);
    const struct group_key operation = { .server = key.server, .kind = open->kind, .ipv6 = key.ipv6 };
    const struct group_key host = group_of_host_named(open->host, &key.server, key.ipv6);
    totals_add_answer(totals, &operation, &host, &measured);
    g_hash_table_remove(edges->before, &key);
    edges->joined++;
}

void
edges_end_capture(struct edges *edges)
{
    GHashTableIter each;
    void *open;
    g_hash_table_iter_init(&each, edges->now);
    while (g_hash_table_iter_next(&each, &open, NULL)) {
        g_hash_table_iter_steal(&each);
        g_hash_table_replace(edges->before, open, open);
    }
}

uint64_t
edges_joined(const struct edges *edges)
{
    return edges->joined;
}
