/* ahead.h
 * A file's records, read by wiretap in a thread of its own, ahead of who takes them: to decompress it and to know what
 * it means take as long as the longer of both.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_AHEAD_H
#define SCAN_AHEAD_H

#include "compat_wiretap.h"

struct ahead;

/* From now on the file is the thread's, until ahead_end(): others ask for it between ahead_lock() and ahead_unlock().
 */
struct ahead *ahead_begin(wtap *wth);
void ahead_end(struct ahead *ahead);

/* The next record, valid until the next call; NULL after the last one. Then `error` and `reason` are wiretap's. */
struct read_record *ahead_next(struct ahead *ahead, int *error, char **reason);

/* How many interfaces the file had described when the record that was handed out last was read. */
unsigned ahead_interfaces(const struct ahead *ahead);

void ahead_lock(struct ahead *ahead);
void ahead_unlock(struct ahead *ahead);

#endif
