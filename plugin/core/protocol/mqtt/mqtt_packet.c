/* mqtt_packet.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mqtt_packet.h"

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "mqtt_connect.h"

enum { NUMBER_MOST = 4, ID = MQTT_ID, TEXT = 2, FAILED = MQTT_FAILED };

size_t
mqtt_number(const uint8_t *bytes, size_t length, uint32_t *number)
{
    *number = 0;
    for (size_t i = 0; i < MIN(length, NUMBER_MOST); i++) {
        *number |= (bytes[i] & 0x7fU) << 7 * i;
        if (bytes[i] < 0x80)
            return i + 1;
    }
    return 0;
}

bool
mqtt_packet_read(const uint8_t *bytes, size_t length, struct mqtt_packet *packet)
{
    uint32_t rest;
    const size_t number = length > 0 ? mqtt_number(bytes + 1, length - 1, &rest) : 0;
    if (number == 0 || bytes[0] >> 4 == 0)
        return false;
    *packet = (struct mqtt_packet){
        .type = bytes[0] >> 4,
        .flags = bytes[0] & 0xf,
        .header = (uint8_t)(1 + number),
        .rest = rest,
        .body = bytes + 1 + number,
        .length = (size_t)MIN(rest, length - 1 - number),
    };
    return true;
}

bool
mqtt_header_is_cut(const uint8_t *bytes, size_t length)
{
    return length < MQTT_HEADER_MOST && (length <= 1 || bytes[length - 1] & 0x80);
}

unsigned
mqtt_qos(const struct mqtt_packet *packet)
{
    return packet->flags >> 1 & 3;
}

/* 2.1.2, 2.1.3: DUP of a PUBLISH that nobody acknowledges is 0 (3.3.1.1). */
static bool
has_flags(const struct mqtt_packet *packet)
{
    enum { RESERVED = 2, DUP = 8 };
    switch (packet->type) {
    case MQTT_PUBLISH:
        return mqtt_qos(packet) < 3 && (mqtt_qos(packet) > 0 || !(packet->flags & DUP));
    case MQTT_PUBREL:
    case MQTT_SUBSCRIBE:
    case MQTT_UNSUBSCRIBE:
        return packet->flags == RESERVED;
    default:
        return packet->flags == 0;
    }
}

/* The fewest bytes behind the header, and the side that sends it. */
bool
mqtt_can_be(const struct mqtt_packet *packet, bool from_client)
{
    enum { CLIENT = 1, SERVER = 2, EITHER = CLIENT | SERVER };
    enum { CONNECT = 12, NOTHING = 0, CODE = 1, CODES = 2, SUBSCRIPTION = ID + TEXT + 1 };
    static const struct {
        uint8_t sides, least;
    } kinds[] = {
        [MQTT_CONNECT] = { CLIENT, CONNECT },  [MQTT_CONNACK] = { SERVER, CODES },
        [MQTT_PUBLISH] = { EITHER, TEXT },     [MQTT_PUBACK] = { EITHER, ID },
        [MQTT_PUBREC] = { EITHER, ID },        [MQTT_PUBREL] = { EITHER, ID },
        [MQTT_PUBCOMP] = { EITHER, ID },       [MQTT_SUBSCRIBE] = { CLIENT, SUBSCRIPTION },
        [MQTT_SUBACK] = { SERVER, ID + CODE }, [MQTT_UNSUBSCRIBE] = { CLIENT, SUBSCRIPTION },
        [MQTT_UNSUBACK] = { SERVER, ID },      [MQTT_PINGREQ] = { CLIENT, NOTHING },
        [MQTT_PINGRESP] = { SERVER, NOTHING }, [MQTT_DISCONNECT] = { EITHER, NOTHING },
        [MQTT_AUTH] = { EITHER, NOTHING },
    };
    const bool is_bare = packet->type == MQTT_PINGREQ || packet->type == MQTT_PINGRESP;
    return kinds[packet->type].sides & (from_client ? CLIENT : SERVER) && has_flags(packet) &&
           packet->rest >= kinds[packet->type].least && (!is_bare || packet->rest == 0);
}

size_t
mqtt_text_end(const struct mqtt_packet *packet, size_t at)
{
    return at + TEXT <= packet->length ? at + TEXT + pntohu16(packet->body + at) : SIZE_MAX;
}

/* Returns whether what is there of these bytes is UTF-8 without control characters (1.5.4), and, in the name of a
 * topic, without wildcards (4.7.1). The last character may be cut. */
