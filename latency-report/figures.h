/* figures.h
 * What was gathered, as the JSON object that the page's program draws (report.js).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "gather.h"

/* Servers that are drawn, rows of the table of operations, and those of them that have pictures: what kept its clients
 * waiting longest. */
enum { SERVERS_SHOWN = 12, OPERATIONS_SHOWN = 200, OPERATIONS_DRAWN = 20 };

/* To be freed. `names`: of the files, in the order of their numbers. */
GString *figures_new(struct gathering *gathering, const GPtrArray *names);

#endif
