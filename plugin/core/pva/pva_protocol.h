/* pva_protocol.h
 * pvAccess as a protocol of circuits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_PROTOCOL_H
#define LATENCY_PVA_PROTOCOL_H

#include "../ca/circuit_protocol.h"

extern const struct circuit_protocol circuit_of_pvaccess;

/* All protocols of circuits; NULL behind the last. */
extern const struct circuit_protocol *const circuit_protocols[];

#endif
