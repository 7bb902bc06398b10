/* mqtt_connect.h
 * How a connection of MQTT begins: MQTT Version 5.0, 3.1 and 3.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MQTT_CONNECT_H
#define LATENCY_MQTT_CONNECT_H

#include <stdbool.h>

struct mqtt_packet;

/* Returns whether a CONNECT names the protocol and a version of it. */
bool mqtt_is_connect(const struct mqtt_packet *packet);

/* Returns the version that a CONNECT asks for, or that a CONNACK shows. */
unsigned mqtt_version(const struct mqtt_packet *packet);

#endif
