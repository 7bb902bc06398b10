/* calls_joins.h
 * Hosts that listen on one address and send from another, by a second card or behind a router that translates
 * addresses: requests that such a proxy passes on show it.
 *
 * A request that an address sends *agrees* with one that a host was asked if both are HTTP, of the same method and
 * path, one is within the other, and they share an id, or the inner one names the client of the outer one as that for
 * which it is sent. If a host has passed the request on to another one itself, only that one counts. The address is
 * joined to the host if all of this holds:
 *
 * - Nothing is asked of the address, and it asks nothing of the host.
 * - At least JOIN_LEAST requests agree with a request of this host, each with another. Half of what it sends may be
 *   other requests of HTTP, and a tenth what is no HTTP.
 * - None agrees with a request of another host, or with so many that not all are looked at.
 * - What it sends without agreement was never asked of the host: but for what was sent before the capture had all of
 *   the host's requests, and for what it went on with when the host had answered by an error, or no longer could.
 * - By chance this would happen to one address in a million at most. An id is one in a thousand by itself; where only
 *   clients agree, it is how long their requests of that kind leave room for it, of the time in which it sends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_JOINS_H
#define LATENCY_CALLS_JOINS_H

#include "calls_host.h"

enum { JOIN_LEAST = 10 };

/* Finds out which host each connection's client and server are, and notes which addresses are joined; after
 * calls_ids_new(). */
void calls_joins_find(struct calls *calls);

#endif
