/* report.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "report.h"

#include "commands.h"
#include "report_hosts.h"
#include "report_rows.h"
#include "searched_names.h"
#include "table/ca_server_row.h"
#include "table/connect_tally_row.h"
#include "table/tally_row.h"

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

static void
fill_tally(const struct report_rows *report, uint32_t number, const char *operation, union table_cell *cells,
           wmem_allocator_t *scope)
{
    const struct group_key *key = groups_key(report->total->rows, number);
    const struct request_row *value = groups_value(report->total->rows, number);
    struct tally_summary summary;
    digest_summarize(&value->digest, &summary);
    report_rows_describe(report, number, &summary.first_byte);
    tally_row_fill(cells, report_endpoint(scope, &key->server, key->ipv6), operation, &summary);
}

static void
fill_server(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report_rows *report = rows;
    fill_tally(report, report->order[row], NULL, cells, scope);
}

static void
fill_operation(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report_rows *report = rows;
    uint32_t number = report->order[row];
    fill_tally(report, number, groups_key(report->total->rows, number)->kind, cells, scope);
}

static void
fill_connection(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report_rows *report = rows;
    uint32_t number = report->order[row];
    const struct group_key *key = groups_key(report->total->rows, number);
    const struct connect_digest *digest = &((struct attempt_row *)groups_value(report->total->rows, number))->digest;
    struct connect_tally tally = { .attempts = digest->attempts, .syn_retries = digest->syn_retries };
    struct description time;
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        tally.results[i] = digest->results[i];
    report_rows_describe(report, number, &time);
    connect_tally_row_fill(cells, report_address(scope, &key->client, key->ipv6),
                           report_endpoint(scope, &key->server, key->ipv6), &tally, &time);
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct report_rows *report = rows;
    return (double)report->statistic(groups_value(report->total->rows, report->order[row]))->moments.sum;
}

static void
fill_ca_server(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report_rows *report = rows;
    uint32_t number = report->order[row];
    const struct group_key *key = groups_key(report->total->rows, number);
    const struct ca_row *value = groups_value(report->total->rows, number);
    struct description create;
    report_rows_describe(report, number, &create);
    ca_server_row_fill(cells, report_endpoint(scope, &key->server, key->ipv6), &value->digest.tally, &create);
}

static double
weigh_ca_server(void *rows, unsigned row)
{
    const struct report_rows *report = rows;
    const struct ca_row *value = groups_value(report->total->rows, report->order[row]);
    return (double)value->digest.tally.asked_ns;
}

static GString *
request_notes(const struct totals *totals, const struct total *total)
{
    struct tally_counts counts = { 0 };
    for (unsigned i = 0; i < groups_count(total->rows); i++) {
        const struct digest *digest = &((struct request_row *)groups_value(total->rows, i))->digest;
        counts.requests += digest->requests;
        counts.answered += digest->first_byte.moments.count;
        counts.farewells += digest->farewells;
        counts.waiting += digest->waiting;
        counts.by_messages += digest->by_messages;
        counts.in_tls += digest->in_tls;
        counts.server_times += digest->server_times;
    }
    GString *notes = g_string_new(NULL);
    tally_row_summarize(notes, &counts);
    tally_row_write_tls(notes, totals->tls_handshakes, totals->tls_alerts);
    return notes;
}

static GString *
attempt_notes(const struct total *total)
{
    uint64_t attempts = 0, unanswered = 0, waiting = 0;
    for (unsigned i = 0; i < groups_count(total->rows); i++) {
        const struct connect_digest *digest = &((struct attempt_row *)groups_value(total->rows, i))->digest;
        attempts += digest->attempts;
        unanswered += digest->results[CONNECT_UNANSWERED];
        waiting += digest->results[CONNECT_WAITING];
    }
    GString *notes = g_string_new(NULL);
    connect_tally_row_summarize(notes, attempts, unanswered, waiting);
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
      GString *notes, const char *made_of, enum table_format format, FILE *file)
{
    struct report_rows report;
    bool whole = report_rows_begin(&report, total, statistic);
    g_string_append(notes, made_of);
    table.notes = notes->str;
    table.format = format;
    table.n_rows = groups_count(total->rows);
    table.rows = &report;
    if (whole)
        text_table_print(&table, file);
    g_string_free(notes, TRUE);
    report_rows_end(&report);
    return whole;
}

#define TABLE_OF_CHANNELS                                                                                              \
    .columns = ca_server_columns, .fill = fill_ca_server, .weight = weigh_ca_server, .is_ranked = true

/* Of servers that have channels, if there are any. */
static bool
print_servers_of_channels(struct text_table table, const struct total *total, GString *notes, const char *made_of,
                          enum table_format format, FILE *file)
{
    if (groups_count(total->rows) > 0)
        return print(table, total, ca_statistic, notes, made_of, format, file);
    g_string_free(notes, TRUE);
    return true;
}

