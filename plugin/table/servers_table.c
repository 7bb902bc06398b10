/* servers_table.c
 * -z latency,servers and latency,operations: how fast each server answered, in all and by what it was asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include "../core/stats/groups.h"
#include "../core/request/operation.h"
#include "tally_row.h"
#include "absence.h"
#include "omitted.h"
#include "names.h"
#include "one_sided.h"
#include "request_shares.h"

struct rows {
    struct table_source *source;
    bool by_operation;
    struct groups *groups; /* of struct tally */
    struct request_shares shares;
    struct omitted omitted;
    struct one_sided sides;
};

static void
clear_tally(void *tally)
{
    tally_clear(tally);
}

static struct tally *
tally_at(void *rows, unsigned row)
{
    return groups_value(((struct rows *)rows)->groups, row);
}

static struct rows *
open_rows(struct table_source *source, bool by_operation)
{
    struct rows *rows = g_new(struct rows, 1);
    *rows = (struct rows){
        .source = source,
        .sides.source = source,
        .by_operation = by_operation,
        .groups = groups_new(sizeof(struct tally), clear_tally),
    };
    request_shares_open(&rows->shares, source, tally_at, rows);
    return rows;
}

static void *
open_servers(struct table_source *source)
{
    return open_rows(source, false);
}

static void *
open_operations(struct table_source *source)
{
    return open_rows(source, true);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    request_shares_close(&rows->shares);
    groups_free(rows->groups);
    g_free(rows);
}

static unsigned
row_of(struct rows *rows, const struct request *request)
{
    char kind[OPERATION_ROOM];
    if (rows->by_operation)
        operation_kind(request->operation, request->framing, rows->source->settings->fold_numbers, kind);
    const struct group_key key = group_of_server(request->connection, rows->by_operation ? kind : "");
    return groups_row(rows->groups, &key);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const struct request *request = item_request(item);
    omitted_take(&rows->omitted, item);
    if (!request)
        return -1;
    struct request_share *share = request_shares_at(&rows->shares, request);
    if (!omitted_counts_share(&rows->omitted, item, &share->share))
        return -1;
    one_sided_take_request(&rows->sides, request);
    if (share->row == 0)
        share->row = row_of(rows, request) + 1;
    request_shares_take(&rows->shares, share, request);
    return (int)share->row - 1;
}

static void
merge_tally(void *tally, const void *other)
{
    tally_merge(tally, other);
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < n; i++) {
        const struct rows *other = others[i];
        groups_merge(rows->groups, other->groups, merge_tally);
        omitted_merge(&rows->omitted, &other->omitted);
    }
}

static void *
row_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct rows *)rows)->groups, key);
}

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->groups);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->groups, row);
    struct tally_summary summary;
    tally_summarize(groups_value(rows->groups, row), &summary);
    tally_row_fill(cells, endpoint_name(scope, rows->source, &key->server, key->ipv6),
                   rows->by_operation ? key->kind : NULL, &summary);
}

/* What kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct tally *tally = groups_value(((struct rows *)rows)->groups, row);
    return wide_double(tally->first_byte.moments.sum);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct tally_counts counts = { 0 };
    request_shares_settle(&rows->shares);
    for (unsigned i = 0; i < groups_count(rows->groups); i++) {
        const struct tally *tally = groups_value(rows->groups, i);
        counts.requests += tally->requests;
        counts.answered += tally->first_byte.moments.count;
        counts.farewells += tally->farewells;
        counts.waiting += tally->waiting;
        counts.by_messages += tally->by_messages;
        counts.in_tls += tally->in_tls;
        counts.server_times += tally->server_times;
    }
    tally_row_summarize(text, &counts);
    omitted_write(&rows->omitted, text);
}

static const struct one_sided *
sides(const void *rows)
{
    return &((const struct rows *)rows)->sides;
}

/* What both tables have in common. */
#define OF_REQUESTS                                                                                                    \
    .heading = TALLY_HEADING, .close = close_rows, .take = take_item, .at = row_at, .count = count_rows, .fill = fill_row,           \
    .weight = weigh_row, .is_ranked = true, .adds_up = true, .summarize = summarize, .merge = merge_rows,              \
    .absence = absence_of_requests, .one_sided = sides

const struct table_definition servers_table = {
    .title = SERVERS_TITLE,
    .argument = "latency,servers",
    .columns = server_columns,
    .open = open_servers,
    OF_REQUESTS,
};

const struct table_definition operations_table = {
    .shows_operations = true,
    .title = OPERATIONS_TITLE,
    .argument = "latency,operations",
    .columns = operation_columns,
    .last_at = 1,
    .open = open_operations,
    OF_REQUESTS,
};
