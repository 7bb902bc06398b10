/* searched_names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "searched_names.h"

#include "report_rows.h"
#include "table/ca_search_row.h"

static void
clear(void *value)
{
    ca_searched_clear(value);
}

struct groups *
searched_names_new(void)
{
    return groups_new(sizeof(struct ca_searched), clear);
}

static void
take_servers(struct ca_searched *searched, struct record *record)
{
    JsonArray *servers = record_array(record, "servers");
    for (unsigned i = 0; servers && i < json_array_get_length(servers); i++) {
        JsonNode *node = json_array_get_element(servers, i);
        struct record member = { JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL, NULL };
        struct ca_answerer server = { 0 };
        record_endpoint(&member, "server", "server_port", &server.endpoint, &server.ipv6);
        if (!member.wrong)
            ca_searched_add_server(searched, &server);
        else if (!record->wrong)
            record->wrong = "servers";
    }
}

void
searched_names_take(struct groups *names, struct record *record)
{
    struct group_key key = { .kind = record_printed_text(record, "name") };
    if (record_has(record, "client"))
        record_endpoint(record, "client", NULL, &key.client, &key.ipv6);
    struct ca_searched more = {
        .searches = record_uint(record, "searches", INT64_MAX),
        .attempts = record_uint(record, "attempts", INT64_MAX),
        .time = record_statistic(record, "time"),
    };
    const uint64_t unanswered = record_uint(record, "unanswered", INT64_MAX);
    if (unanswered + more.time.moments.count != more.searches && !record->wrong)
        record->wrong = "unanswered";
    if (!record->wrong) {
        struct ca_searched *searched = groups_at(names, &key);
        searched->searches += more.searches;
        searched->attempts += more.attempts;
        statistic_merge(&searched->time, &more.time);
        take_servers(searched, record);
    }
    ca_searched_clear(&more);
}

struct printing {
    const struct groups *names;
    bool is_pvaccess;
};

static const char *
write_server(const void *data, wmem_allocator_t *scope, const struct ca_answerer *server)
{
    (void)data;
    return report_endpoint(scope, &server->endpoint, server->ipv6);
}

static void
fill(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct printing *printing = rows;
    const struct group_key *key = groups_key(printing->names, row);
    const struct ca_searched *searched = groups_value(printing->names, row);
    ca_search_row_fill(cells, printing->is_pvaccess ? report_address(scope, &key->client, key->ipv6) : NULL,
                       ca_search_row_servers(scope, searched, write_server, NULL), key->kind, searched);
}

static double
weigh(void *rows, unsigned row)
{
    return ca_search_row_weigh(groups_value(((const struct printing *)rows)->names, row));
}

void
searched_names_print(const struct groups *names, bool is_pvaccess, const char *made_of, enum table_format format,
                     FILE *file)
{
    struct printing printing = { names, is_pvaccess };
    if (groups_count(names) == 0)
        return;
    GString *notes = g_string_new(NULL);
    ca_search_row_summarize(notes, names);
    g_string_append(notes, made_of);
    const struct text_table table = {
        .title = is_pvaccess ? PVA_SEARCHES_TITLE : CA_SEARCHES_TITLE,
        .argument = is_pvaccess ? "pva,searches" : "ca,searches",
        .format = format,
        .follows = true,
        .heading = SEARCHES_HEADING,
        .notes = notes->str,
        .columns = pva_search_columns + !is_pvaccess,
        .n_rows = groups_count(names),
        .fill = fill,
        .weight = weigh,
        .is_ranked = true,
        .rows = &printing,
    };
    text_table_print(&table, file);
    g_string_free(notes, TRUE);
}
