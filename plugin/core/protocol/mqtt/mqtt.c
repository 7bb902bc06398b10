/* mqtt.c
 * MQTT 3.1, 3.1.1 and 5: OASIS Standards MQTT Version 3.1.1 and MQTT Version 5.0, of which the sections are.
 *
 * A request is what the server acknowledges: CONNECT, SUBSCRIBE, UNSUBSCRIBE, a PUBLISH of QoS 1 or 2, whose answer is
 * PUBACK or PUBREC, PUBREL, whose answer is PUBCOMP (4.3), and PINGREQ. An acknowledgement has its packet's identifier
 * (2.2.1), which the client may use again from then on. What the server publishes is unsolicited, and what the client
 * says to that is no request: each side has identifiers of its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <stdio.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "mqtt_alias.h"
#include "mqtt_connect.h"
#include "mqtt_packet.h"
#include "mqtt_reason.h"
#include "mqtt_recognition.h"

/* Tells clients that count identifiers from those that take the lowest free one: the latter hardly have so many packets
 * in flight. */
enum { IN_FLIGHT_MOST = 1024 };

/* Of a connection's aliases those up to this one are kept; servers allow ten or so. */
enum { ALIAS_MOST = 32, AUTH_AGAIN = 0x19, AUTH_CONTINUES = 0x18, DUPLICATE = 8 };

struct mqtt {
    unsigned version;
    uint32_t pings; /* that wait */
    bool counts;    /* the client does not use the lowest identifier that is free */
    /* Whether packets of the server, of the client are missing since the last generation began, and are until one is
     * read. */
    bool lacks[2], is_unread[2];
    uint16_t generation;
    char *topics[ALIAS_MOST];
};

static struct mqtt *
own(struct reading *reading)
{
    return reading_own(reading, sizeof(struct mqtt));
}

static void
forget_topics(struct reading *reading)
{
    struct mqtt *mqtt = own(reading);
    for (unsigned i = 0; i < ALIAS_MOST; i++) {
        wmem_free(reading_scope(reading), mqtt->topics[i]);
        mqtt->topics[i] = NULL;
    }
}

/* Puts the topic, which may be named by an alias alone, and keeps it if it gets one. */
static void
put_topic(struct reading *reading, const struct mqtt_packet *packet, struct operation_writer *writer)
{
    struct mqtt *mqtt = own(reading);
    const size_t begin = writer->length, length = mqtt_put_topic(packet, mqtt->version, writer);
    const bool has_alias = packet->type == MQTT_PUBLISH && (mqtt->version == MQTT_VERSION_5 || length == 0);
    const uint16_t alias = has_alias ? mqtt_alias(packet) : 0;
    char number[sizeof "alias 65535"];
    if (alias == 0)
        return;
    char **topic = alias <= ALIAS_MOST ? &mqtt->topics[alias - 1] : NULL;
    if (length > 0 && topic) {
        wmem_free(reading_scope(reading), *topic);
        *topic = wmem_strndup(reading_scope(reading), writer->text + begin, writer->length - begin);
    } else if (length == 0) {
        snprintf(number, sizeof number, "alias %u", alias);
        operation_put_text(writer, topic && *topic ? *topic : number);
    }
}

/* Returns under what this type of answer, and an identifier, is known: answers of each have their own. */
static uint64_t
key_of(const struct mqtt *mqtt, enum mqtt_type answer, uint16_t id)
{
    return (uint64_t)mqtt->generation << 32 | (uint64_t)answer << 16 | id;
}

/* What has the same identifier has been acknowledged where that is missing, but for what is said to be sent again. */
static void
ask(struct reading *reading, const struct mqtt_packet *packet, enum mqtt_type answer, const char *operation)
{
    struct mqtt *mqtt = own(reading);
    const uint16_t id = mqtt_id(packet);
    const uint64_t key = key_of(mqtt, answer, id);
    if (answer == MQTT_PINGRESP) {
        mqtt->pings++;
    } else if (answer != MQTT_CONNACK) {
        if (id == 0)
            return;
        if (packet->type != MQTT_PUBLISH || !(packet->flags & DUPLICATE))
            reading_gives_up(reading, key, STOP_LOST);
        mqtt->counts |= id > IN_FLIGHT_MOST;
    }
    reading_asks_as(reading, key, operation);
}

static void
take_request(struct reading *reading, const struct mqtt_packet *packet)
{
    static const char *const names[] = {
        [MQTT_CONNECT] = "CONNECT", [MQTT_PUBLISH] = "PUBLISH ",
        [MQTT_PUBREL] = "PUBREL",   [MQTT_SUBSCRIBE] = "SUBSCRIBE ",
        [MQTT_PINGREQ] = "PINGREQ", [MQTT_UNSUBSCRIBE] = "UNSUBSCRIBE ",
        [MQTT_AUTH] = "AUTH",
    };
    struct operation_writer writer = { .text = (char[OPERATION_ROOM]){ "" } };
    const bool asks_again = packet->type == MQTT_AUTH && packet->length > 0 && packet->body[0] == AUTH_AGAIN;
    const enum mqtt_type answer = asks_again ? MQTT_AUTH : mqtt_answer_type(packet);
    if (packet->type == MQTT_CONNECT)
        own(reading)->version = mqtt_version(packet);
    if (!names[packet->type])
        return;
    operation_put_text(&writer, names[packet->type]);
    if (packet->type == MQTT_PUBLISH || packet->type == MQTT_SUBSCRIBE || packet->type == MQTT_UNSUBSCRIBE)
        put_topic(reading, packet, &writer);
    operation_finish(&writer);
    if (answer == MQTT_AUTH)
        reading_asks_as(reading, key_of(own(reading), answer, 0), writer.text);
    else if (answer)
        ask(reading, packet, answer, writer.text);
}

