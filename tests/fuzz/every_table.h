/* every_table.h
 * Every table of a scan, and what must be true of each row. For fuzzers' targets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FUZZ_EVERY_TABLE_H
#define FUZZ_EVERY_TABLE_H

#include "scan.h"

/* For scan_new(). The first call begins what a scan needs: wmem, wiretap, preferences. */
const struct settings *every_table_settings(void);

/* From now on they are told of what the scan's frames mean; the caller's to every_table_close() when it has ended,
 * which ends the program if a time of a row is negative. */
GArray *every_table_open(struct scan *scan);
void every_table_close(GArray *tables, struct scan *scan);

#endif
