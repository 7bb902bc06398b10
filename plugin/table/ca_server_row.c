/* ca_server_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_server_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "description_cells.h"

#define COLUMNS(X)                                                                                                     \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(CHANNELS, COUNT, "Channels", "channels")                                                                         \
    X(FAILED, COUNT, "Failed", "failed", .head = "Fail")                                                               \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "No\nanswer")                                             \
    X(CREATED, COUNT, "Created", "created", .head = "OK")                                                              \
    DESCRIPTION_COLUMNS(X, TIME)                                                                                       \
    X(SEARCH, TIME, "Search", "search", .leaves = 26)                                                                  \
    X(TCP_CONNECT, TIME, "TCP connect", "tcp_connect", .head = "TCP", .leaves = 24)                                    \
    X(HELLO, TIME, "Hello", "hello", .leaves = 22)                                                                     \
    X(FIRST_VALUE, TIME, "First value", "first_value", .head = "Value", .leaves = 25)

TABLE_COLUMNS(ca_server_columns, COLUMNS);

void
ca_server_row_fill(union table_cell *cells, const char *server, const struct ca_tally *tally,
                   const struct description *create)
{
    cells[SERVER].text = server;
    cells[CHANNELS].number = (double)tally->channels;
    cells[FAILED].number = (double)tally->failed;
    cells[UNANSWERED].number = (double)ca_tally_unanswered(tally);
    cells[CREATED].number = (double)tally->created;
    description_cells_fill(cells + MEAN, create);
    cells[SEARCH].number = moments_mean(&tally->search);
    cells[TCP_CONNECT].number = moments_mean(&tally->tcp_connect);
    cells[HELLO].number = moments_mean(&tally->hello);
    cells[FIRST_VALUE].number = moments_mean(&tally->first_value);
}

void
ca_server_row_write_counts(GString *text, const struct ca_tally *sum)
{
    g_string_append_printf(
        text, "%" PRIu64 " channel%s: %" PRIu64 " created, %" PRIu64 " failed, %" PRIu64 " unanswered", sum->channels,
        plurality(sum->channels, "", "s"), sum->created, sum->failed, ca_tally_unanswered(sum));
    if (sum->waiting > 0)
        g_string_append_printf(text, ", %" PRIu64 " waiting", sum->waiting);
    g_string_append(text, ".\n");
}

void
ca_server_row_summarize(GString *text, const struct ca_tally *sum, const char *hello_ends)
{
    ca_server_row_write_counts(text, sum);
    g_string_append_printf(text,
                           "Means: Search, to the first reply; TCP, from SYN to SYN-ACK; Hello, from there to %s; "
                           "Value, to the first.\n",
                           hello_ends);
}

void
ca_server_row_write_orphans(GString *text, uint64_t orphans)
{
    if (orphans > 0)
        g_string_append_printf(text, "Not counted: %" PRIu64 " channel%s whose request is not in the capture.\n",
                               orphans, plurality(orphans, "", "s"));
}
