/* mqtt_packet.h
 * What packets of MQTT look like: MQTT Version 3.1.1 and MQTT Version 5.0, OASIS Standards. Sections are those of 5.0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MQTT_PACKET_H
#define LATENCY_MQTT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct operation_writer;

/* 2.1.2 */
enum mqtt_type {
    MQTT_CONNECT = 1,
    MQTT_CONNACK,
    MQTT_PUBLISH,
    MQTT_PUBACK,
    MQTT_PUBREC,
    MQTT_PUBREL,
    MQTT_PUBCOMP,
    MQTT_SUBSCRIBE,
    MQTT_SUBACK,
    MQTT_UNSUBSCRIBE,
    MQTT_UNSUBACK,
    MQTT_PINGREQ,
    MQTT_PINGRESP,
    MQTT_DISCONNECT,
    MQTT_AUTH
};

/* A fixed header: type and flags, and how many bytes follow it, in one byte to four. */
enum { MQTT_LEAST = 2, MQTT_HEADER_MOST = 5 };

/* The protocol's versions, as CONNECT has them. Of one that is not known packets are read as both would. */
enum { MQTT_VERSION_UNKNOWN = 0, MQTT_VERSION_5 = 5 };

/* Bytes of an identifier. Codes from this one on say that something failed (2.4). */
enum { MQTT_ID = 2, MQTT_FAILED = 0x80 };

/* A packet, as far as it is there. */
struct mqtt_packet {
    enum mqtt_type type;
    uint8_t flags;
    uint8_t header;      /* bytes of the fixed header, */
    uint64_t rest;       /* and of what follows it */
    const uint8_t *body; /* of which there are: */
    size_t length;
};

/* Reads a fixed header; false if it is not there whole, or is none. */
bool mqtt_packet_read(const uint8_t *bytes, size_t length, struct mqtt_packet *packet);

/* Returns whether these bytes, with which no fixed header can be read, may be the beginning of one. */
bool mqtt_header_is_cut(const uint8_t *bytes, size_t length);

/* Returns whether that side can send a packet of this type, with these flags and this length. */
bool mqtt_can_be(const struct mqtt_packet *packet, bool from_client);

/* Returns whether it can be one, and all that is there of its body is as it should be. */
bool mqtt_is_likely(const struct mqtt_packet *packet, bool from_client);

/* Returns whether enough of a likely packet is there to believe that it is one. */
bool mqtt_has_telling(const struct mqtt_packet *packet);

/* Returns the quality of service of a PUBLISH. */
unsigned mqtt_qos(const struct mqtt_packet *packet);

/* Returns the packet's identifier; 0 if it has none, or that is not there. */
uint16_t mqtt_id(const struct mqtt_packet *packet);

/* Returns the code with which a packet of the server answers: of several the first that says that something failed, or
 * the first that is not 0 of a CONNACK. 0 if none is there. */
uint8_t mqtt_code(const struct mqtt_packet *packet, unsigned version);

/* Puts the topic of a PUBLISH, or the first one of a SUBSCRIBE or an UNSUBSCRIBE, as much of it as there is. Returns
 * its length, as the packet says. */
size_t mqtt_put_topic(const struct mqtt_packet *packet, unsigned version, struct operation_writer *writer);

/* Returns the type of what answers this packet; 0 if nothing does. */
enum mqtt_type mqtt_answer_type(const struct mqtt_packet *packet);

/* Reads a Variable Byte Integer (1.5.5). Returns its bytes; 0 if it is not there whole, or is none. */
size_t mqtt_number(const uint8_t *bytes, size_t length, uint32_t *number);

/* Returns where a text ends that stands at `at` behind its length (1.5.4); SIZE_MAX if its length is not there. */
size_t mqtt_text_end(const struct mqtt_packet *packet, size_t at);

#endif
