/* protocols_table.h
 * -z latency,protocols: what Wireshark pairs, by protocol and server.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROTOCOLS_TABLE_H
#define LATENCY_PROTOCOLS_TABLE_H

#include "../../table/table.h"

/* In Wireshark and tshark alone: it takes the records of PROTOCOLS_TAP. */
extern const struct table_definition protocols_table;

#endif
