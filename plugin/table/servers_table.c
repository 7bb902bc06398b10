/* servers_table.c
 * -z latency,servers and latency,operations: how fast each server answered, in all and by what it was asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/request/operation.h"
#include "../core/stats/tally.h"
#include "notes.h"
#include "table_rows.h"
#include "names.h"
#include "request_shares.h"

#define TALLY_COLUMNS(X)                                                                                               \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(REQUESTS, COUNT, "Requests", "requests", .head = "Reqs")                                                         \
    X(ERRORS, COUNT, "Errors", "errors", .head = "Err", .alarms = true)                                                \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(TOTAL, TIME, "Total", "total", .wide = true, .is_sum = true)                                                     \
    X(SHARE, SHARE, "Share", "share")                                                                                  \
    DESCRIPTION_COLUMNS(X, TIME)                                                                                       \
    X(TTFB, TIME, "TTFB", "ttfb_mean", .wide = true)                                                                   \
    X(TTFB_P50, TIME, "TTFB p50", "ttfb_p50", .wide = true)                                                            \
    X(TTFB_P95, TIME, "TTFB p95", "ttfb_p95", .wide = true, .least = P95_LEAST)                                        \
    X(TTFB_P99, TIME, "TTFB p99", "ttfb_p99", .wide = true, .least = P99_LEAST)                                        \
    X(TTFB_MAX, TIME, "TTFB Max", "ttfb_max", .wide = true)                                                            \
    X(SERVER_TIME, TIME, "Server time", "server_time", .wide = true)                                                   \
    X(SERVER_TIMES, COUNT, "n", "server_times", .wide = true)                                                          \
    X(BYTES, BYTES, "Bytes", "response_bytes", .wide = true)

#define OPERATION_COLUMNS(X)                                                                                           \
    TALLY_COLUMNS(X)                                                                                                   \
    X(OPERATION, TEXT, "Operation", "kind")

static const struct table_column server_columns[] = { TALLY_COLUMNS(COLUMN_DEFINITION){ .name = NULL } };
/* The operation is last, for it is the one without bounds, and the one that may contain a "|". */
static TABLE_COLUMNS(operation_columns, OPERATION_COLUMNS);

struct rows {
    struct table_rows table; /* of struct tally */
    struct request_shares shares;
};

static void
clear_tally(void *tally)
{
    tally_clear(tally);
}

static void
merge_tally(void *tally, const void *other)
{
    tally_merge(tally, other);
}

static const struct table_sums tallies = { sizeof(struct tally), clear_tally, merge_tally };

static inline struct tally *
tally_at(void *rows, unsigned row)
{
    return table_row(rows, row);
}

static unsigned
row_of(void *data, const struct request *request)
{
    const struct rows *rows = data;
    char kind[OPERATION_ROOM] = "";
    if (rows->table.definition->shows_operations)
        operation_kind(request->operation, request->protocol, rows->table.source->settings->fold_numbers, kind);
    const struct group_key key = group_of_server(request->connection, kind);
    return groups_row(rows->table.groups, &key);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    request_shares_open(&rows->shares, &rows->table, tally_at, row_of);
}

static void
close_rows(void *data)
{
    request_shares_close(&((struct rows *)data)->shares);
}

static inline int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    omitted_take(&rows->table.omitted, record);
    return item_request(record) ? request_shares_take(&rows->shares, record) : -1;
}

static void
fill_first_bytes(union table_cell *cells, const struct description *first_byte)
{
    const double values[] = { first_byte->mean, first_byte->p50, first_byte->p95, first_byte->p99, first_byte->max };
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
        cells[i].number = values[i];
        cells[i].of = first_byte->count;
    }
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->table.groups, row);
    struct tally_summary summary;
    tally_summarize(tally_at(data, row), &summary);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &key->server, key->ipv6);
    cells[REQUESTS].number = (double)summary.requests;
    cells[UNANSWERED].number = (double)summary.unanswered;
    cells[ERRORS].number = (double)summary.errors;
    cells[TOTAL].number = summary.wait;
    cells[SHARE].number = table_share(data, row);
    description_cells_fill(cells + MEAN, &summary.duration);
    fill_first_bytes(cells + TTFB, &summary.first_byte);
    cells[SERVER_TIME].number = summary.server_time;
    cells[SERVER_TIMES].number = (double)summary.server_times;
    cells[BYTES].number = (double)summary.response_bytes;
    if (rows->table.definition->shows_operations)
        cells[OPERATION].text = key->kind;
}

/* What kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    return wide_double(tally_wait_ns(tally_at(rows, row)));
}

static void
write_counts(const struct tally *sum, GString *text)
{
    const uint64_t requests = sum->requests, answered = sum->first_byte.moments.count, by_messages = sum->by_messages;
    g_string_append_printf(text, "%" PRIu64 " request%s, %" PRIu64 " answered, %" PRIu64 " unanswered", requests,
                           plurality(requests, "", "s"), answered, tally_unanswered(sum));
    if (sum->waiting > 0)
        g_string_append_printf(text, ", %" PRIu64 " waiting", sum->waiting);
    if (sum->farewells > 0)
        g_string_append_printf(text, ", %" PRIu64 " closed by client", sum->farewells);
    if (by_messages > 0)
        g_string_append_printf(text, "; %" PRIu64 " by messages", by_messages);
    if (by_messages < requests)
        g_string_append_printf(text, "%s%" PRIu64 " by turns (pipelined ones count as one)",
                               by_messages > 0 ? ", " : "; ", requests - by_messages);
    if (sum->in_tls > 0)
        g_string_append_printf(text, ", %" PRIu64 " of them in TLS that is not decrypted", sum->in_tls);
    if (sum->server_times < answered)
        g_string_append_printf(text, "; %" PRIu64 " without server time, as no handshake was captured",
                               answered - sum->server_times);
    g_string_append(text, ".\n");
    tally_waits_write(sum, text);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct tally sum = { 0 }; /* without its times, but how many they are */
    request_shares_settle(&rows->shares);
    for (unsigned i = 0; i < table_count(rows); i++) {
        const struct tally *tally = tally_at(rows, i);
        sum.requests += tally->requests;
        sum.first_byte.moments.count += tally->first_byte.moments.count;
        sum.farewells += tally->farewells;
        sum.waiting += tally->waiting;
        sum.streams += tally->streams;
        sum.long_polls += tally->long_polls;
        sum.by_messages += tally->by_messages;
        sum.in_tls += tally->in_tls;
        sum.server_times += tally->server_times;
    }
    write_counts(&sum, text);
    omitted_write(&rows->table.omitted, rows->table.source, text);
}

/* What both tables have in common. */
#define OF_REQUESTS                                                                                                    \
    .bytes = sizeof(struct rows), .sums = &tallies, .open = open_rows, .close = close_rows, .take = take_item,         \
    .fill = fill_row, .weight = weigh_row, .amount = weigh_row, .is_ranked = true, .adds_up = true,                    \
    .summarize = summarize, .merge = table_merge_groups, .absence = absence_of_requests

const struct table_definition servers_table = {
    .title = "Latency: Servers",
    .heading = "Servers, by how long clients waited for them",
    .argument = "latency,servers",
    .columns = server_columns,
    OF_REQUESTS,
};

const struct table_definition operations_table = {
    .shows_operations = true,
    .title = "Latency: Operations",
    .heading = "Operations, by how long clients waited for them",
    .argument = "latency,operations",
    .columns = operation_columns,
    .last_at = 1,
    OF_REQUESTS,
};
