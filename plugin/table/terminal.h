/* terminal.h
 * What a file can show, if it is a terminal.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TERMINAL_H
#define LATENCY_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* All zero for what is no terminal. */
struct terminal {
    int columns;
    bool has_colours; /* and nobody has asked for none (NO_COLOR; TERM=dumb) */
    bool has_unicode; /* its locale has */
};

struct terminal terminal_of(FILE *file);

#endif
