/* known_ports.h
 * The TCP ports for which Wireshark has a dissector, in their order: known_ports.cmake. Where a capture does not have
 * the start of a connection, such a port is taken for the server's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_KNOWN_PORTS_H
#define SCAN_KNOWN_PORTS_H

#include <stdint.h>

extern const uint16_t known_ports[];
extern const unsigned n_known_ports;

#endif
