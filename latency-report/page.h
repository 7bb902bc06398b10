/* page.h
 * The report: one HTML page with its figures, the program that draws them, and the library that it draws with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "gather.h"

/* Servers that are drawn, and rows of the table of operations: those that kept their clients waiting longest. */
enum { SERVERS_SHOWN = 12, OPERATIONS_SHOWN = 200, PATHS_SHOWN = 20 };

/* `paths`: of the files, in the order of their numbers. Whether all was written is ferror()'s to say. */
void page_write(struct gathering *gathering, const GPtrArray *paths, FILE *file);

#endif
