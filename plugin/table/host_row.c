/* host_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "host_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

/* The last is the one without bounds. */
#define COLUMNS(X)                                                                                                     \
    X(CONNECTS, COUNT, "Connects", "attempts", .leaves = 32)                                                           \
    X(NOT_CONNECTED, COUNT, "Not connected", "not_connected", .head = "Not\nconnected")                                \
    X(CONNECT_P50, TIME, "TCP p50", "connect_p50", .head = "TCP\np50")                                                 \
    X(CONNECT_P95, TIME, "TCP p95", "connect_p95", .head = "TCP\np95", .leaves = 29)                                   \
    X(CONNECT_P99, TIME, "TCP p99", "connect_p99", .head = "TCP\np99", .leaves = 27)                                   \
    X(HANDSHAKES, COUNT, "TLS", "handshakes", .leaves = 41)                                                            \
    X(NO_HANDSHAKE, COUNT, "TLS not complete", "not_complete", .head = "TLS not\ncomplete", .leaves = 42)              \
    X(HANDSHAKE_P50, TIME, "TLS p50", "handshake_p50", .head = "TLS\np50")                                             \
    X(HANDSHAKE_P95, TIME, "TLS p95", "handshake_p95", .head = "TLS\np95", .leaves = 30)                               \
    X(HANDSHAKE_P99, TIME, "TLS p99", "handshake_p99", .head = "TLS\np99", .leaves = 28)                               \
    X(REQUESTS, COUNT, "Requests", "requests")                                                                         \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "No\nanswer")                                             \
    X(FIRST_BYTE_P50, TIME, "TTFB p50", "first_byte_p50", .head = "TTFB\np50")                                         \
    X(FIRST_BYTE_P95, TIME, "TTFB p95", "first_byte_p95", .head = "TTFB\np95", .leaves = 31)                           \
    X(FIRST_BYTE_P99, TIME, "TTFB p99", "first_byte_p99", .head = "TTFB\np99")                                         \
    X(HOST, TEXT, "Host", "host")

TABLE_COLUMNS(host_columns, COLUMNS);

static void
fill_times(union table_cell *cells, const struct description *times)
{
    const double values[] = { times->p50, times->p95, times->p99 };
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++)
        cells[i].number = values[i];
}

static uint64_t
all_handshakes(const struct host_summary *summary)
{
    return summary->handshakes[TLS_COMPLETE] + summary->handshakes[TLS_FAILED] + summary->handshakes[TLS_UNFINISHED];
}

void
host_row_fill(union table_cell *cells, const char *host, const struct host_summary *summary)
{
    cells[HOST].text = host;
    cells[CONNECTS].number = (double)summary->attempts;
    cells[NOT_CONNECTED].number = (double)summary->not_connected;
    fill_times(cells + CONNECT_P50, &summary->connect);
    cells[HANDSHAKES].number = (double)all_handshakes(summary);
    cells[NO_HANDSHAKE].number = (double)(all_handshakes(summary) - summary->handshakes[TLS_COMPLETE]);
    fill_times(cells + HANDSHAKE_P50, &summary->handshake);
    cells[REQUESTS].number = (double)summary->requests;
    cells[UNANSWERED].number = (double)summary->unanswered;
    fill_times(cells + FIRST_BYTE_P50, &summary->first_byte);
}

void
host_row_summarize(GString *text, const struct host_summary *sum)
{
    uint64_t handshakes = all_handshakes(sum);
    g_string_append_printf(text,
                           "%" PRIu64 " attempt%s, %" PRIu64 " not connected; %" PRIu64 " TLS handshake%s, %" PRIu64
                           " complete, %" PRIu64 " failed, %" PRIu64 " unfinished; %" PRIu64 " request%s.\n",
                           sum->attempts, plurality(sum->attempts, "", "s"), sum->not_connected, handshakes,
                           plurality(handshakes, "", "s"), sum->handshakes[TLS_COMPLETE], sum->handshakes[TLS_FAILED],
                           sum->handshakes[TLS_UNFINISHED], sum->requests, plurality(sum->requests, "", "s"));
}
