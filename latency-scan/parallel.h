/* parallel.h
 * A capture read by several threads: each has a part of the connections, and one also reads the frames and finds TCP in
 * them. The tables are the same as one thread's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_PARALLEL_H
#define SCAN_PARALLEL_H

#include "filter.h"
#include "outputs.h"

struct parallel;

/* The thread that reads is one of the workers. The outputs can be joined, and have begun with the scan. All is
 * borrowed. */
struct parallel *parallel_new(unsigned workers, struct scan *scan, struct outputs *outputs,
                              const struct settings *settings);

/* Takes a frame. False if one thread must read it all, from the beginning. */
bool parallel_take(struct parallel *parallel, const struct frame *frame);

/* No frame follows: the scan and the outputs have everything. False as above. */
bool parallel_finish(struct parallel *parallel);

/* Ends the threads, and frees what rows of the outputs may refer to. */
void parallel_free(struct parallel *parallel);

#endif
