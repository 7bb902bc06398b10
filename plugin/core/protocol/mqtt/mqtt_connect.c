/* mqtt_connect.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mqtt_connect.h"

#include <string.h>

#include "mqtt_packet.h"

bool
mqtt_is_connect(const struct mqtt_packet *packet)
{
    enum { RESERVED = 1, WILL_QOS = 0x18, OLD_VERSION = 3, NEW_VERSION = 4, BRIDGE = 0x80 };
    static const char name[] = "\0\4MQTT", old_name[] = "\0\6MQIsdp";
    const uint8_t *body = packet->body;
    const bool is_new = packet->length >= sizeof name && memcmp(body, name, sizeof name - 1) == 0;
    const bool is_old = packet->length >= sizeof old_name && memcmp(body, old_name, sizeof old_name - 1) == 0;
    if (packet->type != MQTT_CONNECT || !(is_new || is_old))
        return false;
    const size_t at = is_new ? sizeof name - 1 : sizeof old_name - 1;
    const unsigned version = body[at] & ~(unsigned)BRIDGE;
    return (is_old ? version == OLD_VERSION : version == NEW_VERSION || version == MQTT_VERSION_5) &&
           (packet->length <= at + 1 || (!(body[at + 1] & RESERVED) && (body[at + 1] & WILL_QOS) != WILL_QOS));
}

unsigned
mqtt_version(const struct mqtt_packet *packet)
{
    enum { VERSION_AT = 6, OLD_VERSION = 3, CODES = 2 };
    if (packet->type == MQTT_CONNACK)
        return packet->rest > CODES ? MQTT_VERSION_5 : MQTT_VERSION_5 - 1;
    if (!mqtt_is_connect(packet) || packet->body[1] != strlen("MQTT"))
        return OLD_VERSION;
    return packet->body[VERSION_AT] & 0x7f;
}