static bool
is_text(const struct mqtt_packet *packet, size_t at, size_t end, bool is_name)
{
    enum { CHARACTER_MOST = 4 };
    const char *text = (const char *)packet->body + at, *last;
    const size_t length = MIN(end, packet->length) - at;
    for (size_t i = 0; i < length; i++)
        if (g_ascii_iscntrl(text[i]) || (is_name && (text[i] == '+' || text[i] == '#')))
            return false;
    return g_utf8_validate(text, (gssize)length, &last) ||
           (end > packet->length && text + length - last < CHARACTER_MOST);
}

/* Returns whether a code can be one of 2.4 or, of SUBACK, a quality of service; of version 3.1.1 no others. */
static bool
is_code(uint8_t code)
{
    enum { QOS_MOST = 2, LAST = 0xa2, NO_SUBSCRIBERS = 0x10, NO_SUBSCRIPTION, CONTINUE = 0x18, AGAIN };
    return code <= QOS_MOST || code == 4 || code == NO_SUBSCRIBERS || code == NO_SUBSCRIPTION || code == CONTINUE ||
           code == AGAIN || (code >= FAILED && code <= LAST);
}

/* Returns where the properties that begin at `at` end (2.2.2); 0 if that is not there, or behind the packet. */
static size_t
properties_end(const struct mqtt_packet *packet, size_t at)
{
    uint32_t bytes;
    const size_t number = at < packet->length ? mqtt_number(packet->body + at, packet->length - at, &bytes) : 0;
    return number > 0 && at + number + bytes <= packet->rest ? at + number + bytes : 0;
}

/* Returns whether, behind a code at `at`, properties end with the packet; there may be none, or not even a code. */
static bool
ends_with_code(const struct mqtt_packet *packet, size_t at)
{
    if (packet->rest <= at || packet->length <= at)
        return packet->rest >= at;
    if (!is_code(packet->body[at]))
        return false;
    return packet->rest == at + 1 || packet->length == at + 1 || properties_end(packet, at + 1) == packet->rest;
}

/* Returns whether codes stand from `at` on; at least one is there. */
static bool
has_codes(const struct mqtt_packet *packet, size_t at)
{
    if (at >= packet->length)
        return false;
    for (size_t i = at; i < packet->length; i++)
        if (!is_code(packet->body[i]))
            return false;
    return true;
}

/* Returns whether topics stand from `at` on, up to the end or beyond it, each with options if it subscribes. */
static bool
has_topics(const struct mqtt_packet *packet, size_t at)
{
    enum { OPTIONS_RESERVED = 0xc0 };
    const size_t options = packet->type == MQTT_SUBSCRIBE;
    size_t end;
    if (at >= packet->length)
        return packet->rest > packet->length;
    for (; at < packet->length; at = end + options) {
        end = mqtt_text_end(packet, at);
        if (end == SIZE_MAX)
            return packet->rest > packet->length;
        if (end == at + TEXT || end + options > packet->rest || !is_text(packet, at + TEXT, end, false) ||
            (options && end < packet->length && packet->body[end] & OPTIONS_RESERVED))
            return false;
    }
    return true;
}

/* Returns where topics or codes begin, behind an identifier: in version 5 there are properties between. Of a version
 * that is not known they are there if nothing else can be. */
static size_t
list_at(const struct mqtt_packet *packet, unsigned version, bool (*is_list)(const struct mqtt_packet *, size_t))
{
    const size_t end = properties_end(packet, ID);
    const bool is_old = version == MQTT_VERSION_UNKNOWN ? is_list(packet, ID) : version < MQTT_VERSION_5;
    return is_old || end == 0 ? ID : end;
}

/* Returns whether such a list stands behind an identifier, or behind properties whose end is there. */
static bool
has_list(const struct mqtt_packet *packet, bool (*is_list)(const struct mqtt_packet *, size_t))
{
    const size_t end = properties_end(packet, ID);
    return is_list(packet, ID) || (end > 0 && end < packet->length && is_list(packet, end));
}

static bool
is_publish(const struct mqtt_packet *packet)
{
    const size_t end = mqtt_text_end(packet, 0), id = mqtt_qos(packet) > 0 ? ID : 0;
    if (end == SIZE_MAX)
        return packet->rest > packet->length;
    return end > TEXT && end + id <= packet->rest && is_text(packet, TEXT, end, true) &&
           (id == 0 || end + id > packet->length || mqtt_id(packet) > 0);
}

/* Returns whether a CONNACK (3.2) is one of version 3.1.1, of which only a success resumes a session, or of 5. */
static bool
is_connack(const struct mqtt_packet *packet)
{
    enum { CODES = 2, OLD_CODE_MOST = 5 };
    const uint8_t *body = packet->body;
    if (packet->length < CODES)
        return packet->length < 1 || body[0] <= 1;
    if (body[0] > 1 || (body[0] == 1 && body[1] != 0))
        return false;
    return packet->rest == CODES ? body[1] <= OLD_CODE_MOST : is_code(body[1]) && ends_with_code(packet, 1);
}

