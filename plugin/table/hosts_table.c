/* hosts_table.c
 * -z latency,hosts: what clients wait for, by host: connecting, the handshake of TLS, and the request, of which the
 * first byte is a part, as curl and httpstat show them.
 *
 * A connection counts with the host that it is to (core/stats/host_tally.h) as soon as that is known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/item_subject.h"
#include "../core/stats/host_tally.h"
#include "notes.h"
#include "table_rows.h"
#include "names.h"
#include "observer.h"
#include "request_shares.h"

/* The last is the one without bounds. */
#define COLUMNS(X)                                                                                                     \
    X(CONNECTS, COUNT, "Connects", "attempts", .wide = true)                                                           \
    X(NOT_CONNECTED, COUNT, "Not connected", "not_connected", .head = "Not conn.", .alarms = true)                     \
    X(TOTAL, TIME, "Total", "total", .wide = true, .is_sum = true)                                                     \
    X(SHARE, SHARE, "Share", "share")                                                                                  \
    X(CONNECT_P50, TIME, "Connect p50", "connect_p50", .head = "Conn. p50")                                            \
    X(CONNECT_P95, TIME, "Connect p95", "connect_p95", .head = "Conn. p95", .wide = true, .least = P95_LEAST)          \
    X(CONNECT_P99, TIME, "Connect p99", "connect_p99", .head = "Conn. p99", .wide = true, .least = P99_LEAST)          \
    X(HANDSHAKES, COUNT, "TLS", "handshakes", .wide = true)                                                            \
    X(NO_HANDSHAKE, COUNT, "TLS not complete", "not_complete", .wide = true, .alarms = true)                           \
    X(HANDSHAKE_P50, TIME, "TLS p50", "handshake_p50")                                                                 \
    X(HANDSHAKE_P95, TIME, "TLS p95", "handshake_p95", .wide = true, .least = P95_LEAST)                               \
    X(HANDSHAKE_P99, TIME, "TLS p99", "handshake_p99", .wide = true, .least = P99_LEAST)                               \
    X(REQUESTS, COUNT, "Requests", "requests", .head = "Reqs")                                                         \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(P50, TIME, "Request p50", "p50", .head = "p50")                                                                  \
    X(P95, TIME, "Request p95", "p95", .head = "p95", .wide = true, .least = P95_LEAST)                                \
    X(P99, TIME, "Request p99", "p99", .head = "p99", .least = P99_LEAST)                                              \
    X(TTFB_P50, TIME, "TTFB p50", "ttfb_p50", .wide = true)                                                            \
    X(TTFB_P95, TIME, "TTFB p95", "ttfb_p95", .wide = true, .least = P95_LEAST)                                        \
    X(TTFB_P99, TIME, "TTFB p99", "ttfb_p99", .wide = true, .least = P99_LEAST)                                        \
    X(HOST, TEXT, "Host", "host")

static TABLE_COLUMNS(columns, COLUMNS);

/* Of an attempt to connect, and of a handshake: what it has added, and to which row; plus one, 0 for none. */
struct attempt_entry {
    struct connect_share share;
    unsigned row;
};

struct handshake_entry {
    struct handshake_share share;
    unsigned row;
};

struct rows {
    struct table_rows table;     /* of struct host_tally */
    struct by_number attempts;   /* of struct attempt_entry */
    struct by_number handshakes; /* of struct handshake_entry */
    struct request_shares requests;
    GHashTable *undecided; /* connections of this capture whose host is not known */
    struct observer observer;
};

static void
clear_tally(void *tally)
{
    host_tally_clear(tally);
}

static void
merge_tally(void *tally, const void *other)
{
    host_tally_merge(tally, other);
}

static const struct table_sums tallies = { sizeof(struct host_tally), clear_tally, merge_tally };

static void
omit_connection(struct omitted *omitted, const struct connection *connection)
{
    bool is_answered = connection->tcp->connect.result != CONNECT_UNANSWERED;
    omitted->silent += is_answered;
    omitted->not_answered += !is_answered;
}

static void
forget(void *data, const struct connection *connection)
{
    struct rows *rows = data;
    if (g_hash_table_remove(rows->undecided, connection))
        omit_connection(&rows->table.omitted, connection);
}

