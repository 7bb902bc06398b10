/* amqp.c
 * AMQP 0-9-1: the specification (AMQP Advanced Message Queuing Protocol, 13 November 2008), of which the sections are,
 * and RabbitMQ's extensions (rabbitmq.com/docs/extensions, /docs/confirms).
 *
 * A request is a method that has an answer, which comes on the same channel (2.2.4, 4.7), and a message that is
 * published where the server confirms. The method that publishes, and the one that answers basic.get, are followed by
 * frames of their content (4.2.6). What begins a connection asks, too, and so does what the client says of itself: a
 * server answers by what it wants to know next (2.2.4). What it delivers is unsolicited, and what acknowledges that is
 * no request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <stdio.h>
#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "amqp_channel.h"
#include "amqp_frame.h"
#include "amqp_method.h"
#include "amqp_published.h"
#include "amqp_recognition.h"

/* What comes next of a message. */
enum state { METHOD, HEADER, BODY };

enum { CODE = 2 };

static struct amqp_channels *
own(struct reading *reading)
{
    return reading_own(reading, sizeof(struct amqp_channels));
}

static struct amqp_channel *
channel_of(struct reading *reading, const struct amqp_frame *frame)
{
    return amqp_channel(reading, own(reading), frame->channel);
}

static uint32_t
hash(const struct amqp_text *text)
{
    return text->length > 0 ? MAX(wmem_strong_hash(text->bytes, text->length), 1) : 1;
}

/* Reads the exchange and the routing key that stand at `at`. Returns a hash of both, and sets that of the exchange. */
static uint32_t
read_names(const uint8_t *arguments, size_t length, size_t at, uint32_t *exchange, struct operation_writer *writer)
{
    struct amqp_text to, key;
    at = amqp_read_text(arguments, length, at, &to);
    amqp_read_text(arguments, length, at, &key);
    if (writer) {
        operation_put(writer, to.bytes, to.length);
        operation_put_text(writer, "/");
        operation_put(writer, key.bytes, key.length);
        writer->cut |= to.is_cut || key.is_cut;
    }
    *exchange = hash(&to);
    return hash(&to) * 31 + hash(&key);
}

static void
take_published(struct reading *reading, const struct amqp_frame *frame, const uint8_t *arguments, size_t length)
{
    enum { NAMES_AT = 2 };
    struct operation_writer writer = { .text = (char[OPERATION_ROOM]){ "" } };
    struct amqp_channel *channel = channel_of(reading, frame);
    uint32_t exchange;
    operation_put_text(&writer, amqp_kind_of(AMQP_PUBLISH)->name);
    const uint32_t name = read_names(arguments, length, NAMES_AT, &exchange, &writer);
    operation_finish(&writer);
    if (channel)
        amqp_publish(reading, own(reading), channel, exchange, name, writer.text);
}

/* Of a connection that is closed nothing else is asked: what waits on its channels is answered by the closing. */
static void
take_request(struct reading *reading, const struct amqp_frame *frame, const uint8_t *arguments, size_t length)
{
    const struct amqp_kind *kind = amqp_kind_of(frame->method);
    struct amqp_channel *channel = channel_of(reading, frame);
    if (frame->method == AMQP_PUBLISH)
        take_published(reading, frame, arguments, length);
    if (!channel)
        return;
    if (frame->method == AMQP_CHANNEL_OPEN)
        amqp_reopen(reading, channel, STOP_LOST);
    if (frame->method == AMQP_CONFIRM_SELECT && channel->confirms == AMQP_CONFIRMS_NOT)
        channel->confirms = AMQP_CONFIRMS;
    if (kind->asks && !amqp_is_no_wait(kind, arguments, length))
        amqp_ask(reading, channel, kind->asks, kind->name);
}

/* Returns the hash of what stands in quotes: RabbitMQ names the exchange that it does not have. 0 if nothing does. */
static uint32_t
quoted(const struct amqp_text *text)
{
    const uint8_t *begin = text->length > 0 ? memchr(text->bytes, '\'', text->length) : NULL;
    const uint8_t *end = begin ? memchr(begin + 1, '\'', (size_t)(text->bytes + text->length - begin - 1)) : NULL;
    return end ? hash(&(struct amqp_text){ begin + 1, (size_t)(end - begin - 1), false }) : 0;
}

/* Takes the server's closing of a channel or, on channel 0, of the connection: a code, a text, and which method is to
 * blame (1.4.2.5 and 1.3.2.9 of the reference). */
