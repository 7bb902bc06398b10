/* metrics.h
 * Metrics of what a scan reads, in Prometheus' text format (version 0.0.4), which its scrapes and node_exporter's
 * textfile collector read: histograms with the names and limits of OpenTelemetry's semantic conventions, and counters.
 * They count from the beginning of the scan.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_METRICS_H
#define SCAN_METRICS_H

#include "scan.h"

struct metrics;

/* `path`: the file they are written to, "-" for standard output; NULL: to none. `address`: where they are served, as
 * "127.0.0.1:9100", "[::1]:9100", or "9100" for the former; NULL: nowhere. Both are copied. */
struct metrics *metrics_new(const char *path, const char *address);
void metrics_free(struct metrics *metrics);

/* To be called before anything is read. False, having said why, if the file would replace what is none of ours. */
bool metrics_check(const struct metrics *metrics, char *const *captures);

/* From now on they take what the scan tells, and are served. False, having said why, if they cannot be served. */
bool metrics_begin(struct metrics *metrics, struct scan *scan);

/* Writes the file, which is replaced whole. False, having said why, if it cannot be written. */
bool metrics_write(struct metrics *metrics);

/* The same when the capture has been read: nothing more will come of requests that have not ended. */
bool metrics_finish(struct metrics *metrics);

/* Forgets what the scan's records are needed for: to be called before it is freed. */
void metrics_end(struct metrics *metrics);

#endif
