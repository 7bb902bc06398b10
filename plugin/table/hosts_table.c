/* hosts_table.c
 * -z latency,hosts: the three parts of a request as curl and httpstat show them, by host: connecting, the handshake of
 * TLS, the first byte.
 *
 * A connection counts with the host that it is to (core/stats/host_tally.h) as soon as that is known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include "../core/item_subject.h"
#include "../core/stats/host_tally.h"
#include "absence.h"
#include "host_row.h"
#include "names.h"
#include "observer.h"
#include "omitted.h"
#include "one_sided.h"
#include "request_shares.h"

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
    struct table_source *source;
    struct groups *hosts;        /* of struct host_tally */
    struct by_number attempts;   /* of struct attempt_entry */
    struct by_number handshakes; /* of struct handshake_entry */
    struct request_shares requests;
    GHashTable *undecided; /* connections of this capture whose host is not known */
    struct omitted omitted;
    struct one_sided sides;
    struct observer observer;
};

static void
clear_tally(void *tally)
{
    host_tally_clear(tally);
}

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
        omit_connection(&rows->omitted, connection);
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
    omit_undecided(rows, &rows->omitted);
    g_hash_table_remove_all(rows->undecided);
}

static struct tally *
requests_at(void *rows, unsigned row)
{
    struct host_tally *tally = groups_value(((struct rows *)rows)->hosts, row);
    return &tally->requests;
}

static void *
open_rows(struct table_source *source)
{
    struct rows *rows = g_new(struct rows, 1);
    *rows = (struct rows){
        .source = source,
        .sides.source = source,
        .hosts = groups_new(sizeof(struct host_tally), clear_tally),
        .undecided = g_hash_table_new(NULL, NULL),
        .observer = { .data = rows, .forget = forget, .end = end_capture },
    };
    by_number_init(&rows->attempts, source, sizeof(struct attempt_entry));
    by_number_init(&rows->handshakes, source, sizeof(struct handshake_entry));
    request_shares_open(&rows->requests, source, requests_at, rows);
    observer_add(source, &rows->observer);
    return rows;
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->source, &rows->observer);
    request_shares_close(&rows->requests);
    groups_free(rows->hosts);
    g_hash_table_destroy(rows->undecided);
    by_number_clear(&rows->attempts);
    by_number_clear(&rows->handshakes);
    g_free(rows);
}

/* The row that `noted` says, or that of the connection's host. */
static struct host_tally *
tally_at(struct rows *rows, const struct connection *connection, unsigned *noted)
{
    if (*noted == 0) {
        const struct group_key key = group_of_named_host(connection);
        *noted = groups_row(rows->hosts, &key) + 1;
    }
    return groups_value(rows->hosts, *noted - 1);
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
    host_tally_take_handshake(tally_at(rows, connection, &entry->row), &entry->share, connection->tcp->handshake);
    return (int)entry->row - 1;
}

static int
take_request(struct rows *rows, const struct item *item)
{
    const struct request *request = item_request(item);
    struct request_share *share = request_shares_at(&rows->requests, request);
    if (!omitted_counts_share(&rows->omitted, item, &share->share))
        return -1;
    one_sided_take_request(&rows->sides, request);
    tally_at(rows, request->connection, &share->row);
    request_shares_take(&rows->requests, share, request);
    return (int)share->row - 1;
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
    omitted_take(&rows->omitted, item);
    if (!connection)
        return -1;
    int row = connection->tcp->connect.number ? take_attempt(rows, connection) : -1;
    if (item->kind == ITEM_TLS)
        row = take_handshake(rows, connection);
    else if (item_request(item))
        row = take_request(rows, item);
    return row;
}

static void
merge_tally(void *tally, const void *other)
{
    host_tally_merge(tally, other);
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < n; i++) {
        const struct rows *other = others[i];
        groups_merge(rows->hosts, other->hosts, merge_tally);
        omitted_merge(&rows->omitted, &other->omitted);
        omit_undecided(other, &rows->omitted);
    }
}

static void *
row_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct rows *)rows)->hosts, key);
}

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->hosts);
}

/* Without times, which take sorting. */
static struct host_summary
summary_of(const struct host_tally *tally)
{
    struct host_summary summary = {
        .attempts = tally->connects.attempts,
        .not_connected = tally->connects.attempts - tally->connects.results[CONNECT_ACCEPTED],
        .requests = tally->requests.requests,
        .unanswered = tally_unanswered(&tally->requests),
    };
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        summary.handshakes[i] = tally->handshakes[i];
    return summary;
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    struct host_tally *tally = groups_value(rows->hosts, row);
    struct host_summary summary = summary_of(tally);
    sample_describe(&tally->connects.time, &summary.connect);
    sample_describe(&tally->handshake, &summary.handshake);
    sample_describe(&tally->requests.first_byte, &summary.first_byte);
    host_row_fill(cells, host_name(scope, rows->source, groups_key(rows->hosts, row)), &summary);
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct host_tally *tally = groups_value(((struct rows *)rows)->hosts, row);
    wide sum = tally->connects.time.moments.sum;
    wide_add(&sum, tally->handshake.moments.sum);
    wide_add(&sum, tally->requests.first_byte.moments.sum);
    return wide_double(sum);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct omitted omitted = rows->omitted;
    struct host_summary sum = { 0 };
    request_shares_settle(&rows->requests);
    for (unsigned i = 0; i < groups_count(rows->hosts); i++) {
        const struct host_summary summary = summary_of(groups_value(rows->hosts, i));
        sum.attempts += summary.attempts;
        sum.not_connected += summary.not_connected;
        sum.requests += summary.requests;
        for (unsigned result = 0; result < TLS_RESULTS; result++)
            sum.handshakes[result] += summary.handshakes[result];
    }
    host_row_summarize(text, &sum);
    omit_undecided(rows, &omitted);
    omitted.tls_handshakes = omitted.tls_alerts = 0; /* the handshakes count here */
    omitted_write(&omitted, text);
}

static const struct one_sided *
sides(const void *rows)
{
    return &((const struct rows *)rows)->sides;
}

const struct table_definition hosts_table = {
    .title = HOSTS_TITLE,
    .argument = "latency,hosts",
    .heading = HOSTS_HEADING,
    .columns = host_columns,
    .last_at = 1,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .at = row_at,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .is_ranked = true,
    .adds_up = true,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_tcp,
    .one_sided = sides,
};
