/* http3_requests.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http3_requests.h"

#include "../protocol/http/http_waiting.h"
#include "../request/exchanges_messages.h"
#include "../request/matching.h"
#include "../request/request_ids.h"
#include "../request/turns.h"
#include "quic_packet.h"

/* RFC 9114 §8.1. */
enum { NO_ERROR = 0x100, REQUEST_REJECTED = 0x10b };

/* Holds what a piece of a request's stream has said. */
struct said {
    char operation[OPERATION_ROOM];
    const char *status; /* NULL for nothing */
    bool has_operation, failed, is_data, is_stream, awaits_event;
    bool is_interim; /* 1xx, and nothing else */
};

/* Returns whether what is being taken came with an earlier frame. */
static bool
is_late(const struct http3_taking *taking)
{
    return taking->segment->frame != taking->requests->frame;
}

void
http3_begin_late(const struct http3_taking *taking)
{
    if (is_late(taking))
        items_begin_late(taking->requests->items, taking->segment->frame);
}

void
http3_end_late(const struct http3_taking *taking)
{
    if (is_late(taking))
        items_end_late(taking->requests->items);
}

/* Tells an event, of which the packet has this many bytes. */
static void
tell(struct http3_taking *taking, size_t bytes, struct event *event)
{
    struct connection *connection = taking->connection;
    const uint8_t sender = taking->side == QUIC_CLIENT ? connection->client : !connection->client;
    int64_t *read = &connection->sender[sender].read;
    struct segment segment = *taking->segment;
    segment.payload_bytes = (uint32_t)bytes;
    segment.captured_bytes = 0;
    struct payload payload = { .connection = connection, .segment = &segment, .sender = sender };
    payload.packet.start = *read;
    payload.packet.end = *read + (int64_t)bytes;
    payload.packet.fresh = (uint32_t)bytes;
    payload.packet.in_order = true;
    const struct piece piece = { .payload = &payload, .segment = segment, .start = *read, .fresh = (uint32_t)bytes };
    struct carrier carrier = { .piece = &piece };
    if (bytes > 0)
        turns_take(taking->requests, &carrier);
    /* A packet has one item as such; what else is in it are messages. */
    carrier.is_free &= !is_late(taking) && taking->http3->packet_frame[taking->side] != segment.frame;
    exchanges_tell(taking->requests, &carrier, event);
    if (bytes > 0 && !carrier.is_free && !is_late(taking))
        taking->http3->packet_frame[taking->side] = segment.frame;
    *read += (int64_t)bytes;
}

void
http3_tell_stop(struct http3_taking *taking, const struct http3_stream *stream, enum stop why)
{
    struct event event = { .kind = EVENT_STOPS, .stops = { stream->key, why } };
    if (stream->is_asked && !stream->is_unknown)
        tell(taking, 0, &event);
}

void
http3_stop(struct http3_taking *taking, struct http3_stream *stream, enum stop why)
{
    http3_tell_stop(taking, stream, why);
    http3_stream_remove(taking->http3, stream);
}

bool
http3_may_have_ended(const struct http3 *http3, const struct http3_stream *stream)
{
    const struct request *request = stream->is_asked ? request_referred(&stream->request) : NULL;
    return request && !stream->has_ended[QUIC_SERVER] && request->first_ns <= http3->missed_ns;
}

void
http3_lose_answer(struct http3_taking *taking, struct http3_stream *stream)
{
    struct request *request = (struct request *)request_referred(&stream->request);
    http3_tell_stop(taking, stream, STOP_LOST);
    if (request && request->response.first_frame)
        request_lose_answer(taking->requests, request, taking->segment->frame);
    http3_stream_remove(taking->http3, stream);
}

/* --- Fields --- */