bool
mqtt_is_likely(const struct mqtt_packet *packet, bool from_client)
{
    if (!mqtt_can_be(packet, from_client))
        return false;
    switch (packet->type) {
    case MQTT_CONNECT:
        return mqtt_is_connect(packet);
    case MQTT_CONNACK:
        return is_connack(packet);
    case MQTT_PUBLISH:
        return is_publish(packet);
    case MQTT_SUBSCRIBE:
    case MQTT_UNSUBSCRIBE:
        return packet->length < ID || (mqtt_id(packet) > 0 && has_list(packet, has_topics));
    case MQTT_SUBACK:
    case MQTT_UNSUBACK:
        return packet->length < ID ||
               (mqtt_id(packet) > 0 && (packet->rest == ID || packet->length == ID || has_list(packet, has_codes)));
    case MQTT_PINGREQ:
    case MQTT_PINGRESP:
        return true;
    case MQTT_DISCONNECT:
    case MQTT_AUTH:
        return ends_with_code(packet, 0);
    default:
        return packet->length < ID || (mqtt_id(packet) > 0 && ends_with_code(packet, ID));
    }
}

/* Returns how many bytes of the body show what it is; the most that are needed if not even their number is there. */
static size_t
telling_bytes(const struct mqtt_packet *packet)
{
    enum { CONNECT = 10, ACKNOWLEDGED = ID + 1 + NUMBER_MOST, ENOUGH = 32 };
    switch (packet->type) {
    case MQTT_CONNECT:
        return CONNECT;
    case MQTT_PUBLISH:
        return MIN(mqtt_text_end(packet, 0), ENOUGH);
    case MQTT_SUBSCRIBE:
    case MQTT_UNSUBSCRIBE:
        return MIN(mqtt_text_end(packet, list_at(packet, MQTT_VERSION_UNKNOWN, has_topics)), ENOUGH);
    default:
        return ACKNOWLEDGED;
    }
}

bool
mqtt_has_telling(const struct mqtt_packet *packet)
{
    return packet->length >= MIN(packet->rest, telling_bytes(packet));
}

uint16_t
mqtt_id(const struct mqtt_packet *packet)
{
    switch (packet->type) {
    case MQTT_CONNECT:
    case MQTT_CONNACK:
    case MQTT_DISCONNECT:
    case MQTT_AUTH:
        return 0;
    case MQTT_PUBLISH: {
        const size_t at = mqtt_text_end(packet, 0);
        return mqtt_qos(packet) > 0 && at != SIZE_MAX && at + ID <= packet->length ? pntohu16(packet->body + at) : 0;
    }
    default:
        return packet->length >= ID ? pntohu16(packet->body) : 0;
    }
}

uint8_t
mqtt_code(const struct mqtt_packet *packet, unsigned version)
{
    const bool has_list = packet->type == MQTT_SUBACK || packet->type == MQTT_UNSUBACK;
    const size_t at = has_list                       ? list_at(packet, version, has_codes)
                      : packet->type == MQTT_CONNACK ? 1
                      : packet->type == MQTT_AUTH    ? 0
                                                     : ID;
    if (at >= packet->length)
        return 0;
    if (!has_list)
        return packet->body[at];
    for (size_t i = at; i < packet->length; i++)
        if (packet->body[i] >= FAILED)
            return packet->body[i];
    return packet->type == MQTT_UNSUBACK ? packet->body[at] : 0;
}

size_t
mqtt_put_topic(const struct mqtt_packet *packet, unsigned version, struct operation_writer *writer)
{
    const size_t at = packet->type == MQTT_PUBLISH ? 0 : list_at(packet, version, has_topics);
    const size_t end = mqtt_text_end(packet, at), begin = at + TEXT;
    if (end == SIZE_MAX) {
        writer->cut = true;
        return 0;
    }
    operation_put(writer, packet->body + begin, MIN(end, packet->length) - begin);
    writer->cut |= end > packet->length;
    return end - begin;
}

enum mqtt_type
mqtt_answer_type(const struct mqtt_packet *packet)
{
    switch (packet->type) {
    case MQTT_CONNECT:
        return MQTT_CONNACK;
    case MQTT_PUBLISH:
        return mqtt_qos(packet) == 0 ? 0 : mqtt_qos(packet) == 1 ? MQTT_PUBACK : MQTT_PUBREC;
    case MQTT_PUBREL:
        return MQTT_PUBCOMP;
    case MQTT_SUBSCRIBE:
        return MQTT_SUBACK;
    case MQTT_UNSUBSCRIBE:
        return MQTT_UNSUBACK;
    case MQTT_PINGREQ:
        return MQTT_PINGRESP;
    default:
        return 0;
    }
}