static void
omit_undecided(const struct rows *rows, struct omitted *omitted)
{
    GHashTableIter each;
    void *connection;
    g_hash_table_iter_init(&each, rows->undecided);
    while (g_hash_table_iter_next(&each, &connection, NULL))
        omit_connection(omitted, connection);
}

static void
end_capture(void *data)
{
    struct rows *rows = data;
    omit_undecided(rows, &rows->table.omitted);
    g_hash_table_remove_all(rows->undecided);
}

static struct tally *
requests_at(void *rows, unsigned row)
{
    struct host_tally *tally = table_row(rows, row);
    return &tally->requests;
}

static unsigned
row_of(const struct rows *rows, const struct connection *connection)
{
    const struct group_key key = group_of_named_host(connection);
    return groups_row(rows->table.groups, &key);
}

static unsigned
row_of_request(void *rows, const struct request *request)
{
    return row_of(rows, request->connection);
}

/* Returns the sums of the row that `noted` says, or of the connection's host. */
static struct host_tally *
tally_at(const struct rows *rows, const struct connection *connection, unsigned *noted)
{
    if (*noted == 0)
        *noted = row_of(rows, connection) + 1;
    return table_row(rows, *noted - 1);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    struct table_source *source = rows->table.source;
    rows->undecided = g_hash_table_new(NULL, NULL);
    rows->observer = (struct observer){ .data = rows, .forget = forget, .end = end_capture };
    by_number_init(&rows->attempts, source, sizeof(struct attempt_entry));
    by_number_init(&rows->handshakes, source, sizeof(struct handshake_entry));
    request_shares_open(&rows->requests, &rows->table, requests_at, row_of_request);
    observer_add(source, &rows->observer);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    request_shares_close(&rows->requests);
    g_hash_table_destroy(rows->undecided);
    by_number_clear(&rows->attempts);
    by_number_clear(&rows->handshakes);
}

static int
take_attempt(struct rows *rows, const struct connection *connection)
{
    struct attempt_entry *entry = by_number_at(&rows->attempts, connection->tcp->connect.number);
    if (entry->row == 0 && !host_is_known(connection)) {
        g_hash_table_add(rows->undecided, (void *)connection);
        return -1;
    }
    if (entry->row == 0)
        g_hash_table_remove(rows->undecided, connection);
    struct host_tally *tally = tally_at(rows, connection, &entry->row);
    connect_tally_take(&tally->connects, &entry->share, &connection->tcp->connect, connection->tcp->connect.result);
    return (int)entry->row - 1;
}

static int
take_handshake(struct rows *rows, const struct connection *connection)
{
    if (!host_is_known(connection))
        return -1;
    struct handshake_entry *entry = by_number_at(&rows->handshakes, connection->tcp->handshake->number);
    /* An attempt that failed has its row already, by the server's address if its client had not said the name. */
    if (entry->row == 0 && connection->tcp->connect.number)
        entry->row = ((struct attempt_entry *)by_number_at(&rows->attempts, connection->tcp->connect.number))->row;
    host_tally_take_handshake(tally_at(rows, connection, &entry->row), &entry->share, connection->tcp->handshake);
    return (int)entry->row - 1;
}

/* The connection that a frame of this item tells something of; NULL for none. */
static const struct connection *
connection_of_item(const struct item *item)
{
    if (item->kind == ITEM_SIGHTING || item->kind == ITEM_DUPLICATE || item->kind == ITEM_UNREAD)
        return NULL;
    return item->kind == ITEM_UPDATED ? item->request->connection : item_connection(item);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const struct connection *connection = connection_of_item(item);
    omitted_take(&rows->table.omitted, item);
    if (!connection)
        return -1;
    int row = connection->tcp->connect.number ? take_attempt(rows, connection) : -1;
    if (item->kind == ITEM_TLS)
        row = take_handshake(rows, connection);
    else if (item_request(item))
        row = request_shares_take(&rows->requests, item);
    return row;
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    table_merge_groups(rows, others, n);
    for (unsigned i = 0; i < n; i++)
        omit_undecided(others[i], &rows->table.omitted);
}

