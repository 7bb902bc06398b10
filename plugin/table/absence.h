/* absence.h
 * Why a table has no rows: what the capture does not have. Whole lines; nothing where that is not the reason.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ABSENCE_H
#define LATENCY_ABSENCE_H

#include "table_source.h"

void absence_of_tcp(const struct table_source *source, GString *text);

/* Appends why there are no requests, also where connections were refused or carried nothing. */
void absence_of_requests(const struct table_source *source, GString *text);

/* Of a second capture point, and of the stages of a kernel: also without TCP. */
void absence_of_points(const struct table_source *source, GString *text);
void absence_of_kernel(const struct table_source *source, GString *text);

void absence_of_channel_access(const struct table_source *source, GString *text);
void absence_of_pvaccess(const struct table_source *source, GString *text);

#endif
