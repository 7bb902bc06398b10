/* packet-latency.h
 * The post-dissector that shows what the core found, and the preferences.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PACKET_LATENCY_H
#define LATENCY_PACKET_LATENCY_H

/* Name of the tap. Each packet of it is a `const struct item *` of the frame, with its request or connection as it
 * is by then; the same item comes again whenever the frame is dissected again. */
#define LATENCY_TAP "latency"

void proto_register_latency(void);
void proto_reg_handoff_latency(void);

#endif
