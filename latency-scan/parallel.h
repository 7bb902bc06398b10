/* parallel.h
 * A capture read by several threads: each has a part of the connections, and whichever is ahead reads the next frames
 * and finds TCP in them. The tables are the same as one thread's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_PARALLEL_H
#define SCAN_PARALLEL_H

#include "filter.h"
#include "outputs.h"

struct parallel;

/* The outputs can be joined, and have begun with the scan. All is borrowed. */
struct parallel *parallel_new(unsigned workers, struct scan *scan, struct outputs *outputs,
                              const struct settings *settings);

/* The next frame, which is valid until it is called again; NULL after the last. One worker calls it at a time. */
typedef struct frame *parallel_next(void *data);

/* Takes all frames, and then the scan and the outputs have everything. False if one thread must read it all, from the
 * beginning. */
bool parallel_run(struct parallel *parallel, parallel_next *next, void *data);

/* Frees what rows of the outputs may refer to. */
void parallel_free(struct parallel *parallel);

#endif
