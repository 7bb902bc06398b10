/* connect_tally_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connect_tally_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "description_cells.h"

enum {
    CLIENT,
    SERVER,
    ATTEMPTS,
    ACCEPTED,
    REFUSED,
    UNREACHABLE,
    UNANSWERED,
    TIME,
    SYN_RETRIES = TIME + DESCRIPTION_CELLS
};

const struct table_column connection_columns[CONNECTION_COLUMNS] = {
    { "Client", CELL_TEXT, NULL },
    { "Server", CELL_TEXT, NULL },
    { "Attempts", CELL_COUNT, NULL },
    { "Accepted", CELL_COUNT, "OK" },
    { "Refused", CELL_COUNT, "RST" },
    { "Unreachable", CELL_COUNT, "ICMP" },
    { "Unanswered", CELL_COUNT, "No\nanswer" },
    COLUMNS_OF_A_DESCRIPTION,
    { "SYN retries", CELL_COUNT, "Retries" },
};

void
connect_tally_row_fill(union table_cell *cells, const char *client, const char *server,
                       const struct connect_tally *tally, const struct description *time)
{
    cells[CLIENT].text = client;
    cells[SERVER].text = server;
    cells[ATTEMPTS].number = (double)tally->attempts;
    cells[ACCEPTED].number = (double)tally->results[CONNECT_ACCEPTED];
    cells[REFUSED].number = (double)tally->results[CONNECT_REFUSED];
    cells[UNREACHABLE].number = (double)tally->results[CONNECT_UNREACHABLE];
    cells[UNANSWERED].number = (double)tally->results[CONNECT_UNANSWERED];
    description_cells_fill(cells + TIME, time);
    cells[SYN_RETRIES].number = (double)tally->syn_retries;
}

void
connect_tally_row_summarize(GString *text, uint64_t attempts, uint64_t unanswered, uint64_t waiting)
{
    g_string_append_printf(text, "%" PRIu64 " attempt%s, %" PRIu64 " unanswered", attempts,
                           plurality(attempts, "", "s"), unanswered);
    if (waiting > 0)
        g_string_append_printf(text, ", %" PRIu64 " waiting", waiting);
    g_string_append(text, ".\n");
}
