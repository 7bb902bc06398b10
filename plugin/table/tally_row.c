/* tally_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tally_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "description_cells.h"

#define TALLY_COLUMNS(X)                                                                                               \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(REQUESTS, COUNT, "Requests", "requests")                                                                         \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "No\nanswer")                                             \
    X(ERRORS, COUNT, "Errors", "errors")                                                                               \
    DESCRIPTION_COLUMNS(X, TIME)                                                                                       \
    X(SERVER_TIME, TIME, "Server time", "server_time", .head = "Server\ntime", .leaves = 18)                           \
    X(SERVER_TIMES, COUNT, "Server times", "server_times", .head = "Of", .leaves = 16)                                 \
    X(LAST_BYTE, TIME, "Last byte", "last_byte", .head = "Last\nbyte", .leaves = 17)                                   \
    X(BYTES, BYTES, "Bytes", "response_bytes", .leaves = 15)

#define OPERATION_COLUMNS(X)                                                                                           \
    TALLY_COLUMNS(X)                                                                                                   \
    X(OPERATION, TEXT, "Operation", "kind")

const struct table_column server_columns[] = { TALLY_COLUMNS(COLUMN_DEFINITION){ .name = NULL } };
TABLE_COLUMNS(operation_columns, OPERATION_COLUMNS);

void
tally_row_fill(union table_cell *cells, const char *server, const char *operation, const struct tally_summary *summary)
{
    cells[SERVER].text = server;
    cells[REQUESTS].number = (double)summary->requests;
    cells[UNANSWERED].number = (double)summary->unanswered;
    cells[ERRORS].number = (double)summary->errors;
    description_cells_fill(cells + MEAN, &summary->first_byte);
    cells[SERVER_TIME].number = summary->server_time;
    cells[SERVER_TIMES].number = (double)summary->server_times;
    cells[LAST_BYTE].number = summary->last_byte;
    cells[BYTES].number = (double)summary->response_bytes;
    if (operation)
        cells[OPERATION].text = operation;
}

void
tally_row_summarize(GString *text, const struct tally_counts *counts)
{
    const uint64_t requests = counts->requests, by_messages = counts->by_messages;
    g_string_append_printf(text, "%" PRIu64 " request%s, %" PRIu64 " answered, %" PRIu64 " unanswered", requests,
                           plurality(requests, "", "s"), counts->answered,
                           requests - counts->answered - counts->farewells - counts->waiting);
    if (counts->waiting > 0)
        g_string_append_printf(text, ", %" PRIu64 " waiting", counts->waiting);
    if (counts->farewells > 0)
        g_string_append_printf(text, ", %" PRIu64 " closed by client", counts->farewells);
    if (by_messages > 0)
        g_string_append_printf(text, "; %" PRIu64 " by messages (each pipelined one counts)", by_messages);
    if (by_messages < requests)
        g_string_append_printf(text, "%s%" PRIu64 " by turns (pipelined ones count as one)",
                               by_messages > 0 ? ", " : "; ", requests - by_messages);
    if (counts->in_tls > 0)
        g_string_append_printf(text, ", %" PRIu64 " of them in TLS that is not decrypted", counts->in_tls);
    if (counts->server_times < counts->answered)
        g_string_append_printf(text, "; %" PRIu64 " without server time, for no handshake was captured",
                               counts->answered - counts->server_times);
    g_string_append(text, ".\n");
}

void
tally_row_write_tls(GString *text, uint64_t handshakes, uint64_t alerts)
{
    if (handshakes + alerts > 0)
        g_string_append_printf(text, "Not counted as requests: %" PRIu64 " TLS handshake%s, %" PRIu64 " TLS alert%s.\n",
                               handshakes, plurality(handshakes, "", "s"), alerts, plurality(alerts, "", "s"));
}
