/* mqtt_alias.c
 * Aliases of topics: MQTT Version 5.0, 3.3.2.3.4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mqtt_alias.h"

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "mqtt_packet.h"

/* Returns how many bytes the value of a property of PUBLISH has (2.2.2.2); 0 of another one, or if that is not there.
 */
static size_t
value_bytes(const struct mqtt_packet *packet, size_t at, uint8_t property)
{
    enum { FORMAT = 1, EXPIRY, CONTENT_TYPE, RESPONSE_TOPIC = 8, CORRELATION, SUBSCRIPTION = 0xb, USER = 0x26 };
    uint32_t number;
    size_t end;
    switch (property) {
    case FORMAT:
        return 1;
    case EXPIRY:
        return sizeof(uint32_t);
    case CONTENT_TYPE:
    case RESPONSE_TOPIC:
    case CORRELATION:
        end = mqtt_text_end(packet, at);
        return end == SIZE_MAX ? 0 : end - at;
    case SUBSCRIPTION:
        return mqtt_number(packet->body + at, packet->length - at, &number);
    case USER:
        end = mqtt_text_end(packet, at);
        end = end == SIZE_MAX ? end : mqtt_text_end(packet, end);
        return end == SIZE_MAX ? 0 : end - at;
    default:
        return 0;
    }
}

uint16_t
mqtt_alias(const struct mqtt_packet *packet)
{
    enum { ALIAS = 0x23 };
    uint32_t bytes;
    size_t at = mqtt_text_end(packet, 0);
    if (at == SIZE_MAX || at + MQTT_ID >= packet->length)
        return 0;
    at += mqtt_qos(packet) > 0 ? (size_t)MQTT_ID : 0;
    const size_t number = mqtt_number(packet->body + at, packet->length - at, &bytes);
    const size_t end = MIN(at + number + bytes, packet->length);
    at += number;
    while (number > 0 && at < end) {
        const uint8_t property = packet->body[at++];
        if (property == ALIAS)
            return at + sizeof(uint16_t) <= end ? pntohu16(packet->body + at) : 0;
        const size_t value = value_bytes(packet, at, property);
        if (value == 0 || value > end - at)
            return 0;
        at += value;
    }
    return 0;
}
