/* amqp_recognition.c
 * A whole method is AMQP's for certain: its id is one of sixty among four thousand million, and its size says where the
 * octet 0xce stands behind it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "amqp_recognition.h"

#include <string.h>

#include "amqp_frame.h"
#include "amqp_method.h"

/* Returns whether frames of that side stand here, one after another, up to the end or beyond it. */
static bool
is_row(const uint8_t *bytes, size_t length, bool from_client)
{
    struct amqp_frame frame;
    size_t at = 0;
    while (at < length && amqp_frame_read(bytes + at, length - at, &frame) && amqp_frame_can_be(&frame, from_client))
        at += (size_t)MIN(frame.whole, length - at);
    return at > 0 && length - at < AMQP_FRAME;
}

/* Returns whether these bytes begin with a method or a heartbeat, of which `needed` bytes are there: all, if that is
 * less. */
static bool
begins_with_method(const uint8_t *bytes, size_t length, uint64_t needed)
{
    struct amqp_frame frame;
    return amqp_frame_read(bytes, length, &frame) && (frame.type == AMQP_METHOD || frame.type == AMQP_HEARTBEAT) &&
           length >= MIN(frame.whole, needed);
}

static bool
is_greeting(const uint8_t *bytes, size_t length)
{
    return length >= AMQP_GREETING && amqp_is_greeting(bytes, length);
}

bool
amqp_recognise(const uint8_t *bytes, size_t length)
{
    return is_greeting(bytes, length) || (begins_with_method(bytes, length, UINT64_MAX) && is_row(bytes, length, true));
}

bool
amqp_recognise_answer(const uint8_t *bytes, size_t length)
{
    return is_greeting(bytes, length) ||
           (begins_with_method(bytes, length, UINT64_MAX) && is_row(bytes, length, false));
}

bool
amqp_recognise_cut(const uint8_t *bytes, size_t length, uint64_t whole)
{
    struct amqp_frame frame;
    return is_greeting(bytes, length) ||
           (begins_with_method(bytes, length, AMQP_FRAME + AMQP_IDS) && amqp_frame_read(bytes, length, &frame) &&
            frame.whole <= whole && is_row(bytes, length, true));
}

bool
amqp_may_begin(const uint8_t *bytes, size_t length)
{
    return length < AMQP_GREETING && amqp_is_greeting(bytes, length);
}

bool
amqp_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    struct amqp_frame frame;
    (void)whole;
    if (!begins_with_method(bytes, length, UINT64_MAX) || !amqp_frame_read(bytes, length, &frame))
        return false;
    const struct amqp_kind *kind = amqp_kind_of(frame.method);
    if (!kind || kind->sides == AMQP_EITHER)
        return false;
    *from_client = kind->sides == AMQP_CLIENT;
    return is_row(bytes, length, *from_client);
}

size_t
amqp_find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 64, END_OCTET = 0xce };
    const uint8_t *at = bytes, *end = bytes + length;
    for (unsigned tried = 0; tried < TRIED_MOST && (at = memchr(at, END_OCTET, (size_t)(end - at))); tried++) {
        at++;
        if (amqp_recognise(at, (size_t)(end - at)))
            return (size_t)(at - bytes);
    }
    return 0;
}
