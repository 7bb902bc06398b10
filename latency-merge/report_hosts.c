/* report_hosts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "report_hosts.h"

#include "report_rows.h"
#include "table/host_row.h"

/* By what each of the times is. */
struct report {
    struct report_rows connects, handshakes, requests;
};

static const struct statistic *
connect_statistic(const void *value)
{
    return &((const struct host_row *)value)->digest.connects.time;
}

static const struct statistic *
handshake_statistic(const void *value)
{
    return &((const struct host_row *)value)->digest.handshake;
}

static const struct statistic *
first_byte_statistic(const void *value)
{
    return &((const struct host_row *)value)->digest.requests.first_byte;
}

static void
add(struct host_summary *summary, const struct host_digest *digest)
{
    summary->attempts += digest->connects.attempts;
    summary->not_connected += digest->connects.attempts - digest->connects.results[CONNECT_ACCEPTED];
    summary->requests += digest->requests.requests;
    summary->unanswered += digest_unanswered(&digest->requests);
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        summary->handshakes[i] += digest->handshakes[i];
}

static void
fill(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct report *report = rows;
    const struct groups *groups = report->connects.total->rows;
    uint32_t number = report->connects.order[row];
    const struct group_key *key = groups_key(groups, number);
    const struct host_row *value = groups_value(groups, number);
    struct host_summary summary = { 0 };
    add(&summary, &value->digest);
    report_rows_describe(&report->connects, number, &summary.connect);
    report_rows_describe(&report->handshakes, number, &summary.handshake);
    report_rows_describe(&report->requests, number, &summary.first_byte);
    const char *host = *key->kind ? wmem_strdup_printf(scope, "%s:%u", key->kind, key->server.port)
                                  : report_endpoint(scope, &key->server, key->ipv6);
    host_row_fill(cells, host, &summary);
}

static double
weigh(void *rows, unsigned row)
{
    const struct report *report = rows;
    const struct host_row *value = groups_value(report->connects.total->rows, report->connects.order[row]);
    return (double)(connect_statistic(value)->moments.sum + handshake_statistic(value)->moments.sum +
                    first_byte_statistic(value)->moments.sum);
}

static GString *
notes_of(const struct host_totals *hosts)
{
    const struct groups *rows = hosts->connects.rows;
    struct host_summary sum = { 0 };
    for (unsigned i = 0; i < groups_count(rows); i++)
        add(&sum, &((const struct host_row *)groups_value(rows, i))->digest);
    GString *notes = g_string_new(NULL);
    host_row_summarize(notes, &sum);
    return notes;
}

bool
report_hosts_print(const struct host_totals *hosts, const char *made_of, enum table_format format, FILE *file)
{
    struct report report;
    bool whole = report_rows_begin(&report.connects, &hosts->connects, connect_statistic);
    whole &= report_rows_begin(&report.handshakes, &hosts->handshakes, handshake_statistic);
    whole &= report_rows_begin(&report.requests, &hosts->requests, first_byte_statistic);
    GString *notes = notes_of(hosts);
    g_string_append(notes, made_of);
    const struct text_table table = {
        .title = HOSTS_TITLE,
        .argument = "latency,hosts",
        .format = format,
        .follows = true,
        .heading = HOSTS_HEADING,
        .notes = notes->str,
        .columns = host_columns,
        .n_rows = groups_count(hosts->connects.rows),
        .fill = fill,
        .weight = weigh,
        .is_ranked = true,
        .rows = &report,
    };
    if (whole)
        text_table_print(&table, file);
    g_string_free(notes, TRUE);
    report_rows_end(&report.connects);
    report_rows_end(&report.handshakes);
    report_rows_end(&report.requests);
    return whole;
}
