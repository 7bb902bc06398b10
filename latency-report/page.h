/* page.h
 * The report: one HTML page with its figures, the program that draws them, and the library that it draws with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "gather.h"

/* `names`: of the files, in the order of their numbers. Whether all was written is ferror()'s to say. */
void page_write(struct gathering *gathering, const GPtrArray *names, FILE *file);

#endif
