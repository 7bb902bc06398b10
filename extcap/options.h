/* options.h
 * What the command line wants.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "probes.h"

enum task {
    TASK_RECORD,
    TASK_SUMMARY,
    TASK_LIST, /* of the stages that this kernel shows */
    TASK_HELP,
    TASK_VERSION,
    TASK_WRONG, /* with `problem` */
    /* Questions of Wireshark (extcap.h) */
    TASK_INTERFACES,
    TASK_DLTS,
    TASK_CONFIG,
    TASK_FILTER
};

struct options {
    enum task task;
    bool is_extcap; /* a program runs this one, and shows to its user what is on stderr as an error */
    struct wanted wanted;
    const char *process;      /* "": every one */
    unsigned int pid;         /* the same as a number, or 0 */
    uint64_t count;           /* of records; 0: no limit */
    double seconds;           /* 0: no limit */
    unsigned summary_seconds; /* of each row */
    const char *path;         /* "-": the standard output */
    const char *filter;       /* Wireshark's capture filter, or NULL */
    char problem[256];
};

void options_parse(struct options *options, int count, char **arguments);
void options_help(void);

#endif
