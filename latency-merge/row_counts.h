/* row_counts.h
 * Whether a file is whole: what its first line counted has come, if no hand has changed the file and its last line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_ROW_COUNTS_H
#define LATENCY_MERGE_ROW_COUNTS_H

#include "json/capture.h"
#include "../plugin/core/stats/ca_tally.h"

/* What a file's objects told of. */
struct row_counts {
    uint64_t requests, attempts, handshakes, tls, channels, created; /* rows, or lines of segments */
    uint64_t server_requests, clients_attempts;                      /* that sums are of */
    struct ca_tally server_channels;                                 /* likewise */
};

/* False, with a sentence, where that is not what the capture's first line says. */
bool row_counts_agree(const struct row_counts *counts, const struct capture *capture, GError **error);

#endif
