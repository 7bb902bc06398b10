/* datagram_intake.h
 * Where datagrams of UDP leave Wireshark's dissection for the core, as intake.h says of TCP: the slot of UDP in
 * "ip.proto". Of all but DNS no more than the ports are looked at.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DATAGRAM_INTAKE_H
#define LATENCY_DATAGRAM_INTAKE_H

/* To be called once each, when Wireshark registers protocols and hand-offs; and for each capture. */
void datagram_intake_register(void);
void datagram_intake_handoff(void);
void datagram_intake_begin_capture(void);

#endif
