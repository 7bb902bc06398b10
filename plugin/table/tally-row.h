/* tally-row.h
 * The columns of a tally of requests, and a row of them: the tables of servers and of operations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TALLY_ROW_H
#define LATENCY_TALLY_ROW_H

#include "../core/tally.h"
#include "text-table.h"

enum { SERVER_COLUMNS = 16, OPERATION_COLUMNS };

extern const struct table_column server_columns[SERVER_COLUMNS];
/* The same, and the operation: last, for it is the one without bounds, and the one that may contain a "|". */
extern const struct table_column operation_columns[OPERATION_COLUMNS];

#define SERVERS_TITLE    "Latency: Servers"
#define OPERATIONS_TITLE "Latency: Operations"
#define TALLY_HEADING    "from a request's first byte to its response's first byte"

/* The line below the title. `told_apart`: how many by their messages; `server_times`: how many of the answered have
 * one. */
void tally_row_summarize(GString *text, uint64_t requests, uint64_t answered, uint64_t told_apart,
                         uint64_t server_times);

/* Fills SERVER_COLUMNS cells, with texts that stay the caller's. */
void tally_row_fill(union table_cell *cells, const char *server, const struct tally_summary *summary);

#endif
