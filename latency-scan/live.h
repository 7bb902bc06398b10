/* live.h
 * The live view: a full screen, refreshed each second while a capture is read, and afterwards until its user leaves it.
 *
 * The scan stays in its thread, and the screen has one of its own: what both know is behind a lock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_H
#define SCAN_LIVE_H

#include "scan.h"

struct live;

/* What is looked at. All is borrowed. */
struct live_capture {
    char *const *paths;
    const char *name; /* as the title has it */
    bool is_passing;  /* it ends when somebody ends it: a pipe */
    bool is_of_now;   /* its times are of this host's clock: how far behind the view is can be told */
    bool prints;      /* prints what was seen when it ends: of what passes nothing else is kept */
};

/* NULL, and a sentence in `wrong`, to be freed with g_free(), if there is no terminal for it. */
struct live *live_new(const struct live_capture *capture, char **wrong);
void live_free(struct live *live);

/* From now on it takes what the scan tells, and has the screen. False, having said why, if that cannot be. */
bool live_begin(struct live *live, struct scan *scan);

/* Notes how many of the capture's bytes have been read. `all_bytes`: 0 if that is not known. */
void live_note_progress(struct live *live, int64_t done_bytes, int64_t all_bytes);

/* The capture has been read: waits until the user leaves the screen, which is the terminal's again then. */
void live_wait(struct live *live);

/* Prints what was seen, if that is asked for. */
void live_finish(struct live *live);

/* Forgets what the scan's records are needed for: to be called before it is freed. */
void live_end(struct live *live);

#endif
