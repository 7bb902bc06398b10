/* intake.h
 * Where TCP segments, and datagrams of DNS, leave Wireshark's dissection for the core: the slots of TCP and UDP in the
 * dissector table "ip.proto".
 *
 * A thin handle in such a slot notes the IP and TCP headers and calls Wireshark's own dissector. It works behind every
 * encapsulation, builds no protocol tree, and adds nothing to what Wireshark shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_INTAKE_H
#define LATENCY_INTAKE_H

#include <epan/packet.h>

#include "../../reader/reader.h"

/* To be called once each, when Wireshark registers protocols and hand-offs. */
void intake_register(void);
void intake_handoff(void);

/* The protocol is one of the plugin's own, whose fields and tap decide whether anybody is interested in a capture that
 * is read only once. */
void intake_want(int proto, int tap);

/* Borrowed by the intake; to be filled in before the first packet. */
struct settings *intake_settings(void);

/* Sets whether, where frames are visited again, it is found out which request caused which. */
void intake_want_calls(bool wanted);

/* The same of this capture and those to come, once it is known whether frames are visited again. */
void intake_keep_calls(bool keep);

/* Whether something that took `ns` is slow, as the user has set it. */
bool intake_is_slow(int64_t ns);

/* What tables are made of; its texts are the caller's to set. */
struct table_source *intake_source(void);

/* The capture being read; NULL between captures. */
struct analysis *intake_analysis(void);

/* Whether anybody will see what comes of this frame. */
bool intake_is_wanted(const proto_tree *tree);

/* Whether nobody can see what comes of this frame, nor of any before it, and no frame is visited again: nothing need be
 * done with it. */
bool intake_is_idle(const packet_info *pinfo, const proto_tree *tree);

/* Leaves segments to Wireshark alone from the next frame on, or, unless it `rests`, takes them again. To be called at
 * the end of each frame. */
void intake_rest(bool rests);

/* The frame has another packet within the segment that is being dissected: of that nothing is decrypted. */
void intake_begin_packet(void);

/* To be asked before a frame is taken; false if it has been. */
bool intake_is_due(const packet_info *pinfo);

/* Whether the program is known to visit no frame again. */
bool intake_is_read_once(void);

/* Calls back when the segment that is being dissected has been read, which is so, for what TLS hides, only when it has
 * been dissected. On later visits likewise. True if nobody was to be called before; all are the same. */
bool intake_when_read(void (*call)(packet_info *pinfo));

struct endpoint intake_endpoint(const address *addr, uint32_t port);

/* Whether the frame is dissected for the first time, in the order of the capture. */
bool intake_is_first_visit(const packet_info *pinfo);

/* All frames have been visited once, as tshark's one pass does not say before it prints: tells the listeners of
 * held_frames.h what that says of held payload. Does nothing the second time. */
void intake_end(void);

/* Time of a frame since the epoch in ns, within 2^62: a difference of two never overflows. */
int64_t intake_time_ns(const packet_info *pinfo);

/* Whether somebody looks at the fields of a protocol in this tree: it is printed, or one of them is in a column or a
 * filter. A tree that is only counted, as in the protocol hierarchy, must not have them. */
bool intake_is_shown(const proto_tree *tree, int proto);

/* Whether somebody looks at what intake_want() was told of, a protocol in this tree or its tap, or lists experts. */
bool intake_wants_any(const proto_tree *tree);

/* Whether a tap that intake_want() was told of has a listener, or that of the experts. */
bool intake_is_listened_to(void);

/* Whether somebody lists what experts say, for which there is no tree. */
bool intake_experts_are_listed(void);

/* A packet begins, or a frame has ended: who listens is asked anew. */
void intake_forget_listeners(void);

/* To be called at the end of each dissection of a frame. */
void intake_leave_frame(void);

/* To be called at the end of each frame's first dissection. */
void intake_end_frame(packet_info *pinfo, proto_tree *tree);

#endif
