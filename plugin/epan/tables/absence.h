/* absence.h
 * Why a table has no rows: what the capture does not have. Whole lines; nothing where that is not the reason.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ABSENCE_H
#define LATENCY_ABSENCE_H

#include <glib.h>

void absence_of_tcp(GString *text);

/* Of a second capture point, and of the stages of a kernel: also without TCP. */
void absence_of_points(GString *text);
void absence_of_kernel(GString *text);

void absence_of_channel_access(GString *text);

#endif
