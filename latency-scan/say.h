/* say.h
 * What latency-scan says on standard error, a sentence a line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SAY_H
#define SCAN_SAY_H

#include <glib.h>

void say(const char *format, ...) G_GNUC_PRINTF(1, 2);

#endif
