/* report.h
 * The merged tables as text, as tshark prints those of one capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPORT_H
#define LATENCY_MERGE_REPORT_H

#include <stdio.h>

#include "totals.h"

/* A line each on what tables are made of: those of requests, and, which are left out if there is nothing of them, those
 * of calls, of channels, of names searched for, and of commands. */
struct made_of {
    const char *requests, *calls, *channels, *names, *commands;
};

/* Which tables are printed, by enum total_number. */
struct choice {
    bool is_of_some; /* else of all that have rows, and of those of requests */
    bool has[TOTALS];
};

/* Adds the table that an argument of -z names; returns NULL, or a text of lines about what is wrong, to be freed with
 * g_free(). */
char *choice_add(struct choice *choice, const char *argument);

/* What is printed, and how. */
struct report_form {
    enum table_format format;
    enum table_columns columns;
    struct choice choice;
};

/* Prints the tables, which have no rows then. */
void report_print(struct totals *totals, const struct made_of *made_of, const struct report_form *form, FILE *file);

#endif