static void
read_asked(struct http3_taking *taking, const struct http2_fields *fields, struct http2_ids *ids, struct said *said)
{
    struct http3_stream *stream = taking->stream;
    stream->is_grpc = fields->is_grpc;
    stream->is_tunnel = strcmp(fields->method, "CONNECT") == 0;
    http2_operation(fields, false, said->operation);
    said->has_operation = true;
    said->awaits_event = http_is_long_poll(strcmp(fields->method, "GET") == 0 || strcmp(fields->method, "HEAD") == 0,
                                           fields->preferences);
    if (!ids_are_none(&ids->found))
        request_ids_note(taking->requests, taking->connection, stream->key, &ids->found);
}

/* Reads the response's fields, or those behind its content. `room` is the status's. */
static void
read_answered(struct http3_stream *stream, const struct http2_fields *fields, char room[static STATUS_ROOM],
              struct said *said)
{
    if (fields->status[0] == '1' && !stream->has_status) {
        said->is_interim = true;
        return;
    }
    stream->is_grpc |= fields->is_grpc;
    const bool is_first = !stream->has_status;
    stream->has_status = true;
    said->is_stream =
        fields->is_stream || (stream->is_tunnel && fields->status[0] == '2' && strlen(fields->status) > 0);
    if (fields->grpc_status >= 0) {
        said->status = http2_grpc_status_name(fields->grpc_status);
        said->failed = fields->grpc_status != 0;
    } else if (is_first && (!stream->is_grpc || fields->status[0] >= '4')) {
        status_copy(room, fields->status);
        said->status = room;
        said->failed = fields->status[0] >= '4';
    }
}

/* Reads a block. Returns false if it is blocked, and kept. */
static bool
read_block(struct http3_taking *taking, unsigned side, const GByteArray *block, char room[static STATUS_ROOM],
           struct said *said)
{
    struct http3_stream *stream = taking->stream;
    struct http2_fields fields;
    struct http2_ids ids = { .more = taking->requests->settings->id_headers };
    const bool wants_ids = side == QUIC_CLIENT && taking->requests->wants_ids;
    const enum http3_read read = http3_decoder_read(&taking->http3->decoder[side], (int64_t)stream->id, block->data,
                                                    block->len, &fields, wants_ids ? &ids : NULL);
    if (read == HTTP3_BLOCKED)
        return false;
    if (side == QUIC_SERVER)
        read_answered(stream, &fields, room, said);
    else if (!stream->is_named)
        read_asked(taking, &fields, &ids, said);
    stream->is_named |= side == QUIC_CLIENT;
    return true;
}

/* A push is promised: its id, and the fields of what asks in the client's place. */
static void
take_promise(struct http3_taking *taking, const GByteArray *block)
{
    uint64_t id;
    size_t at = 0;
    struct http2_fields fields;
    char operation[OPERATION_ROOM];
    if (!quic_varint(block->data, block->len, &at, &id) || id >= HTTP3_PUSHED ||
        http3_decoder_read(&taking->http3->decoder[QUIC_SERVER], (int64_t)taking->stream->id, block->data + at,
                           block->len - at, &fields, NULL) == HTTP3_BLOCKED)
        return;
    http2_operation(&fields, true, operation);
    struct event event = { .kind = EVENT_MESSAGE,
                           .message = { .kind = MESSAGE_PROMISES, .key = HTTP3_PUSHED | id, .operation = operation } };
    tell(taking, 0, &event);
}

static void
end_frame(struct http3_taking *taking, struct http3_frames *frames, char room[static STATUS_ROOM], struct said *said)
{
    GByteArray *block = http3_frames_leave(frames);
    if (!block)
        return;
    if (frames->type == HTTP3_PUSH_PROMISE)
        take_promise(taking, block);
    else if (!read_block(taking, taking->side, block, room, said) && !frames->blocked) {
        frames->blocked = block;
        return;
    }
    g_byte_array_unref(block);
}

