/* packet-ca.h
 * The dissector of EPICS Channel Access, over TCP and UDP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PACKET_CA_H
#define LATENCY_PACKET_CA_H

/* Name of the tap. Each packet of it is a `const struct ca_event *` (core/ca_event.h), for each message that is one, in
 * the order of messages; the records it points to live as long as the capture, and are as they are by then. The same
 * event comes again whenever the frame is dissected again. */
#define CA_TAP "ca"

void proto_register_ca(void);
void proto_reg_handoff_ca(void);

#endif
