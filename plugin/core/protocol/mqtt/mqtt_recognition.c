/* mqtt_recognition.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mqtt_recognition.h"

#include <glib.h>

#include "mqtt_packet.h"

/* Returns whether packets of that side stand here, one after another, up to the end or beyond it, of which the first
 * is there as far as it takes to know it. */
static bool
is_row(const uint8_t *bytes, size_t length, bool from_client)
{
    struct mqtt_packet packet;
    size_t at = 0;
    if (!mqtt_packet_read(bytes, length, &packet) || !mqtt_has_telling(&packet))
        return false;
    while (at < length && mqtt_packet_read(bytes + at, length - at, &packet) && mqtt_is_likely(&packet, from_client))
        at += (size_t)MIN(packet.header + packet.rest, length - at);
    return at > 0 && (at == length || mqtt_header_is_cut(bytes + at, length - at));
}

bool
mqtt_recognise(const uint8_t *bytes, size_t length)
{
    return is_row(bytes, length, true);
}

bool
mqtt_recognise_answer(const uint8_t *bytes, size_t length)
{
    return is_row(bytes, length, false);
}

bool
mqtt_may_begin(const uint8_t *bytes, size_t length)
{
    enum { CONNECT = MQTT_CONNECT << 4, NAME_AT = 1, NAME_LONGEST = 6 };
    struct mqtt_packet packet;
    if (bytes[0] != CONNECT)
        return false;
    if (!mqtt_packet_read(bytes, length, &packet))
        return mqtt_header_is_cut(bytes, length);
    return !mqtt_has_telling(&packet) && mqtt_can_be(&packet, true) && (packet.length < 1 || packet.body[0] == 0) &&
           (packet.length < NAME_AT + 1 || packet.body[NAME_AT] <= NAME_LONGEST);
}

/* Returns whether a topic of some letters stands where a PUBLISH has it, or the first of a list. */
static bool
has_letters(const struct mqtt_packet *packet)
{
    enum { LETTERS = 4 };
    const size_t begin = packet->type == MQTT_PUBLISH ? MQTT_ID : 2 * MQTT_ID, end = begin + LETTERS;
    size_t at = begin;
    while (at < MIN(packet->length, end) && g_ascii_isprint((char)packet->body[at]))
        at++;
    return at == end && mqtt_text_end(packet, begin - MQTT_ID) >= end;
}

bool
mqtt_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    struct mqtt_packet packet;
    (void)whole;
    *from_client =
        mqtt_packet_read(bytes, length, &packet) && mqtt_is_likely(&packet, true) &&
        (packet.type == MQTT_CONNECT ||
         ((packet.type == MQTT_SUBSCRIBE || packet.type == MQTT_UNSUBSCRIBE) && packet.length == packet.rest));
    return *from_client;
}

/* Returns it also of a PUBLISH that wants an answer, has a topic of some letters and is followed by other packets. */
bool
mqtt_is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    struct mqtt_packet packet;
    bool from_client;
    if (mqtt_tells_client(bytes, length, whole, &from_client))
        return true;
    return mqtt_recognise(bytes, length) && mqtt_packet_read(bytes, length, &packet) && packet.type == MQTT_PUBLISH &&
           mqtt_qos(&packet) > 0 && has_letters(&packet);
}

/* Returns also that the server publishes to a client that acknowledges, as in the middle of a connection. */
static bool
is_pair(const uint8_t *request, size_t request_bytes, const uint8_t *answer, size_t answer_bytes)
{
    struct mqtt_packet asked, answered;
    if (!mqtt_packet_read(request, request_bytes, &asked) || !mqtt_packet_read(answer, answer_bytes, &answered))
        return false;
    if (answered.type == MQTT_PUBLISH)
        return mqtt_id(&answered) > 0 && asked.type == (mqtt_qos(&answered) == 1 ? MQTT_PUBACK : MQTT_PUBREC);
    return mqtt_answer_type(&asked) == answered.type && mqtt_id(&asked) == mqtt_id(&answered);
}

static size_t
packet_bytes(const uint8_t *bytes, size_t length, bool from_client)
{
    struct mqtt_packet packet;
    if (!mqtt_packet_read(bytes, length, &packet) || !mqtt_is_likely(&packet, from_client))
        return 0;
    return packet.header + (size_t)packet.rest;
}

static size_t
request_bytes(const uint8_t *bytes, size_t length)
{
    return packet_bytes(bytes, length, true);
}

static size_t
answer_bytes(const uint8_t *bytes, size_t length)
{
    return packet_bytes(bytes, length, false);
}

enum agreement
mqtt_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const struct message_walk walk = { request_bytes, answer_bytes, is_pair, MQTT_LEAST };
    return parser_agreement(&walk, asked, asked_bytes, answered, answered_bytes);
}

/* Returns where a row of packets begins that has a topic first: others are short, and the end of a payload may look so.
 */
size_t
mqtt_find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 16 };
    unsigned tried = 0;
    struct mqtt_packet packet;
    for (size_t at = 1; at + MQTT_LEAST <= length && tried < TRIED_MOST; at++) {
        if (!mqtt_packet_read(bytes + at, length - at, &packet) || !mqtt_is_likely(&packet, true) ||
            (packet.type != MQTT_PUBLISH && packet.type != MQTT_SUBSCRIBE && packet.type != MQTT_UNSUBSCRIBE))
            continue;
        if ((packet.rest == packet.length || has_letters(&packet)) && mqtt_recognise(bytes + at, length - at))
            return at;
        tried++;
    }
    return 0;
}
