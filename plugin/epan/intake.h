/* intake.h
 * Where TCP segments leave Wireshark's dissection for the core: the slot of TCP in the dissector table "ip.proto".
 *
 * A thin handle in that slot notes the IP and TCP headers and calls TCP's own dissector. It works behind every
 * encapsulation, builds no protocol tree, and adds nothing to what Wireshark shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_INTAKE_H
#define LATENCY_INTAKE_H

#include <epan/packet.h>

#include "../core/analysis.h"

/* To be called once each, when Wireshark registers protocols and hand-offs. `proto`: the plugin's own, whose fields
 * and tap decide whether anybody is interested in a capture that is read only once. */
void intake_register(int proto, int tap);
void intake_handoff(void);

/* Has `watch` called for each TCP segment once TCP has dissected it, with the segment from its header on. `due`: for
 * the first time, in the order of the capture. One can watch. */
typedef void (*intake_watcher)(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool due);
void intake_watch(intake_watcher watch);

/* Borrowed by the intake; to be filled in before the first packet. */
struct settings *intake_settings(void);

/* The capture being read; NULL between captures. */
struct analysis *intake_analysis(void);

/* Which capture that is, from 1; requests and attempts are numbered anew in each. */
uint32_t intake_capture(void);

/* The connection whose segment is being dissected for the first time; NULL if there is none, or nobody wants to know.
 */
struct connection *intake_connection(void);

/* Time of the capture's first frame that has one, of whatever protocol, once that has been dissected; 0 before. */
int64_t intake_start_ns(void);

/* The latest time of the capture's frames, of whatever protocol, whose dissection has ended; 0 before. */
int64_t intake_last_ns(void);

/* Time of a frame since the epoch in ns, within 2^62: a difference of two never overflows. */
int64_t intake_time_ns(const packet_info *pinfo);

/* Whether somebody looks at the fields of a protocol in this tree: it is printed, or one of them is in a column or a
 * filter. A tree that is only counted, as in the protocol hierarchy, must not have them. */
bool intake_is_shown(const proto_tree *tree, int proto);

/* To be called at the end of each frame's first dissection. */
void intake_end_frame(packet_info *pinfo, tvbuff_t *frame, proto_tree *tree);

#endif
