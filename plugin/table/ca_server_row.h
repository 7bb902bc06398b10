/* ca_server_row.h
 * The columns of what the channels of a server come to, and a row of them: the table of Channel Access servers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_SERVER_ROW_H
#define LATENCY_CA_SERVER_ROW_H

#include "../core/stats/ca_tally.h"
#include "text_table.h"

extern const struct table_column ca_server_columns[];

#define CA_SERVERS_TITLE   "Channel Access: Servers"
#define CA_SERVERS_HEADING "from CREATE_CHAN to the answer, of channels that were created"

#define PVA_SERVERS_TITLE   "pvAccess: Servers"
#define PVA_SERVERS_HEADING "from CREATE_CHANNEL to the answer, of channels that were created"

#define CA_HELLO_ENDS  "VERSION"
#define PVA_HELLO_ENDS "CONNECTION_VALIDATED"

/* The line that says what became of channels. */
void ca_server_row_write_counts(GString *text, const struct ca_tally *sum);

/* The lines below the title, of all tallies together. `hello_ends`: with which message a server's hello does. */
void ca_server_row_summarize(GString *text, const struct ca_tally *sum, const char *hello_ends);

/* One more, if there are channels whose request is not in the capture. */
void ca_server_row_write_orphans(GString *text, uint64_t orphans);

/* Texts stay the caller's; `create`: of the channels created. */
void ca_server_row_fill(union table_cell *cells, const char *server, const struct ca_tally *tally,
                        const struct description *create);

#endif
