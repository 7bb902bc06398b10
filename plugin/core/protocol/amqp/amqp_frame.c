/* amqp_frame.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "amqp_frame.h"

#include <string.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "amqp_method.h"

enum { END_OCTET = 0xce, METHOD_LONGEST = 1 << 20, BODY_LONGEST = 1 << 28 };

bool
amqp_frame_read(const uint8_t *bytes, size_t length, struct amqp_frame *frame)
{
    enum { CHANNEL_AT = 1, SIZE_AT = 3 };
    if (length < AMQP_FRAME)
        return false;
    const uint64_t size = pntohu32(bytes + SIZE_AT);
    *frame = (struct amqp_frame){
        .type = bytes[0],
        .channel = pntohu16(bytes + CHANNEL_AT),
        .whole = AMQP_FRAME + size + AMQP_END,
        .payload = bytes + AMQP_FRAME,
        .length = (size_t)MIN(size, length - AMQP_FRAME),
    };
    if (frame->type == AMQP_METHOD && frame->length >= AMQP_IDS)
        frame->method = pntohu32(frame->payload);
    return frame->length < size || length == frame->whole - AMQP_END || frame->payload[size] == END_OCTET;
}

static bool
method_can_be(const struct amqp_frame *frame, uint64_t size, bool from_client)
{
    if (size < AMQP_IDS || size > METHOD_LONGEST)
        return false;
    if (frame->length < AMQP_IDS)
        return true;
    const struct amqp_kind *kind = amqp_kind_of(frame->method);
    return kind && kind->sides & (from_client ? AMQP_CLIENT : AMQP_SERVER) &&
           size >= AMQP_IDS + (uint64_t)kind->least &&
           (frame->method >> 16 == AMQP_CLASS_CONNECTION) == (frame->channel == 0);
}

/* 4.2.6.1: the weight is not used, and 0. */
static bool
content_can_be(const struct amqp_frame *frame, uint64_t size)
{
    enum { FLAGS = 2, WEIGHT = 2 };
    return frame->channel > 0 && size >= AMQP_CONTENT + FLAGS && size <= METHOD_LONGEST &&
           (frame->length < WEIGHT || pntohu16(frame->payload) == AMQP_CLASS_BASIC) &&
           (frame->length < AMQP_BODY_SIZE_AT || pntohu16(frame->payload + WEIGHT) == 0);
}

bool
amqp_frame_can_be(const struct amqp_frame *frame, bool from_client)
{
    const uint64_t size = frame->whole - AMQP_FRAME - AMQP_END;
    switch (frame->type) {
    case AMQP_METHOD:
        return method_can_be(frame, size, from_client);
    case AMQP_CONTENT_HEADER:
        return content_can_be(frame, size);
    case AMQP_CONTENT_BODY:
        return frame->channel > 0 && size > 0 && size <= BODY_LONGEST;
    case AMQP_HEARTBEAT:
        return frame->channel == 0 && size == 0;
    default:
        return false;
    }
}

bool
amqp_is_greeting(const uint8_t *bytes, size_t length)
{
    static const char greeting[] = "AMQP\0\0\11\1";
    return memcmp(bytes, greeting, MIN(length, AMQP_GREETING)) == 0;
}