static void
take_close(struct reading *reading, const struct amqp_frame *frame, const uint8_t *arguments, size_t length)
{
    struct amqp_channels *channels = own(reading);
    struct amqp_text text;
    char status[STATUS_ROOM] = "";
    const size_t at = amqp_read_text(arguments, length, CODE, &text);
    const uint32_t method = at + AMQP_IDS <= length ? pntohu32(arguments + at) : 0;
    if (length >= CODE)
        snprintf(status, sizeof status, "%u", pntohu16(arguments));
    struct amqp_channel *closed = channel_of(reading, frame), *blamed = closed;
    if (!closed)
        return;
    if (frame->channel == 0 && amqp_awaiting(channels, method))
        blamed = amqp_awaiting(channels, method);
    bool is_answered = amqp_close(reading, blamed, method, quoted(&text), status, false);
    for (uint32_t i = 0; i < channels->count; i++)
        if (frame->channel == 0 || channels->channels[i] == closed)
            is_answered |= amqp_close(reading, channels->channels[i], method, quoted(&text), status, is_answered);
}

static void
take_confirm(struct reading *reading, const struct amqp_frame *frame, const uint8_t *arguments, size_t length)
{
    enum { MULTIPLE_AT = 8 };
    struct amqp_channel *channel = channel_of(reading, frame);
    const uint64_t number = length > MULTIPLE_AT ? pntohu64(arguments) : UINT64_MAX;
    if (channel && length <= MULTIPLE_AT)
        amqp_lack(reading, own(reading), false);
    else if (channel && number >> AMQP_NUMBER_BITS == 0)
        amqp_confirm(reading, channel, number, arguments[MULTIPLE_AT] & 1, frame->method == AMQP_NACK);
}

/* That a queue is empty is a miss. */
static void
take_answer(struct reading *reading, const struct amqp_frame *frame, const uint8_t *arguments, size_t length)
{
    const struct amqp_kind *kind = amqp_kind_of(frame->method);
    struct amqp_channel *channel = channel_of(reading, frame);
    struct amqp_text text;
    uint32_t exchange;
    if (!channel)
        return;
    if (kind->answers)
        amqp_answer(reading, channel, kind->answers, frame->method == AMQP_GET_EMPTY ? "empty" : "", false);
    switch (frame->method) {
    case AMQP_CONNECTION_CLOSE:
    case AMQP_CHANNEL_CLOSE:
        take_close(reading, frame, arguments, length);
        break;
    case AMQP_CHANNEL_CLOSE_OK:
        amqp_reopen(reading, channel, STOP_CLOSED);
        break;
    case AMQP_CONFIRM_SELECT_OK:
        channel->confirms = MAX(channel->confirms, AMQP_CONFIRMS_UNKNOWN);
        break;
    case AMQP_RETURN:
        if (length > CODE)
            amqp_return(channel,
                        read_names(arguments, length, amqp_read_text(arguments, length, CODE, &text), &exchange, NULL),
                        pntohu16(arguments));
        break;
    case AMQP_ACK:
    case AMQP_NACK:
        take_confirm(reading, frame, arguments, length);
        break;
    default:
        break;
    }
}

/* Ends the frame, and the message unless its content follows. */
static enum verdict
go_on(struct flow *flow, const struct amqp_frame *frame, size_t length, enum state next)
{
    flow->skip = frame->whole - length;
    flow->block = AMQP_FRAME;
    flow->state = (uint8_t)next;
    flow->ends = next == METHOD;
    return PARSER_GOES_ON;
}

static enum verdict
take_method(struct reading *reading, bool from_client, const struct amqp_frame *frame, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    const uint8_t *arguments = frame->payload + AMQP_IDS;
    const size_t n = frame->length - MIN(frame->length, AMQP_IDS);
    if (frame->method == 0)
        return go_on(flow, frame, length, METHOD);
    if (from_client)
        take_request(reading, frame, arguments, n);
    else
        take_answer(reading, frame, arguments, n);
    /* the server may have answered it before */
    if (from_client && flow->is_cut && flow->after_gap)
        amqp_lack(reading, own(reading), false);
    const bool has_content = frame->method == AMQP_PUBLISH || frame->method == AMQP_GET_OK;
    flow->marks = frame->channel;
    return go_on(flow, frame, length, flow->has_message && has_content ? HEADER : METHOD);
}

