/* known_ports.h
 * The TCP ports for which Wireshark has a dissector: "tshark -G decodes". Where a capture does not have the start of a
 * connection, such a port is taken for the server's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_KNOWN_PORTS_H
#define SCAN_KNOWN_PORTS_H

#include <stdbool.h>
#include <stdint.h>

bool known_port(uint16_t port);

#endif
