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

/* Frames with a time that a capture must have before the question can be answered. */
enum { RETENTION_FRAMES = 4 };

/* Of one capture; empty is { 0 }. */
struct retention {
    uint32_t frames[RETENTION_FRAMES]; /* the first that have a time */
    unsigned n_frames;
};

/* To be told of every frame, at the end of its first visit. */
void retention_note(struct retention *retention, const packet_info *pinfo);

bool retention_can_tell(const struct retention *retention, const packet_info *pinfo);

/* Whether the program keeps frames. Call it where retention_can_tell() says so. True where it cannot be known. */
bool retention_keeps_frames(const struct retention *retention, packet_info *pinfo);

#endif
