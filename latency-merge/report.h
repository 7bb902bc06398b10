/* report.h
 * The merged tables as text, as tshark prints those of one capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPORT_H
#define LATENCY_MERGE_REPORT_H

#include <stdio.h>

#include "table/text_table.h"
#include "totals.h"

/* `made_of`: a line on what the tables are made of; `ca_made_of`: the one of Channel Access, which is left out if there
 * is nothing of it. False if the values on disk could not be read again. */
bool report_print(const struct totals *totals, const char *made_of, const char *ca_made_of, enum table_format format,
                  FILE *file);

#endif
