/* take_datagram.h
 * A datagram of UDP on its way from whoever reads the capture to the core, and to those who want to see what it is
 * given.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAKE_DATAGRAM_H
#define LATENCY_TAKE_DATAGRAM_H

#include "table_source.h"

struct connection;

/* Takes a datagram, or what an ICMP error quotes of one that did not arrive. Returns its conversation; NULL if it is
 * not one of DNS. */
struct connection *take_datagram(struct table_source *source, const struct segment *segment, bool is_quoted);

#endif
