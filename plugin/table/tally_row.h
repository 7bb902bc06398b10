/* tally_row.h
 * The columns of a tally of requests, and a row of them: the tables of servers and of operations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TALLY_ROW_H
#define LATENCY_TALLY_ROW_H

#include "../core/stats/tally.h"
#include "text_table.h"

extern const struct table_column server_columns[];
/* The same, and the operation: last, for it is the one without bounds, and the one that may contain a "|". */
extern const struct table_column operation_columns[];

#define SERVERS_TITLE    "Latency: Servers"
#define OPERATIONS_TITLE "Latency: Operations"
#define TALLY_HEADING    "time to first byte (TTFB), from a request's first byte to its response's"

/* What stands below the title. */
struct tally_counts {
    uint64_t requests, answered;
    uint64_t farewells;    /* of the others, await no answer */
    uint64_t waiting;      /* of the others, may still have one */
    uint64_t by_messages;  /* are a message each, the others a turn */
    uint64_t in_tls;       /* of the turns, in TLS that nobody has decrypted */
    uint64_t server_times; /* of the answered, have one */
};

void tally_row_summarize(GString *text, const struct tally_counts *counts);

/* A line about what is no request, if there is some. */
void tally_row_write_tls(GString *text, uint64_t handshakes, uint64_t alerts);

/* Fills a row with texts that stay the caller's. `operation`: NULL where there is no such column. */
void tally_row_fill(union table_cell *cells, const char *server, const char *operation,
                    const struct tally_summary *summary);

#endif
