/* terminal.h
 * The terminal that a file is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TERMINAL_H
#define LATENCY_TERMINAL_H

#include <stdio.h>

/* How many columns it has; 0 if it is none, or the system does not say. */
int terminal_columns(FILE *file);

#endif
