/* host_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "host_row.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

enum { PARTS = 3 }; /* of a description */

enum {
    CONNECTS,
    NOT_CONNECTED,
    CONNECT,
    HANDSHAKES = CONNECT + PARTS,
    NO_HANDSHAKE,
    HANDSHAKE,
    REQUESTS = HANDSHAKE + PARTS,
    UNANSWERED,
    FIRST_BYTE,
    HOST = FIRST_BYTE + PARTS
};

#define COLUMNS_OF(what)                                                                                               \
    { what " p50", CELL_TIME, what "\np50" }, { what " p95", CELL_TIME, what "\np95" },                                \
    {                                                                                                                  \
        what " p99", CELL_TIME, what "\np99"                                                                           \
    }

const struct table_column host_columns[HOST_COLUMNS] = {
    { "Connects", CELL_COUNT, NULL },
    { "Not connected", CELL_COUNT, "Not\nconnected" },
    COLUMNS_OF("TCP"),
    { "TLS", CELL_COUNT, NULL },
    { "TLS not complete", CELL_COUNT, "TLS not\ncomplete" },
    COLUMNS_OF("TLS"),
    { "Requests", CELL_COUNT, NULL },
    { "Unanswered", CELL_COUNT, "No\nanswer" },
    COLUMNS_OF("TTFB"),
    /* Last, for it is the one without bounds. */
    { "Host", CELL_TEXT, NULL },
};

static void
fill_times(union table_cell *cells, const struct description *times)
{
    const double values[PARTS] = { times->p50, times->p95, times->p99 };
    for (unsigned i = 0; i < PARTS; i++)
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
    fill_times(cells + CONNECT, &summary->connect);
    cells[HANDSHAKES].number = (double)all_handshakes(summary);
    cells[NO_HANDSHAKE].number = (double)(all_handshakes(summary) - summary->handshakes[TLS_COMPLETE]);
    fill_times(cells + HANDSHAKE, &summary->handshake);
    cells[REQUESTS].number = (double)summary->requests;
    cells[UNANSWERED].number = (double)summary->unanswered;
    fill_times(cells + FIRST_BYTE, &summary->first_byte);
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
