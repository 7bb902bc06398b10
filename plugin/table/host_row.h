/* host_row.h
 * The columns of a host, and a row of them: the table of hosts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HOST_ROW_H
#define LATENCY_HOST_ROW_H

#include "../core/protocol/tls/tls_handshake.h"
#include "../core/stats/describe.h"
#include "text_table.h"

extern const struct table_column host_columns[];

#define HOSTS_TITLE "Latency: Hosts"
#define HOSTS_HEADING                                                                                                  \
    "TCP: from the first SYN to its answer; TLS: from the ClientHello until data may follow; TTFB: time to first byte"

/* A host's figures. */
struct host_summary {
    uint64_t attempts, not_connected;
    uint64_t handshakes[TLS_RESULTS];
    uint64_t requests, unanswered;
    struct description connect, handshake, first_byte;
};

/* The text stays the caller's. */
void host_row_fill(union table_cell *cells, const char *host, const struct host_summary *summary);

/* The line below the title, of all hosts together. */
void host_row_summarize(GString *text, const struct host_summary *sum);

#endif
