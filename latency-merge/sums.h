/* sums.h
 * The objects that sum up: server, operation, connections, host, ca_server.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_SUMS_H
#define LATENCY_MERGE_SUMS_H

#include "record.h"
#include "totals.h"

/* Adds an object to a table, if it is not NULL, and returns how many requests, or attempts, it stands for. */
uint64_t sums_take_requests(struct record *record, struct total *total, uint64_t position);
uint64_t sums_take_attempts(struct record *record, struct total *total, uint64_t position);

/* Adds an object about a host, likewise. */
void sums_take_host(struct record *record, struct host_totals *hosts, uint64_t position);

/* Adds an object about channels, to its tally in `sum` as well. */
void sums_take_channels(struct record *record, struct total *total, bool approximate, uint64_t position,
                        struct ca_tally *sum);

#endif