static uint64_t
not_connected(const struct host_tally *tally)
{
    return tally->connects.attempts - tally->connects.results[CONNECT_ACCEPTED];
}

static uint64_t
all_handshakes(const struct host_tally *tally)
{
    return tally->handshakes[TLS_COMPLETE] + tally->handshakes[TLS_FAILED] + tally->handshakes[TLS_UNFINISHED];
}

static void
fill_times(union table_cell *cells, struct sample *sample)
{
    struct description times;
    sample_describe(sample, &times);
    const double values[] = { times.p50, times.p95, times.p99 };
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
        cells[i].number = values[i];
        cells[i].of = times.count;
    }
}

/* How long clients waited for it, in all. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct host_tally *tally = table_row(rows, row);
    wide sum = tally->connects.time.moments.sum;
    wide_add(&sum, tally->handshake.moments.sum);
    wide_add(&sum, tally_wait_ns(&tally->requests));
    return wide_double(sum);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    struct host_tally *tally = table_row(rows, row);
    cells[HOST].text = host_name(scope, rows->table.source, groups_key(rows->table.groups, row));
    cells[CONNECTS].number = (double)tally->connects.attempts;
    cells[NOT_CONNECTED].number = (double)not_connected(tally);
    cells[TOTAL].number = weigh_row(data, row);
    cells[SHARE].number = table_share(data, row);
    fill_times(cells + CONNECT_P50, &tally->connects.time);
    cells[HANDSHAKES].number = (double)all_handshakes(tally);
    cells[NO_HANDSHAKE].number = (double)(all_handshakes(tally) - tally->handshakes[TLS_COMPLETE]);
    fill_times(cells + HANDSHAKE_P50, &tally->handshake);
    cells[REQUESTS].number = (double)tally->requests.requests;
    cells[UNANSWERED].number = (double)tally_unanswered(&tally->requests);
    fill_times(cells + P50, tally_durations(&tally->requests));
    fill_times(cells + TTFB_P50, &tally->requests.first_byte);
}

static void
write_counts(const struct host_tally *sum, GString *text)
{
    const uint64_t attempts = sum->connects.attempts, handshakes = all_handshakes(sum);
    const uint64_t requests = sum->requests.requests;
    g_string_append_printf(text,
                           "%" PRIu64 " attempt%s, %" PRIu64 " not connected; %" PRIu64 " TLS handshake%s, %" PRIu64
                           " complete, %" PRIu64 " failed, %" PRIu64 " unfinished; %" PRIu64 " request%s.\n",
                           attempts, plurality(attempts, "", "s"), not_connected(sum), handshakes,
                           plurality(handshakes, "", "s"), sum->handshakes[TLS_COMPLETE], sum->handshakes[TLS_FAILED],
                           sum->handshakes[TLS_UNFINISHED], requests, plurality(requests, "", "s"));
    tally_waits_write(&sum->requests, text);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct omitted omitted = rows->table.omitted;
    struct host_tally sum = { 0 }; /* without times */
    request_shares_settle(&rows->requests);
    for (unsigned i = 0; i < table_count(rows); i++) {
        const struct host_tally *tally = table_row(rows, i);
        sum.connects.attempts += tally->connects.attempts;
        sum.connects.results[CONNECT_ACCEPTED] += tally->connects.results[CONNECT_ACCEPTED];
        sum.requests.requests += tally->requests.requests;
        sum.requests.streams += tally->requests.streams;
        sum.requests.long_polls += tally->requests.long_polls;
        for (unsigned result = 0; result < TLS_RESULTS; result++)
            sum.handshakes[result] += tally->handshakes[result];
    }
    write_counts(&sum, text);
    omit_undecided(rows, &omitted);
    omitted.tls_handshakes = omitted.tls_alerts = 0; /* the handshakes count here */
    omitted_write(&omitted, rows->table.source, text);
}

const struct table_definition hosts_table = {
    .title = "Latency: Hosts",
    .argument = "latency,hosts",
    .heading = "Hosts, by how long clients waited for them",
    .columns = columns,
    .last_at = 1,
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
