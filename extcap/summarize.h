/* summarize.h
 * --summary: the table of -z latency,kernel, row by row as time passes, of what the kernel adds up (summary.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SUMMARIZE_H
#define SUMMARIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summarizer;

/* Of the server's port, in intervals of `interval_ns`. NULL, and a sentence in `why`, if the kernel cannot. */
struct summarizer *summarize_begin(uint16_t port, uint64_t interval_ns, bool is_verbose, char *why, size_t size);

/* Prints the intervals that have ended. False if nobody reads them. */
bool summarize_step(struct summarizer *summarizer);

/* Prints the rest. */
bool summarize_end(struct summarizer *summarizer);

#endif
