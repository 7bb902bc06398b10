/* ca_tap.h
 * Messages for the tables of Channel Access: each with the frame that the core has it in, however Wireshark's TCP hands
 * them over.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_TAP_H
#define LATENCY_CA_TAP_H

#include <epan/packet.h>

#include "../../core/ca/ca_event.h"
#include "../../core/tcp/item.h"

/* To be called once, when Wireshark registers protocols: returns the tap. */
int ca_tap_register(void);

/* The tap, once it is registered. */
int ca_tap_id(void);

/* Tells the listeners of a datagram's message. */
void ca_tap_event(packet_info *pinfo, const struct ca_event *event);

/* Tells them of what the frame has, and of what has become known of earlier ones with it. */
void ca_tap_frame(packet_info *pinfo);

#endif
