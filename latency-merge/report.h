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
 * of channels, of names searched for, and of commands. */
struct made_of {
    const char *requests, *channels, *names, *commands;
};

/* How the tables are printed. */
struct report_form {
    enum table_format format;
    enum table_columns columns;
};

/* Prints the tables, which have no rows then. False if the values on disk could not be read again. */
bool report_print(struct totals *totals, const struct made_of *made_of, const struct report_form *form, FILE *file);

#endif