/* Reads a piece of a request's stream, or of a push's. */
static void
read_frames(struct http3_taking *taking, const uint8_t *bytes, size_t length, char room[static STATUS_ROOM],
            struct said *said)
{
    struct http3_frames *frames = &taking->stream->frames[taking->side];
    while (length > 0 && !frames->is_lost) {
        const size_t taken = http3_frames_read(frames, HTTP3_HEADERS, HTTP3_PUSH_PROMISE, bytes, length);
        said->is_data |= frames->is_in_frame && frames->type == HTTP3_DATA;
        if (frames->is_in_frame && frames->left == 0)
            end_frame(taking, frames, room, said);
        bytes += taken;
        length -= taken;
    }
}

/* --- Pieces --- */

/* Tells what a piece of the client's side asks. */
static void
tell_asked(struct http3_taking *taking, size_t length, bool ends, const struct said *said)
{
    struct http3_stream *stream = taking->stream;
    struct event event = {
        .kind = EVENT_MESSAGE,
        .message = {
            .kind = MESSAGE_ASKS,
            .part = stream->is_asked ? MESSAGE_MORE : MESSAGE_NEW,
            .last = ends ? LAST_OF_SIDE : LAST_NONE,
            .ends = true,
            .is_data = said->is_data,
            .awaits_event = said->awaits_event,
            .key = stream->key,
            .bytes = length,
            .operation = said->operation,
        },
    };
    tell(taking, length, &event);
    const struct request *request = matching_first(taking->requests, taking->connection, stream->key);
    if (stream->is_asked || !request)
        return;
    stream->request = request_refer(request);
    stream->is_asked = true;
}

/* Tells what a piece of the server's side answers. */
static void
tell_answered(struct http3_taking *taking, size_t length, bool ends, const struct said *said)
{
    struct http3_stream *stream = taking->stream;
    struct event event = {
        .kind = EVENT_MESSAGE,
        .message = {
            .kind = MESSAGE_ANSWERS,
            .part = stream->is_answered ? MESSAGE_MORE : MESSAGE_NEW,
            .last = ends ? LAST_OF_SIDE : LAST_NONE,
            .ends = true,
            .is_data = said->is_data,
            .is_stream = said->is_stream,
            .failed = said->failed,
            .key = stream->key,
            .bytes = length,
            .status = said->status ? said->status : "",
        },
    };
    tell(taking, length, &event);
    stream->is_answered = true;
}

/* Gives the stream's request the operation that has become known after it began. */
static void
name_request(struct http3_taking *taking, const char *operation)
{
    const struct http3_stream *stream = taking->stream;
    struct request *request = stream->is_asked ? (struct request *)request_referred(&stream->request) : NULL;
    if (!request)
        return;
    request_rename(taking->requests, request, operation);
    exchanges_note_change(taking->requests, request, taking->segment->frame);
}

void
http3_settle(struct http3_taking *taking)
{
    struct http3_stream *stream = taking->stream;
    const bool is_blocked = stream->frames[QUIC_CLIENT].blocked || stream->frames[QUIC_SERVER].blocked;
    if (stream->is_asked && !stream->is_answered && stream->id >= taking->http3->refused)
        http3_stop(taking, stream, STOP_REFUSED);
    else if (stream->has_ended[QUIC_CLIENT] && stream->has_ended[QUIC_SERVER] && !is_blocked)
        http3_stream_remove(taking->http3, stream);
}

void
http3_take_piece(struct http3_taking *taking, const uint8_t *bytes, size_t length, bool ends)
{
    struct http3_stream *stream = taking->stream;
    char room[STATUS_ROOM];
    struct said said = { .status = NULL };
    const bool was_asked = stream->is_asked;
    read_frames(taking, bytes, length, room, &said);
    stream->has_ended[taking->side] |= ends;
    if (stream->is_unknown)
        return;
    if (taking->side == QUIC_CLIENT) {
        tell_asked(taking, length, ends, &said);
        if (was_asked && said.has_operation)
            name_request(taking, said.operation);
    } else if ((stream->is_asked || stream->type == HTTP3_PUSH) && (!said.is_interim || stream->has_status || ends)) {
        tell_answered(taking, length, ends, &said);
    }
}

