/* tap-servers.h
 * -z latency,servers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAP_SERVERS_H
#define LATENCY_TAP_SERVERS_H

void register_tap_servers(void);

#endif
