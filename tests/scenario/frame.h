/* frame.h
 * The frames, as bytes on the link, that carry a scenario's segment.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_FRAME_H
#define SCENARIO_FRAME_H

#include "scenario.h"

/* Appends them to `frames`, a GPtrArray of GByteArray *: several where the segment is sent in IP fragments, else
 * one. IP, TCP and ICMP checksums are right. */
void frame_build(const struct scenario *scenario, const struct scenario_segment *segment, GPtrArray *frames);

#endif