/* Takes a frame of the content of the message that is being read. Where the size of the body is missing, the message
 * lasts up to the next one. */
static enum verdict
take_content(struct flow *flow, const struct amqp_frame *frame, size_t length)
{
    if (frame->type == AMQP_CONTENT_BODY)
        flow->left -= MIN(flow->left, frame->whole - AMQP_FRAME - AMQP_END);
    else
        flow->left = frame->length < AMQP_CONTENT ? UINT64_MAX : pntohu64(frame->payload + AMQP_BODY_SIZE_AT);
    flow->message.cut |= flow->left == UINT64_MAX && !flow->after_gap;
    return go_on(flow, frame, length, flow->left > 0 ? BODY : METHOD);
}

static bool
is_content(const struct flow *flow, const struct amqp_frame *frame)
{
    return flow->state != METHOD && frame->channel == flow->marks &&
           frame->type == (flow->state == HEADER ? AMQP_CONTENT_HEADER : AMQP_CONTENT_BODY);
}

/* Takes what a client begins with, and what a server answers that has another version (4.2.2). */
static enum verdict
take_greeting(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct amqp_channel *channel = amqp_channel(reading, own(reading), 0);
    struct flow *flow = reading_flow(reading, from_client);
    if (!from_client) {
        amqp_answer(reading, channel, AMQP_HEADER, "another version", true);
    } else if (amqp_is_greeting(unit, length)) {
        amqp_ask(reading, channel, AMQP_HEADER, "AMQP 0-9-1");
    } else {
        return PARSER_IS_LOST;
    }
    flow->ends = true;
    return PARSER_GOES_ON;
}

/* Returns how many bytes of a frame are looked at. */
static uint32_t
looked_at(const struct amqp_frame *frame)
{
    if (frame->type == AMQP_CONTENT_HEADER)
        return (uint32_t)MIN(frame->whole, AMQP_FRAME + AMQP_CONTENT);
    return frame->type == AMQP_CONTENT_BODY ? AMQP_FRAME : (uint32_t)MIN(frame->whole, UNIT_BYTES);
}

static enum verdict
want(struct flow *flow, uint32_t bytes)
{
    flow->block = bytes;
    return PARSER_WANTS_MORE;
}

/* Where a frame of another channel stands within a content, the message of that ends before it. */
static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct amqp_frame frame;
    amqp_give_up_put_off(reading, own(reading));
    amqp_give_up_unknown(reading, own(reading));
    if (flow->state == METHOD && memcmp(unit, "AMQP", strlen("AMQP")) == 0)
        return length < AMQP_GREETING && !flow->is_cut ? want(flow, AMQP_GREETING)
                                                       : take_greeting(reading, from_client, unit, length);
    if (!amqp_frame_read(unit, length, &frame) || !amqp_frame_can_be(&frame, from_client))
        return PARSER_IS_LOST;
    if (length < looked_at(&frame) && !flow->is_cut)
        return want(flow, looked_at(&frame));
    if (!from_client && own(reading)->is_unread)
        amqp_lack(reading, own(reading), false);
    own(reading)->is_unread &= from_client;
    if (is_content(flow, &frame))
        return take_content(flow, &frame, length);
    if (flow->state != METHOD && frame.type != AMQP_HEARTBEAT)
        reading_ends_before(reading, from_client, length);
    if (frame.type == AMQP_METHOD)
        return take_method(reading, from_client, &frame, length);
    return go_on(flow, &frame, length, flow->state);
}

static void
lack_requests(struct reading *reading)
{
    amqp_lack(reading, own(reading), true);
}

static void
lose_place(struct reading *reading, bool from_client)
{
    own(reading)->is_unread |= !from_client;
    amqp_lack(reading, own(reading), from_client);
}

static void
forget(struct reading *reading)
{
    amqp_channels_free(reading, own(reading));
    wmem_free(reading_scope(reading), own(reading));
}

const struct parser parser_amqp = {
    .protocol = PROTOCOL_AMQP,
    .block = AMQP_FRAME,
    .least = AMQP_GREETING,
    .has_ids = true,
    .recognise = amqp_recognise,
    .recognise_answer = amqp_recognise_answer,
    .recognise_cut = amqp_recognise_cut,
    .may_begin = amqp_may_begin,
    .tells_client = amqp_tells_client,
    .take = take,
    .find = amqp_find,
    .lose_place = lose_place,
    .lack_requests = lack_requests,
    .forget = forget,
};
