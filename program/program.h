/* program.h
 * What latency-scan, latency-merge and latency-report have in common as programs: options, and sentences on standard
 * error.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROGRAM_H
#define LATENCY_PROGRAM_H

#include <stdarg.h>
#include <stdbool.h>

#include <glib.h>

enum { EXIT_USAGE = 2 };

/* Options that serve one purpose, which is their heading in --help. */
struct option_group {
    const char *heading;
    const GOptionEntry *entries;
};

/* What --help prints. No line of its texts has more than 80 columns. */
struct program {
    const char *name;
    const char *arguments;             /* behind the name and the options */
    const char *summary;               /* lines that say what the program does */
    const char *examples;              /* lines, of which those that are no comment can be typed as they are */
    const struct option_group *groups; /* ends with one without heading */
    unsigned tables;                   /* who prints the tables that are listed, of enum table_printer; 0: none are */
    const char *description;           /* lines that come last */
};

/* Reads the options, --help and --version too. False if the program is to exit with `*status`: what is wrong has been
 * said. True leaves it at EXIT_USAGE, for arguments that are wrong. */
bool program_begin(const struct program *program, int *argc, char ***argv, int *status);

/* Prints a line, behind the program's name. */
void program_say(const char *format, ...) G_GNUC_PRINTF(1, 2);
void program_say_list(const char *format, va_list arguments) G_GNUC_PRINTF(1, 0);

/* Prints a text of several lines, the first of them behind the program's name. */
void program_say_lines(const char *text);

/* Says the error and frees it; returns EXIT_FAILURE. */
int program_fail(GError *error);

/* False, having said why, if what is printed would go into one of these files, which end with NULL. */
bool program_may_print(char *const *inputs);

#endif
