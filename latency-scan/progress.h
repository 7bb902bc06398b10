/* progress.h
 * A line on a terminal while a capture is read: how much of it has been, how fast, and how long it will take. Nothing
 * where standard error is none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_PROGRESS_H
#define SCAN_PROGRESS_H

#include <stdint.h>

/* To be asked before progress_show(), for that takes longer: true a few times a second, and only on a terminal. */
int progress_is_due(uint64_t frames);

/* `all`: 0 if it is not known. */
void progress_show(uint64_t frames, int64_t done_bytes, int64_t all_bytes);

/* Removes the line, if there is one. */
void progress_clear(void);

#endif
