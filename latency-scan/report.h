/* report.h
 * Where the failures of what latency-scan shares with the plugin are said.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_REPORT_H
#define SCAN_REPORT_H

/* To be called first. */
void report_begin(void);

#endif
