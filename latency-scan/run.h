/* run.h
 * Reads files from the beginning to the end, and prints what was asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_RUN_H
#define SCAN_RUN_H

#include "filter.h"
#include "live.h"
#include "outputs.h"

/* All is borrowed. */
struct job {
    char **paths;
    struct filter *filter; /* NULL: none */
    struct outputs *outputs;
    struct live *live; /* NULL: there is no live view */
    int64_t every_ns;  /* of the tables that are printed as it passes; 0: all at the end */
    unsigned threads;
};

/* False, having said why, if something could not be read or written. */
bool run_files(const struct job *job);

#endif
