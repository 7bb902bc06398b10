/* packet-pva.h
 * The dissector of EPICS pvAccess, over TCP and UDP. Its messages are told by the tap of Channel Access (packet-ca.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PACKET_PVA_H
#define LATENCY_PACKET_PVA_H

void proto_register_pva(void);
void proto_reg_handoff_pva(void);

#endif
