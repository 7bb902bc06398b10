/* sums.h
 * The objects that sum up: server, operation, connections, host, and of Channel Access and pvAccess servers, names and
 * commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_SUMS_H
#define LATENCY_MERGE_SUMS_H

#include "json/record.h"
#include "totals.h"

/* Each adds an object to its table; those of requests, attempts and hosts not if `totals` is NULL. The first two return
 * how many requests, or attempts, it stands for. */
uint64_t sums_take_requests(struct record *record, struct totals *totals, enum total_number number);
uint64_t sums_take_attempts(struct record *record, struct totals *totals);
void sums_take_host(struct record *record, struct totals *totals);

/* Adds to `sum`, too. `is_summary`: the times of the channels created do not come one by one. */
void sums_take_channels(struct record *record, struct totals *totals, enum total_number number, bool is_summary,
                        struct ca_tally *sum);

void sums_take_name(struct record *record, struct totals *totals, enum total_number number);
void sums_take_command(struct record *record, struct totals *totals, enum total_number number);

#endif
