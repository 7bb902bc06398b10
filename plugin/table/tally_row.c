/* tally_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tally_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "description_cells.h"

enum {
    SERVER,
    REQUESTS,
    UNANSWERED,
    ERRORS,
    FIRST_BYTE,
    SERVER_TIME = FIRST_BYTE + DESCRIPTION_CELLS,
    SERVER_TIMES,
    LAST_BYTE,
    BYTES
};

#define COLUMNS_OF_A_TALLY                                                                                             \
    { "Server", CELL_TEXT, NULL }, { "Requests", CELL_COUNT, NULL }, { "Unanswered", CELL_COUNT, "No\nanswer" },       \
        { "Errors", CELL_COUNT, NULL }, COLUMNS_OF_A_DESCRIPTION, { "Server time", CELL_TIME, "Server\ntime" },        \
        { "Server times", CELL_COUNT, "Of" }, { "Last byte", CELL_TIME, "Last\nbyte" },                                \
    {                                                                                                                  \
        "Bytes", CELL_BYTES, NULL                                                                                      \
    }

const struct table_column server_columns[SERVER_COLUMNS] = { COLUMNS_OF_A_TALLY };

const struct table_column operation_columns[OPERATION_COLUMNS] = { COLUMNS_OF_A_TALLY,
                                                                   { "Operation", CELL_TEXT, NULL } };

void
tally_row_fill(union table_cell *cells, const char *server, const struct tally_summary *summary)
{
    cells[SERVER].text = server;
    cells[REQUESTS].number = (double)summary->requests;
    cells[UNANSWERED].number = (double)summary->unanswered;
    cells[ERRORS].number = (double)summary->errors;
    description_cells_fill(cells + FIRST_BYTE, &summary->first_byte);
    cells[SERVER_TIME].number = summary->server_time;
    cells[SERVER_TIMES].number = (double)summary->server_times;
    cells[LAST_BYTE].number = summary->last_byte;
    cells[BYTES].number = (double)summary->response_bytes;
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
