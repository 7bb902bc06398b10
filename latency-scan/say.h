/* say.h
 * What latency-scan says on standard error: sentences, each on a line; and on a terminal a line while a capture is
 * read: how much of it has been, how fast, and how long it will take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SAY_H
#define SCAN_SAY_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

void say(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* From now on sentences are not printed but handed over, each without the end of its line, and there is no line while a
 * capture is read: somebody else has the terminal. NULL: as before. */
void say_hold(void (*take)(void *data, const char *sentence), void *data);

/* To be asked before progress_show(), for that takes longer: true a few times a second, and only on a terminal. */
bool progress_is_due(uint64_t frames);

/* `all`: 0 if it is not known. */
void progress_show(uint64_t frames, int64_t done_bytes, int64_t all_bytes);

/* Removes the line, if there is one. */
void progress_clear(void);

#endif
