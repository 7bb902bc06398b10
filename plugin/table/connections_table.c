/* connections_table.c
 * -z latency,connections: how long each client's connections to each server took.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/item_subject.h"
#include "../core/stats/connect_tally.h"
#include "notes.h"
#include "awaited.h"
#include "by_number.h"
#include "table_rows.h"
#include "names.h"
#include "observer.h"

#define COLUMNS(X)                                                                                                     \
    X(CLIENT, TEXT, "Client", "client")                                                                                \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(ATTEMPTS, COUNT, "Attempts", "attempts", .wide = true)                                                           \
    X(ACCEPTED, COUNT, "Accepted", "accepted", .head = "OK")                                                           \
    X(REFUSED, COUNT, "Refused", "refused", .head = "RST", .alarms = true)                                             \
    X(UNREACHABLE, COUNT, "Unreachable", "unreachable", .head = "ICMP", .wide = true, .alarms = true)                  \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(TOTAL, TIME, "Total", "total", .wide = true, .is_sum = true)                                                     \
    X(SHARE, SHARE, "Share", "share")                                                                                  \
    X(MEAN, TIME, "Mean", "mean", .wide = true)                                                                        \
    X(STD, TIME, "Std", "std", .wide = true, .is_sum = true)                                                           \
    X(MIN_TIME, TIME, "Min", "min", .wide = true)                                                                      \
    X(P25, TIME, "p25", "p25", .wide = true)                                                                           \
    X(P50, TIME, "p50", "p50")                                                                                         \
    X(P75, TIME, "p75", "p75", .wide = true)                                                                           \
    X(P95, TIME, "p95", "p95", .wide = true, .least = P95_LEAST)                                                       \
    X(P99, TIME, "p99", "p99", .least = P99_LEAST)                                                                     \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(SYN_RETRIES, COUNT, "SYN retries", "syn_retries", .head = "Retries", .wide = true)                               \
    X(PUSHES, COUNT, "Pushes", "pushes", .wide = true)                                                                 \
    X(PUSH_P50, TIME, "Push p50", "push_p50", .wide = true)                                                            \
    X(PUSH_P95, TIME, "Push p95", "push_p95", .wide = true, .least = P95_LEAST)

static TABLE_COLUMNS(columns, COLUMNS);

struct rows {
    struct table_rows table; /* of struct connect_tally, by client and server */
    struct by_number shares; /* of struct connect_share */
    struct awaited awaited;
    GHashTable *begun_before; /* connections of this capture whose SYN it has not, so far */
    GHashTable *pushed;       /* of struct push_tally: what was pushed, by connection, before its SYN came */
    uint64_t begun_before_earlier;
    struct observer observer;
};

static void
clear_tally(void *tally)
{
    connect_tally_clear(tally);
}

static void
merge_tally(void *tally, const void *other)
{
    connect_tally_merge(tally, other);
}

static const struct table_sums tallies = { sizeof(struct connect_tally), clear_tally, merge_tally };

static void
forget(void *data, const struct connection *connection)
{
    struct rows *rows = data;
    rows->begun_before_earlier += g_hash_table_remove(rows->begun_before, connection);
    g_hash_table_remove(rows->pushed, connection);
}

static void
end_capture(void *data)
{
    struct rows *rows = data;
    rows->begun_before_earlier += g_hash_table_size(rows->begun_before);
    g_hash_table_remove_all(rows->begun_before);
    g_hash_table_remove_all(rows->pushed);
}

static unsigned
row_of(struct rows *rows, const struct connection *connection)
{
    const struct group_key key = group_of_host(connection, connection_client(connection));
    return groups_row(rows->table.groups, &key);
}

static unsigned
take_attempt(struct rows *rows, const struct connection *attempt)
{
    const unsigned row = row_of(rows, attempt);
    connect_tally_take(table_row(rows, row), by_number_at(&rows->shares, attempt->tcp->connect.number),
                       &attempt->tcp->connect, awaited_result(&rows->awaited, attempt));
    return row;
}

/* Takes a frame that the connection's server sent unasked: its row may come only with its SYN, which may come later. */
static int
take_push(struct rows *rows, const struct item *item)
{
    const struct connection *connection = item->connection;
    const uint32_t number = connection->tcp->connect.number;
    if (number == 0 || !((const struct connect_share *)by_number_at(&rows->shares, number))->counted) {
        push_tallies_take(rows->pushed, item);
        if (number == 0)
            g_hash_table_add(rows->begun_before, (void *)connection);
        return -1;
    }
    const unsigned row = row_of(rows, connection);
    push_tally_take(&((struct connect_tally *)table_row(rows, row))->pushes, item);
    return (int)row;
}

