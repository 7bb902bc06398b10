/* connect_tally_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connect_tally_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "description_cells.h"

#define COLUMNS(X)                                                                                                     \
    X(CLIENT, TEXT, "Client", "client", .leaves = 37)                                                                  \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(ATTEMPTS, COUNT, "Attempts", "attempts")                                                                         \
    X(ACCEPTED, COUNT, "Accepted", "accepted", .head = "OK")                                                           \
    X(REFUSED, COUNT, "Refused", "refused", .head = "RST")                                                             \
    X(UNREACHABLE, COUNT, "Unreachable", "unreachable", .head = "ICMP", .leaves = 19)                                  \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "No\nanswer")                                             \
    DESCRIPTION_COLUMNS(X, TIME)                                                                                       \
    X(SYN_RETRIES, COUNT, "SYN retries", "syn_retries", .head = "Retries", .leaves = 5)

TABLE_COLUMNS(connection_columns, COLUMNS);

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
    description_cells_fill(cells + MEAN, time);
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
