/* amqp_frame.h
 * What frames of AMQP 0-9-1 look like: the specification, 4.2.2, 4.2.3 and 4.2.6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_AMQP_FRAME_H
#define LATENCY_AMQP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum amqp_type { AMQP_METHOD = 1, AMQP_CONTENT_HEADER, AMQP_CONTENT_BODY, AMQP_HEARTBEAT = 8 };

/* Type, channel and size stand before the payload, an octet behind it. With the payload begin a class and a method; or
 * a class, a weight, and the size of a body. */
enum { AMQP_FRAME = 7, AMQP_END = 1, AMQP_IDS = 4, AMQP_BODY_SIZE_AT = 4, AMQP_CONTENT = 12 };

/* With which a client begins, or a server that has another version. */
enum { AMQP_GREETING = 8 };

/* A frame, as far as it is there. */
struct amqp_frame {
    enum amqp_type type;
    uint16_t channel;
    uint64_t whole; /* bytes */
    const uint8_t *payload;
    size_t length;   /* of the payload, that are there */
    uint32_t method; /* AMQP_ID(); 0 if it is none, or cut before that */
};

/* Reads a frame; false if its header is not there, or a wrong octet is behind it. */
bool amqp_frame_read(const uint8_t *bytes, size_t length, struct amqp_frame *frame);

/* Returns whether that side can send this frame, as far as it is there. */
bool amqp_frame_can_be(const struct amqp_frame *frame, bool from_client);

/* Returns whether these bytes, which may be fewer than AMQP_GREETING, are what a client begins with. */
bool amqp_is_greeting(const uint8_t *bytes, size_t length);

#endif
