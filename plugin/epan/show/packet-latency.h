/* packet-latency.h
 * The post-dissector that shows what the core found, and the preferences.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PACKET_LATENCY_H
#define LATENCY_PACKET_LATENCY_H

#include <stdbool.h>

/* Name of the tap. Each packet of it is a `const struct item *` of the frame, with its request or connection as it
 * is by then; the same item comes again whenever the frame is dissected again. A first time, one more stands for what
 * has become known of earlier frames, be it more than Wireshark's queue can hold: */
#define LATENCY_TAP "latency"

/* Those items, if the packet is that one; else NULL. */
struct late_item;
const struct late_item *latency_tap_late(const void *packet, unsigned *count);

/* Lets `take` be called for each frame that is dissected, before its taps. `is_end`: it is the capture's last, visited
 * again. */
void latency_on_frame(void (*take)(bool is_end));

void proto_register_latency(void);
void proto_reg_handoff_latency(void);

#endif
