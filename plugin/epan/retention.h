/* retention.h
 * Whether the program that reads the capture keeps its frames, so that it can visit them again.
 *
 * Wireshark, sharkd and tshark -2 do. tshark without -2 does not: there nothing need be remembered of a frame once it
 * is done, and nothing be found out if nobody looks. Nothing in epan's interface says which it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RETENTION_H
#define LATENCY_RETENTION_H

#include <stdbool.h>

#include <epan/packet.h>

/* Frames a capture must have before the question can be answered. */
enum { RETENTION_FRAMES = 4 };

/* To be asked on a frame with a number above RETENTION_FRAMES. When in doubt, true. */
bool retention_keeps_frames(packet_info *pinfo);

#endif
