/* call_figures.h
 * Which request caused which, as members of the JSON object that the page's program draws (report.js).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_CALL_FIGURES_H
#define REPORT_CALL_FIGURES_H

#include "json/export_line.h"
#include "request_figures.h"

/* Edges of the map that are drawn: those with most time. */
enum { EDGES_SHOWN = 40 };

/* Writes "calls", who calls whom, and "waterfalls"; nothing unless a call is told. After request_figures_finish(). */
void call_figures_write(struct line *line, const struct request_figures *requests);

#endif
