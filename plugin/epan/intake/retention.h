/* retention.h
 * Whether the program that reads the capture keeps its frames, so that it can visit them again.
 *
 * Wireshark, sharkd and tshark -2 do. tshark without -2 does not: there nothing need be remembered of a frame once it
 * is done, and nothing be found out if nobody looks. Nothing in epan's interface says which it is, but taps show it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RETENTION_H
#define LATENCY_RETENTION_H

#include <stdbool.h>

/* Whether the program is Wireshark with its window. */
bool retention_has_window(void);

/* To be called when a capture begins, and at the end of each frame's first visit. */
void retention_begin(void);
void retention_note_frame(void);

/* Whether enough frames have been visited to know whether they are kept. To be asked when a frame's visit begins. */
bool retention_can_tell(void);

/* Whether the program keeps frames. Call it once, where retention_can_tell() says so. */
bool retention_keeps_frames(void);

#endif
