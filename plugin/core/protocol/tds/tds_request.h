/* tds_request.h
 * What a client of TDS asks for: [MS-TDS] 2.2.6. Of Sybase's TDS 5.0: src/tds/ of github.com/FreeTDS/freetds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TDS_REQUEST_H
#define LATENCY_TDS_REQUEST_H

#include "tds_packet.h"

/* Returns whether a request can begin with this packet, as far as it is there. */
bool tds_can_ask(const struct tds_packet *packet);

/* Returns whether it can be no other protocol's. */
bool tds_is_certain(const struct tds_packet *packet);

/* Writes what the request that begins with this packet asks for (OPERATION_ROOM bytes). */
void tds_operation(const struct tds_packet *packet, char *operation);

#endif
