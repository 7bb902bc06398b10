/* report.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "report.h"

#include <stdlib.h>

#include <wsutil/inet_addr.h>

#include "selection.h"
#include "table/ca_server_row.h"
#include "table/connect_tally_row.h"
#include "table/tally_row.h"

/* A table about to be printed. */
struct report {
    const struct total *total;
    const struct statistic *(*statistic)(const void *value);
    struct selection **selections; /* by row number; NULL where percentiles are approximate */
    uint32_t *order;               /* row numbers, in the order of positions */
};

static const struct statistic *
request_statistic(const void *value)
{
    return &((const struct request_row *)value)->digest.first_byte;
}

static const struct statistic *
attempt_statistic(const void *value)
{
    return &((const struct attempt_row *)value)->digest.time;
}

static const struct statistic *
ca_statistic(const void *value)
{
    return &((const struct ca_row *)value)->digest.create;
}

static int
compare_positions(const void *a, const void *b, void *rows)
{
    const struct row *x = groups_value(rows, *(const uint32_t *)a);
    const struct row *y = groups_value(rows, *(const uint32_t *)b);
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void
take_value(void *data, uint32_t row, int64_t value_ns)
{
    struct report *report = data;
    if (report->selections[row])
        selection_take(report->selections[row], value_ns);
}

/* False if the values could not be read again. */
static bool
begin(struct report *report, const struct total *total, const struct statistic *(*statistic)(const void *value))
{
    uint32_t n = groups_count(total->rows);
    GArray *order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
    *report = (struct report){ total, statistic, g_new0(struct selection *, n), NULL };
    for (uint32_t i = 0; i < n; i++) {
        const struct row *row = groups_value(total->rows, i);
        g_array_append_val(order, i);
        if (!row->approximate)
            report->selections[i] = selection_new(statistic(row));
    }
    g_array_sort_with_data(order, compare_positions, total->rows);
    report->order = (uint32_t *)(void *)g_array_free(order, FALSE);
    return values_each(total->values, take_value, report);
}

static void
end(struct report *report)
{
    for (unsigned i = 0; i < groups_count(report->total->rows); i++)
        if (report->selections[i])
            selection_free(report->selections[i]);
    g_free(report->selections);
    g_free(report->order);
}

static void
describe(const struct report *report, uint32_t number, struct description *description)
{
    if (report->selections[number])
        selection_describe(report->selections[number], description);
    else
        statistic_describe(report->statistic(groups_value(report->total->rows, number)), description);
}

static const char *
address_text(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    char *text = wmem_alloc(scope, WS_INET6_ADDRSTRLEN);
    return ipv6 ? ws_inet_ntop6(endpoint->address, text, WS_INET6_ADDRSTRLEN)
                : ws_inet_ntop4(endpoint->address, text, WS_INET6_ADDRSTRLEN);
}

static const char *
endpoint_text(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    return wmem_strdup_printf(scope, ipv6 ? "[%s]:%u" : "%s:%u", address_text(scope, endpoint, ipv6), endpoint->port);
}

static void
fill_server(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report *report = rows;
    uint32_t number = report->order[row];
    const struct group_key *key = groups_key(report->total->rows, number);
    const struct request_row *value = groups_value(report->total->rows, number);
    struct tally_summary summary;
    digest_summarize(&value->digest, &summary);
    describe(report, number, &summary.first_byte);
    tally_row_fill(cells, endpoint_text(scope, &key->server, key->ipv6), &summary);
}

static void
fill_operation(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report *report = rows;
    fill_server(rows, row, cells, scope);
    cells[SERVER_COLUMNS].text = groups_key(report->total->rows, report->order[row])->kind;
}

static void
fill_connection(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report *report = rows;
    uint32_t number = report->order[row];
    const struct group_key *key = groups_key(report->total->rows, number);
    const struct connect_digest *digest = &((struct attempt_row *)groups_value(report->total->rows, number))->digest;
    struct connect_tally tally = { .attempts = digest->attempts, .syn_retries = digest->syn_retries };
    struct description time;
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        tally.results[i] = digest->results[i];
    describe(report, number, &time);
    connect_tally_row_fill(cells, address_text(scope, &key->client, key->ipv6),
                           endpoint_text(scope, &key->server, key->ipv6), &tally, &time);
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct report *report = rows;
    return (double)report->statistic(groups_value(report->total->rows, report->order[row]))->moments.sum;
}

static void
fill_ca_server(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report *report = rows;
    uint32_t number = report->order[row];
    const struct group_key *key = groups_key(report->total->rows, number);
    const struct ca_row *value = groups_value(report->total->rows, number);
    struct description create;
    describe(report, number, &create);
    ca_server_row_fill(cells, endpoint_text(scope, &key->server, key->ipv6), &value->digest.tally, &create);
}

static double
weigh_ca_server(void *rows, unsigned row)
{
    const struct report *report = rows;
    const struct ca_row *value = groups_value(report->total->rows, report->order[row]);
    return (double)value->digest.tally.asked_ns;
}

static GString *
request_notes(const struct totals *totals, const struct total *total)
{
    uint64_t requests = 0, answered = 0, by_messages = 0, server_times = 0;
    for (unsigned i = 0; i < groups_count(total->rows); i++) {
        const struct digest *digest = &((struct request_row *)groups_value(total->rows, i))->digest;
        requests += digest->requests;
        answered += digest->first_byte.moments.count;
        by_messages += digest->by_messages;
        server_times += digest->server_times;
    }
    GString *notes = g_string_new(NULL);
    tally_row_summarize(notes, requests, answered, by_messages, server_times);
    tally_row_write_tls(notes, totals->tls_handshakes, totals->tls_alerts);
    return notes;
}

static GString *
attempt_notes(const struct total *total)
{
    uint64_t attempts = 0, unanswered = 0;
    for (unsigned i = 0; i < groups_count(total->rows); i++) {
        const struct connect_digest *digest = &((struct attempt_row *)groups_value(total->rows, i))->digest;
        attempts += digest->attempts;
        unanswered += digest->results[CONNECT_UNANSWERED];
    }
    GString *notes = g_string_new(NULL);
    connect_tally_row_summarize(notes, attempts, unanswered);
    return notes;
}

static GString *
ca_notes(const struct total *total, uint64_t orphans, const char *hello_ends)
{
    const struct groups *rows = total->rows;
    struct ca_tally sum = { 0 };
    for (unsigned i = 0; i < groups_count(rows); i++)
        ca_tally_merge(&sum, &((struct ca_row *)groups_value(rows, i))->digest.tally);
    GString *notes = g_string_new(NULL);
    ca_server_row_summarize(notes, &sum, hello_ends);
    ca_server_row_write_orphans(notes, orphans);
    return notes;
}

/* The table but for its rows and notes. */
static bool
print(struct text_table table, const struct total *total, const struct statistic *(*statistic)(const void *value),
      GString *notes, const char *made_of, FILE *file)
{
    struct report report;
    bool whole = begin(&report, total, statistic);
    g_string_append(notes, made_of);
    table.notes = notes->str;
    table.n_rows = groups_count(total->rows);
    table.rows = &report;
    if (whole)
        text_table_print(&table, file);
    g_string_free(notes, TRUE);
    end(&report);
    return whole;
}

#define TABLE_OF_CHANNELS                                                                                              \
    .columns = ca_server_columns, .n_columns = CA_SERVER_COLUMNS, .fill = fill_ca_server, .weight = weigh_ca_server

/* Of servers that have channels, if there are any. */
static bool
print_servers_of_channels(struct text_table table, const struct total *total, GString *notes, const char *made_of,
                          FILE *file)
{
    if (groups_count(total->rows) > 0)
        return print(table, total, ca_statistic, notes, made_of, file);
    g_string_free(notes, TRUE);
    return true;
}

static bool
print_ca_servers(const struct totals *totals, const char *made_of, FILE *file)
{
    static const struct text_table ca = { .title = CA_SERVERS_TITLE, .heading = CA_SERVERS_HEADING, TABLE_OF_CHANNELS };
    static const struct text_table pva = { .title = PVA_SERVERS_TITLE,
                                           .heading = PVA_SERVERS_HEADING,
                                           TABLE_OF_CHANNELS };
    return print_servers_of_channels(ca, &totals->ca_servers,
                                     ca_notes(&totals->ca_servers, totals->orphan_channels, CA_HELLO_ENDS), made_of,
                                     file) &&
           print_servers_of_channels(pva, &totals->pva_servers,
                                     ca_notes(&totals->pva_servers, totals->orphan_pva_channels, PVA_HELLO_ENDS),
                                     made_of, file);
}

bool
report_print(const struct totals *totals, const char *made_of, const char *ca_made_of, FILE *file)
{
    static const struct text_table servers = {
        .title = SERVERS_TITLE,
        .heading = TALLY_HEADING,
        .columns = server_columns,
        .n_columns = SERVER_COLUMNS,
        .fill = fill_server,
        .weight = weigh_row,
    };
    static const struct text_table operations = {
        .title = OPERATIONS_TITLE,
        .heading = TALLY_HEADING,
        .columns = operation_columns,
        .n_columns = OPERATION_COLUMNS,
        .fill = fill_operation,
        .weight = weigh_row,
    };
    static const struct text_table connections = {
        .title = CONNECTIONS_TITLE,
        .heading = CONNECTIONS_HEADING,
        .columns = connection_columns,
        .n_columns = CONNECTION_COLUMNS,
        .fill = fill_connection,
        .weight = weigh_row,
    };
    return print(servers, &totals->servers, request_statistic, request_notes(totals, &totals->servers), made_of,
                 file) &&
           print(operations, &totals->operations, request_statistic, request_notes(totals, &totals->operations),
                 made_of, file) &&
           print(connections, &totals->connections, attempt_statistic, attempt_notes(&totals->connections), made_of,
                 file) &&
           print_ca_servers(totals, ca_made_of, file);
}