void
http3_read_blocked(struct http3_taking *taking)
{
    struct http3_taking again = *taking;
    for (struct http3_stream *each = taking->http3->oldest, *after; each; each = after) {
        after = each->after;
        again.stream = each;
        for (unsigned side = QUIC_CLIENT; side <= QUIC_SERVER; side++) {
            char room[STATUS_ROOM];
            struct said said = { .status = NULL };
            if (!each->frames[side].blocked || !read_block(&again, side, each->frames[side].blocked, room, &said))
                continue;
            g_byte_array_unref(each->frames[side].blocked);
            each->frames[side].blocked = NULL;
            struct request *request = each->is_asked ? (struct request *)request_referred(&each->request) : NULL;
            if (said.has_operation)
                name_request(&again, said.operation);
            if (request) {
                request->is_stream |= said.is_stream;
                request->awaits_event |= said.awaits_event;
            }
            if (said.status && request) {
                status_copy(request->response.status, said.status);
                request->response.failed = said.failed;
                exchanges_note_change(taking->requests, request, taking->segment->frame);
            }
        }
        if (each != taking->stream)
            http3_settle(&again);
    }
}

/* --- Ends --- */

static const char *
error_name(uint64_t error)
{
    static const char *const names[] = {
        "NO_ERROR",
        "GENERAL_PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "STREAM_CREATION_ERROR",
        "CLOSED_CRITICAL_STREAM",
        "FRAME_UNEXPECTED",
        "FRAME_ERROR",
        "EXCESSIVE_LOAD",
        "ID_ERROR",
        "SETTINGS_ERROR",
        "MISSING_SETTINGS",
        "REQUEST_REJECTED",
        "REQUEST_CANCELLED",
        "REQUEST_INCOMPLETE",
        "MESSAGE_ERROR",
        "CONNECT_ERROR",
        "VERSION_FALLBACK",
    };
    return error >= NO_ERROR && error - NO_ERROR < G_N_ELEMENTS(names) ? names[error - NO_ERROR] : "unknown";
}

/* The server breaks its answer off. */
static void
take_servers_reset(struct http3_taking *taking, uint64_t error)
{
    struct http3_stream *stream = taking->stream;
    if (stream->has_ended[QUIC_SERVER])
        return;
    if (!stream->is_answered && error == REQUEST_REJECTED) {
        http3_stop(taking, stream, STOP_REFUSED);
        return;
    }
    struct event event = {
        .kind = EVENT_MESSAGE,
        .message = {
            .kind = MESSAGE_ANSWERS,
            .part = stream->is_answered ? MESSAGE_MORE : MESSAGE_NEW,
            .last = LAST_OF_BOTH,
            .ends = true,
            .failed = error != NO_ERROR,
            .key = stream->key,
            .status = error_name(error),
        },
    };
    tell(taking, 0, &event);
    http3_stream_remove(taking->http3, stream);
}

static void
take_clients_end(struct http3_taking *taking)
{
    if (!taking->stream->has_ended[QUIC_SERVER])
        http3_stop(taking, taking->stream, STOP_CANCELLED);
}

void
http3_take_reset(struct http3_taking *taking, uint64_t error)
{
    if (taking->side == QUIC_SERVER) {
        take_servers_reset(taking, error);
    } else if (taking->stream->has_ended[QUIC_SERVER]) {
        http3_stop(taking, taking->stream, STOP_CLOSED);
    } else if (taking->stream->is_unwanted) {
        const struct said nothing = { .status = NULL };
        taking->stream->has_ended[QUIC_CLIENT] = true;
        tell_asked(taking, 0, true, &nothing);
    } else {
        take_clients_end(taking);
    }
}

/* That a server wants no more of what is asked is no error: RFC 9114 §4.1. */
void
http3_take_stop_sending(struct http3_taking *taking)
{
    if (taking->side == QUIC_CLIENT)
        take_clients_end(taking);
    else
        taking->stream->is_unwanted = true;
}
