/* mqtt_alias.h
 * Topics that a client of MQTT 5 names by numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MQTT_ALIAS_H
#define LATENCY_MQTT_ALIAS_H

#include <stdint.h>

struct mqtt_packet;

/* Returns the alias in the properties of a PUBLISH of version 5, as far as they are there; 0 if it has none. */
uint16_t mqtt_alias(const struct mqtt_packet *packet);

#endif