static void
take_again(void *rows, const struct connection *attempt)
{
    take_attempt(rows, attempt);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    rows->begun_before = g_hash_table_new(NULL, NULL);
    rows->pushed = push_tallies_new();
    rows->observer = (struct observer){ .data = rows, .forget = forget, .end = end_capture };
    by_number_init(&rows->shares, rows->table.source, sizeof(struct connect_share));
    awaited_open(&rows->awaited, rows->table.source, take_again, rows);
    observer_add(rows->table.source, &rows->observer);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    awaited_close(&rows->awaited);
    g_hash_table_destroy(rows->begun_before);
    g_hash_table_destroy(rows->pushed);
    by_number_clear(&rows->shares);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const struct connection *payload = item_payload(item);
    const struct connection *attempt = item_attempt(item);
    omitted_take(&rows->table.omitted, item);
    if (item->kind == ITEM_UNSOLICITED && !item->connection->is_datagrams)
        return take_push(rows, item);
    if (payload && payload->tcp->connect.number == 0)
        g_hash_table_add(rows->begun_before, (void *)payload);
    if (!attempt)
        return -1;
    one_sided_take_attempt(&rows->table.sides, attempt);
    const unsigned row = take_attempt(rows, attempt);
    const struct push_tally *pushed = push_tallies_find(rows->pushed, attempt);
    if (pushed)
        push_tally_merge(&((struct connect_tally *)table_row(rows, row))->pushes, pushed);
    g_hash_table_remove(rows->begun_before, attempt);
    g_hash_table_remove(rows->pushed, attempt);
    return (int)row;
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    table_merge_groups(rows, others, n);
    for (unsigned i = 0; i < n; i++) {
        const struct rows *other = others[i];
        rows->begun_before_earlier += other->begun_before_earlier + g_hash_table_size(other->begun_before);
    }
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct connect_tally *tally = table_row(rows, row);
    return wide_double(tally->time.moments.sum);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->table.groups, row);
    struct connect_tally *tally = table_row(rows, row);
    struct description time, spacing;
    sample_describe(&tally->time, &time);
    statistic_describe(&tally->pushes.spacing, &spacing);
    cells[CLIENT].text = address_name(scope, rows->table.source, &key->client, key->ipv6);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &key->server, key->ipv6);
    cells[ATTEMPTS].number = (double)tally->attempts;
    cells[ACCEPTED].number = (double)tally->results[CONNECT_ACCEPTED];
    cells[REFUSED].number = (double)tally->results[CONNECT_REFUSED];
    cells[UNREACHABLE].number = (double)tally->results[CONNECT_UNREACHABLE];
    cells[UNANSWERED].number = (double)tally->results[CONNECT_UNANSWERED];
    cells[TOTAL].number = weigh_row(data, row);
    cells[SHARE].number = table_share(data, row);
    description_cells_fill(cells + MEAN, &time);
    cells[SYN_RETRIES].number = (double)tally->syn_retries;
    cells[PUSHES].number = (double)tally->pushes.frames;
    cells[PUSH_P50].number = spacing.p50;
    cells[PUSH_P95].number = spacing.p95;
    cells[PUSH_P95].of = spacing.count;
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct omitted omitted = rows->table.omitted;
    uint64_t attempts = 0, unanswered = 0, waiting = 0;
    awaited_settle(&rows->awaited);
    for (unsigned i = 0; i < table_count(rows); i++) {
        const struct connect_tally *tally = table_row(rows, i);
        attempts += tally->attempts;
        unanswered += tally->results[CONNECT_UNANSWERED];
        waiting += tally->results[CONNECT_WAITING];
    }
    g_string_append_printf(text, "%" PRIu64 " attempt%s, %" PRIu64 " unanswered", attempts,
                           plurality(attempts, "", "s"), unanswered);
    if (waiting > 0)
        g_string_append_printf(text, ", %" PRIu64 " waiting", waiting);
    g_string_append(text, ".\n");
    omitted.unsolicited = 0; /* payload */
    omitted.begun_before = rows->begun_before_earlier + g_hash_table_size(rows->begun_before);
    omitted_write(&omitted, rows->table.source, text);
}

const struct table_definition connections_table = {
    .title = "Latency: Connections",
    .argument = "latency,connections",
    .heading = "Connections, by the time from SYN to its answer",
    .columns = columns,
    .bytes = sizeof(struct rows),
    .sums = &tallies,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .fill = fill_row,
    .weight = weigh_row,
    .amount = weigh_row,
    .is_ranked = true,
    .adds_up = true,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_tcp,
};
