/* written.h
 * The files that are made of a capture: JSON lines, and pages of latency-report's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_WRITTEN_H
#define SCAN_WRITTEN_H

#include "scan.h"

struct written;

struct written *written_new(void);
void written_free(struct written *written);

/* Adds JSON lines to a file; "-" is standard output. */
void written_add_json(struct written *written, const char *path);

/* Adds a file that another program makes of JSON lines: a page for "html", or what latency-export writes for "otlp",
 * "har" or "trace". NULL; or a sentence, to be freed with g_free(), if that program is not installed. */
char *written_add_made(struct written *written, const char *option, const char *path);

/* How many files there are. */
unsigned written_count(const struct written *written);

/* To be called before anything is read. False, having said why, if a file would replace one of the captures, or another
 * that is not of ours. */
bool written_check(const struct written *written, char *const *captures);

/* From now on they take what the scan tells. False, having said why, if one cannot be written. */
bool written_begin(struct written *written, struct scan *scan);

/* Makes the files; `captures`: what pages are of, ends with NULL. False, having said why, if one cannot be made. */
bool written_finish(struct written *written, char *const *captures);

/* Forgets what has been taken: to be called before the scan is freed. */
void written_end(struct written *written);

#endif
