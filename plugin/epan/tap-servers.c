/* tap-servers.c
 * -z latency,servers and latency,operations: how fast each server answered, in all and by what it was asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

#include "../core/operation.h"
#include "../table/tally-row.h"
#include "by-number.h"
#include "left-out.h"
#include "names.h"
#include "packet-latency.h"
#include "stat-table.h"

struct group {
    struct endpoint server;
    bool ipv6;
    unsigned row;
    char *kind; /* of operation; "" in the table of servers */
    struct tally tally;
};

struct groups {
    bool by_operation;
    GHashTable *by_key;
    GPtrArray *rows;         /* of struct group */
    struct by_number shares; /* of struct share */
    struct left_out left_out;
};

static unsigned
hash_group(const void *key)
{
    const struct group *group = key;
    return wmem_strong_hash((const uint8_t *)&group->server, sizeof group->server) ^ g_str_hash(group->kind);
}

static int
equal_groups(const void *a, const void *b)
{
    const struct group *x = a;
    const struct group *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->server, &y->server) && strcmp(x->kind, y->kind) == 0;
}

static void
free_group(void *data)
{
    struct group *group = data;
    tally_clear(&group->tally);
    g_free(group->kind);
    g_free(group);
}

static struct groups *
open_groups(bool by_operation)
{
    struct groups *groups = g_new(struct groups, 1);
    *groups = (struct groups){
        .by_operation = by_operation,
        .by_key = g_hash_table_new(hash_group, equal_groups),
        .rows = g_ptr_array_new_with_free_func(free_group),
    };
    by_number_init(&groups->shares, sizeof(struct share));
    return groups;
}

static void *
open_servers(void)
{
    return open_groups(false);
}

static void *
open_operations(void)
{
    return open_groups(true);
}

static void
close_groups(void *rows)
{
    struct groups *groups = rows;
    g_hash_table_destroy(groups->by_key);
    g_ptr_array_free(groups->rows, TRUE);
    by_number_clear(&groups->shares);
    g_free(groups);
}

static struct group *
group_of(struct groups *groups, const struct request *request)
{
    char kind[OPERATION_ROOM] = "";
    struct group key = {
        .server = *connection_server(request->connection), .ipv6 = request->connection->ipv6, .kind = kind
    };
    if (groups->by_operation)
        memcpy(kind, request->operation, operation_kind_length(request->operation));
    struct group *group = g_hash_table_lookup(groups->by_key, &key);
    if (!group) {
        group = g_new(struct group, 1);
        *group = key;
        group->kind = g_strdup(kind);
        group->row = groups->rows->len;
        tally_init(&group->tally);
        g_hash_table_add(groups->by_key, group);
        g_ptr_array_add(groups->rows, group);
    }
    return group;
}

static int
take_item(void *rows, const void *record)
{
    struct groups *groups = rows;
    const struct item *item = record;
    left_out_take(&groups->left_out, item);
    if (item->kind != ITEM_REQUEST && item->kind != ITEM_RESPONSE && item->kind != ITEM_AMENDED)
        return -1;
    struct group *group = group_of(groups, item->request);
    struct share *share = by_number_at(&groups->shares, item->request->number);
    if (!share->counted)
        left_out_correct(&groups->left_out, item);
    tally_take(&group->tally, share, item->request);
    return (int)group->row;
}

static unsigned
count_rows(void *rows)
{
    return ((struct groups *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    struct group *group = g_ptr_array_index(((struct groups *)rows)->rows, row);
    struct tally_summary summary;
    tally_summarize(&group->tally, &summary);
    tally_row_fill(cells, endpoint_name(scope, &group->server, group->ipv6), &summary);
    if (((struct groups *)rows)->by_operation)
        cells[SERVER_COLUMNS].text = group->kind;
}

/* What kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct group *group = g_ptr_array_index(((struct groups *)rows)->rows, row);
    return (double)group->tally.first_byte.moments.sum;
}

static void
summarize(void *rows, GString *text)
{
    const struct groups *groups = rows;
    unsigned n_rows = groups->rows->len;
    uint64_t requests = 0, answered = 0, server_times = 0;
    for (unsigned i = 0; i < n_rows; i++) {
        const struct group *group = g_ptr_array_index(groups->rows, i);
        requests += group->tally.requests;
        answered += group->tally.first_byte.moments.count;
        server_times += group->tally.server_times;
    }
    g_string_append_printf(text, "%" PRIu64 " request%s, %" PRIu64 " answered, %" PRIu64 " unanswered", requests,
                           plurality(requests, "", "s"), answered, requests - answered);
    if (server_times < answered)
        g_string_append_printf(text, "; %" PRIu64 " without server time, for the handshake was not captured",
                               answered - server_times);
    g_string_append(text, ".\n");
    left_out_write(&groups->left_out, text);
}

void
register_tap_servers(void)
{
    static const struct stat_definition servers = {
        .title = "Latency: Servers",
        .argument = "latency,servers",
        .tap = LATENCY_TAP,
        .heading = "from a request's first byte to its response's first byte",
        .columns = server_columns,
        .n_columns = SERVER_COLUMNS,
        .open = open_servers,
        .close = close_groups,
        .take = take_item,
        .count = count_rows,
        .fill = fill_row,
        .weight = weigh_row,
        .summarize = summarize,
    };
    static struct stat_definition operations;
    operations = servers;
    operations.title = "Latency: Operations";
    operations.argument = "latency,operations";
    operations.columns = operation_columns;
    operations.n_columns = OPERATION_COLUMNS;
    operations.open = open_operations;
    stat_table_register(&servers);
    stat_table_register(&operations);
}