/* Gives up what waits for a PINGRESP: it has no identifier, and a client asks for the next one when it has the last. */
static void
give_up_pings(struct reading *reading)
{
    struct mqtt *mqtt = own(reading);
    for (; mqtt->pings > 0; mqtt->pings--)
        reading_gives_up(reading, key_of(mqtt, MQTT_PINGRESP, 0), STOP_LOST);
}

/* Notes that packets of that side are missing. If that has been so of both, what waits may have been answered, and its
 * identifier be in use again: what is asked from now on is of another generation. */
static void
lack(struct reading *reading, bool from_client)
{
    struct mqtt *mqtt = own(reading);
    give_up_pings(reading);
    mqtt->lacks[from_client] = true;
    if (mqtt->counts || !(mqtt->lacks[!from_client] || mqtt->is_unread[!from_client]))
        return;
    mqtt->lacks[0] = mqtt->lacks[1] = false;
    mqtt->generation++;
    reading_loses_answers(reading, false);
}

/* Tells of a code of 3.1.1's CONNACK, too, that it is an error. Whose an answer is that is cut before its identifier is
 * not known. */
static void
take_answer(struct reading *reading, const struct mqtt_packet *packet)
{
    enum { CODES = 2 };
    struct mqtt *mqtt = own(reading);
    char status[STATUS_ROOM];
    const bool is_old = packet->type == MQTT_CONNACK && packet->rest == CODES;
    const uint8_t code = packet->type == MQTT_PINGRESP ? 0 : mqtt_code(packet, mqtt->version);
    const bool failed = code >= MQTT_FAILED || (is_old && code > 0);
    if (packet->type == MQTT_PUBLISH || packet->type == MQTT_PUBREL || packet->type == MQTT_DISCONNECT ||
        (packet->type == MQTT_AUTH && code == AUTH_CONTINUES))
        return;
    if (packet->length < MIN(packet->rest, MQTT_ID)) {
        lack(reading, false);
        reading_loses_answers(reading, false);
        return;
    }
    if (packet->type == MQTT_CONNACK && mqtt->version == MQTT_VERSION_UNKNOWN)
        mqtt->version = mqtt_version(packet);
    if (packet->type == MQTT_PINGRESP)
        mqtt->pings -= mqtt->pings > 0;
    mqtt_status(code, is_old, status);
    reading_answers_to(reading, key_of(mqtt, packet->type, mqtt_id(packet)), status, failed);
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct mqtt_packet packet;
    if (!mqtt_packet_read(unit, length, &packet)) {
        if (!mqtt_header_is_cut(unit, length) || flow->is_cut)
            return PARSER_IS_LOST;
        flow->block = (uint32_t)length + 1;
        return PARSER_WANTS_MORE;
    }
    if (!mqtt_can_be(&packet, from_client))
        return PARSER_IS_LOST;
    const uint64_t whole = packet.header + packet.rest;
    flow->block = (uint32_t)MIN(whole, UNIT_BYTES);
    if (length < flow->block && !flow->is_cut)
        return PARSER_WANTS_MORE;
    flow->skip = whole - length;
    flow->ends = true;
    own(reading)->is_unread[from_client] = false;
    if (from_client)
        take_request(reading, &packet);
    else
        take_answer(reading, &packet);
    return PARSER_GOES_ON;
}

static void
lack_requests(struct reading *reading)
{
    lack(reading, true);
}

static void
lose_place(struct reading *reading, bool from_client)
{
    own(reading)->is_unread[from_client] = true;
    if (from_client)
        forget_topics(reading);
    lack(reading, from_client);
}

static void
forget(struct reading *reading)
{
    forget_topics(reading);
    wmem_free(reading_scope(reading), own(reading));
}

const struct parser parser_mqtt = {
    .protocol = PROTOCOL_MQTT,
    .block = MQTT_LEAST,
    .least = MQTT_LEAST,
    .has_ids = true,
    .recognise = mqtt_recognise,
    .recognise_answer = mqtt_recognise_answer,
    .may_begin = mqtt_may_begin,
    .agrees = mqtt_agrees,
    .is_certain = mqtt_is_certain,
    .tells_client = mqtt_tells_client,
    .take = take,
    .find = mqtt_find,
    .lose_place = lose_place,
    .lack_requests = lack_requests,
    .forget = forget,
};