static bool
print_ca_servers(const struct totals *totals, const char *made_of, enum table_format format, FILE *file)
{
    static const struct text_table ca = { .title = CA_SERVERS_TITLE,
                                          .argument = "ca,servers",
                                          .follows = true,
                                          .heading = CA_SERVERS_HEADING,
                                          TABLE_OF_CHANNELS };
    static const struct text_table pva = { .title = PVA_SERVERS_TITLE,
                                           .argument = "pva,servers",
                                           .follows = true,
                                           .heading = PVA_SERVERS_HEADING,
                                           TABLE_OF_CHANNELS };
    return print_servers_of_channels(ca, &totals->ca_servers,
                                     ca_notes(&totals->ca_servers, totals->orphan_channels, CA_HELLO_ENDS), made_of,
                                     format, file) &&
           print_servers_of_channels(pva, &totals->pva_servers,
                                     ca_notes(&totals->pva_servers, totals->orphan_pva_channels, PVA_HELLO_ENDS),
                                     made_of, format, file);
}

/* What adds up, and needs no percentiles. */
static void
print_names_and_commands(const struct totals *totals, const struct made_of *made_of, enum table_format format,
                         FILE *file)
{
    searched_names_print(totals->ca_names, false, made_of->names, format, file);
    commands_print(totals->ca_commands, false, made_of->commands, format, file);
    searched_names_print(totals->pva_names, true, made_of->names, format, file);
    commands_print(totals->pva_commands, true, made_of->commands, format, file);
}

bool
report_print(const struct totals *totals, const struct made_of *made_of, enum table_format format, FILE *file)
{
    static const struct text_table servers = {
        .title = SERVERS_TITLE,
        .argument = "latency,servers",
        .heading = TALLY_HEADING,
        .columns = server_columns,
        .fill = fill_server,
        .weight = weigh_row,
        .is_ranked = true,
    };
    static const struct text_table operations = {
        .title = OPERATIONS_TITLE,
        .argument = "latency,operations",
        .follows = true,
        .heading = TALLY_HEADING,
        .columns = operation_columns,
        .fill = fill_operation,
        .weight = weigh_row,
        .is_ranked = true,
    };
    static const struct text_table connections = {
        .title = CONNECTIONS_TITLE,
        .argument = "latency,connections",
        .follows = true,
        .heading = CONNECTIONS_HEADING,
        .columns = connection_columns,
        .fill = fill_connection,
        .weight = weigh_row,
        .is_ranked = true,
    };
    const char *requests = made_of->requests;
    const bool whole = print(servers, &totals->servers, request_statistic, request_notes(totals, &totals->servers),
                             requests, format, file) &&
                       print(operations, &totals->operations, request_statistic,
                             request_notes(totals, &totals->operations), requests, format, file) &&
                       print(connections, &totals->connections, attempt_statistic, attempt_notes(&totals->connections),
                             requests, format, file) &&
                       report_hosts_print(&totals->hosts, requests, format, file) &&
                       print_ca_servers(totals, made_of->channels, format, file);
    if (whole)
        print_names_and_commands(totals, made_of, format, file);
    return whole;
}
