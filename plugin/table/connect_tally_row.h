/* connect_tally_row.h
 * The columns of a tally of attempts to connect, and a row of them: the table of connections.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONNECT_TALLY_ROW_H
#define LATENCY_CONNECT_TALLY_ROW_H

#include "../core/stats/connect_tally.h"
#include "text_table.h"

extern const struct table_column connection_columns[];

#define CONNECTIONS_TITLE   "Latency: Connections"
#define CONNECTIONS_HEADING "from the first SYN to its first answer: SYN-ACK (OK), RST or ICMP error"

/* The line below the title. */
void connect_tally_row_summarize(GString *text, uint64_t attempts, uint64_t unanswered, uint64_t waiting);

/* Texts stay the caller's; `time`: of the tally's sample. */
void connect_tally_row_fill(union table_cell *cells, const char *client, const char *server,
                            const struct connect_tally *tally, const struct description *time);

#endif
