/* export_ca_rows.h
 * Each of the objects of -z latency,json about Channel Access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_CA_ROWS_H
#define LATENCY_EXPORT_CA_ROWS_H

#include "../core/ca/ca_channel.h"
#include "../core/stats/ca_server_tally.h"
#include "../core/stats/ca_searched.h"
#include "../core/stats/groups.h"
#include "export_line.h"

/* The channel with this number, not of an orphan; `last_ns`: when its capture ended. */
void channel_row_write(struct line *line, const struct ca_channels *channels, uint32_t number, int64_t last_ns);

/* What events told of a monitor. */
struct monitor_digest {
    uint32_t monitor; /* number of the exchange that started it */
    uint64_t updates;
    struct statistic spacing; /* from one to the next */
};

void monitor_row_write(struct line *line, const struct ca_channels *channels, const struct monitor_digest *digest);

void search_row_write(struct line *line, const struct circuit_protocol *protocol, const struct group_key *key,
                      const struct ca_searched *searched);
void ca_server_row_write(struct line *line, const struct circuit_protocol *protocol, const struct group_key *key,
                         const struct ca_server_tally *server);
void ca_command_row_write(struct line *line, const struct circuit_protocol *protocol, unsigned command,
                          const struct statistic *response_time);

#endif
