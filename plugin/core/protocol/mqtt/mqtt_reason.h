/* mqtt_reason.h
 * What servers of MQTT answer: MQTT Version 5.0, 2.4, and MQTT Version 3.1.1, 3.2.2.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MQTT_REASON_H
#define LATENCY_MQTT_REASON_H

#include <stdbool.h>
#include <stdint.h>

/* Writes what is shown of a code into `status`, of STATUS_ROOM bytes: its name, or its number if that is longer, and
 * nothing of 0. `is_old`: it is a return code of 3.1.1's CONNACK. */
void mqtt_status(uint8_t code, bool is_old, char *status);

#endif
