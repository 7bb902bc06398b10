/* http3.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http3.h"

#include "../protocol/http/http_waiting.h"
#include "../protocol/tls/tls_handshake.h"
#include "../request/framing_messages.h"
#include "../request/matching.h"
#include "../request/request_ids.h"
#include "../request/turns.h"
#include "http3_fields.h"
#include "quic_frames.h"
#include "quic_initial.h"
#include "quic_packet.h"
#include "quic_stream.h"

/* RFC 9114 §7.2. */
enum frame_type { DATA = 0x0, HEADERS = 0x1, SETTINGS = 0x4, PUSH_PROMISE = 0x5, GOAWAY = 0x7 };

/* Types of streams in one direction: RFC 9114 §6.2, RFC 9204 §4.2. */
enum stream_type { CONTROL = 0x0, PUSH = 0x1, ENCODER = 0x2, DECODER = 0x3, NOT_KNOWN = 0xff };

/* Two of the bits of a stream's id: RFC 9000 §2.1. */
enum { OF_SERVER = 1, ONE_WAY = 2 };

/* RFC 9114 §8.1. */
enum { NO_ERROR = 0x100, REQUEST_REJECTED = 0x10b };

/* A frame of more bytes of fields, or settings, is passed over. */
enum { BLOCK_MOST = 65536 };

/* Keys of what is pushed, so that they are no stream's. */
#define PUSHED (UINT64_C(1) << 62)

/* One direction's frames, as far as they have been read. */
struct frames {
    uint8_t head[16]; /* of the next frame: its type and length */
    uint8_t n_head;
    bool is_in_frame;
    bool is_lost; /* where the next frame begins */
    uint64_t type, left;
    GByteArray *block;   /* of fields or settings; NULL: the frame has none, or too many */
    GByteArray *blocked; /* a block of fields that cannot be read yet; NULL: none */
};

struct http3_stream {
    struct hashed hashed;
    uint64_t id;
    uint64_t key;                /* of its request */
    enum stream_type type;       /* of one direction alone */
    struct quic_stream order[2]; /* by QUIC_CLIENT and QUIC_SERVER, as the next two */
    struct frames frames[2];
    bool has_ended[2];
    struct request_reference request; /* meaningful if `is_asked` */
    bool is_asked, is_named, is_answered, has_status;
    bool is_grpc, is_tunnel;
    bool is_unwanted;                    /* the server wants no more of what is asked */
    bool is_unknown;                     /* the capture lacks where it begins to ask, or to answer */
    struct http3_stream *before, *after; /* by age */
};

struct http3 {
    struct connection *connection;
    struct hashed_table by_id;
    struct http3_stream *oldest, *newest;
    struct http3_decoder decoder[2]; /* of the fields of QUIC_CLIENT and QUIC_SERVER */
    uint64_t begun[4];               /* the next id of each of the four kinds of streams (RFC 9000 §2.1) */
    uint32_t packet_frame[2];        /* whose packet has got an item */
    bool has_stream[2][DECODER + 1]; /* of a side, in one direction, of this type */
    uint64_t refused;                /* the server takes no requests from this stream on */
    int64_t hole_ns;     /* since when a stream has waited for missing bytes at most; INT64_MAX: none does */
    int64_t missed_ns;   /* when the server's last packet came that was not decrypted; INT64_MIN: none did */
    struct segment last; /* that has carried frames; without its payload */
};

/* Frames of a packet that are being taken. */
struct taking {
    struct http3 *http3;
    struct requests *requests;
    struct connection *connection;
    const struct segment *segment;
    unsigned side; /* who sent it */
    struct http3_stream *stream;
};

/* Holds what a piece of a request's stream has said. */
struct said {
    char operation[OPERATION_ROOM];
    const char *status; /* NULL for nothing */
    bool has_operation, failed, is_data, is_stream, awaits_event;
    bool is_interim; /* 1xx, and nothing else */
};

bool
http3_is_offered(const struct connection *connection)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    bool is_offered = false;
    const char *alpn = !handshake ? "" : *handshake->chosen ? handshake->chosen : handshake->alpn;
    char **offers = g_strsplit(alpn, ",", -1);
    for (char **each = offers; *each; each++)
        is_offered |= strcmp(*each, "h3") == 0 || g_str_has_prefix(*each, "h3-");
    g_strfreev(offers);
    return is_offered;
}

struct http3 *
http3_new(struct connection *connection)
{
    struct http3 *http3 = g_new0(struct http3, 1);
    http3->connection = connection;
    hashed_init(&http3->by_id, NULL);
    http3->refused = UINT64_MAX;
    http3->hole_ns = INT64_MAX;
    http3->missed_ns = INT64_MIN;
    return http3;
}

struct connection *
http3_connection(const struct http3 *http3)
{
    return http3->connection;
}

static void
drop_bytes(GByteArray **bytes)
{
    if (*bytes)
        g_byte_array_free(*bytes, TRUE);
    *bytes = NULL;
}

static void
remove_stream(struct http3 *http3, struct http3_stream *stream)
{
    *(stream->before ? &stream->before->after : &http3->oldest) = stream->after;
    *(stream->after ? &stream->after->before : &http3->newest) = stream->before;
    hashed_remove(&http3->by_id, &stream->hashed);
    for (unsigned side = QUIC_CLIENT; side <= QUIC_SERVER; side++) {
        quic_stream_clear(&stream->order[side]);
        drop_bytes(&stream->frames[side].block);
        drop_bytes(&stream->frames[side].blocked);
    }
    g_free(stream);
}

void
http3_free(struct http3 *http3)
{
    while (http3->oldest)
        remove_stream(http3, http3->oldest);
    hashed_clear(&http3->by_id);
    http3_decoder_free(&http3->decoder[QUIC_CLIENT]);
    http3_decoder_free(&http3->decoder[QUIC_SERVER]);
    g_free(http3);
}

/* Returns whether what is being taken came with an earlier frame. */
static bool
is_late(const struct taking *taking)
{
    return taking->segment->frame != taking->requests->frame;
}

static void
begin_late(const struct taking *taking)
{
    if (is_late(taking))
        items_begin_late(taking->requests->items, taking->segment->frame);
}

static void
end_late(const struct taking *taking)
{
    if (is_late(taking))
        items_end_late(taking->requests->items);
}

/* Tells an event, of which the packet has this many bytes. */
static void
tell(struct taking *taking, size_t bytes, struct event *event)
{
    struct connection *connection = taking->connection;
    const uint8_t sender = taking->side == QUIC_CLIENT ? connection->client : !connection->client;
    int64_t *read = &connection->sender[sender].read;
    struct segment segment = *taking->segment;
    segment.payload_bytes = (uint32_t)bytes;
    segment.captured_bytes = 0;
    struct payload payload = { .connection = connection, .segment = &segment, .sender = sender };
    payload.place.start = *read;
    payload.place.end = *read + (int64_t)bytes;
    payload.place.fresh = (uint32_t)bytes;
    payload.place.in_order = true;
    const struct piece piece = { .payload = &payload, .segment = segment, .start = *read, .fresh = (uint32_t)bytes };
    struct carrier carrier = { .piece = &piece };
    if (bytes > 0)
        turns_take(taking->requests, &carrier);
    /* A packet has one item as such; what else is in it are messages. */
    carrier.is_free &= !is_late(taking) && taking->http3->packet_frame[taking->side] != segment.frame;
    framing_tell(taking->requests, &carrier, event);
    if (bytes > 0 && !carrier.is_free && !is_late(taking))
        taking->http3->packet_frame[taking->side] = segment.frame;
    *read += (int64_t)bytes;
}

static void
tell_stop(struct taking *taking, const struct http3_stream *stream, enum stop why)
{
    struct event event = { .kind = EVENT_STOPS, .stops = { stream->key, why } };
    if (stream->is_asked && !stream->is_unknown)
        tell(taking, 0, &event);
}

static void
stop(struct taking *taking, struct http3_stream *stream, enum stop why)
{
    tell_stop(taking, stream, why);
    remove_stream(taking->http3, stream);
}

/* Returns whether the end of what the stream is answered may be in a packet that was not decrypted. */
static bool
may_have_ended(const struct http3 *http3, const struct http3_stream *stream)
{
    const struct request *request = stream->is_asked ? request_referred(&stream->request) : NULL;
    return request && !stream->has_ended[QUIC_SERVER] && request->q0_ns <= http3->missed_ns;
}

/* Ends a stream of whose answer nothing, or not the end, is known: then it is not known when that was. */
static void
lose_answer(struct taking *taking, struct http3_stream *stream)
{
    struct request *request = (struct request *)request_referred(&stream->request);
    tell_stop(taking, stream, STOP_LOST);
    if (request && request->response.p0_frame)
        request_lose_answer(taking->requests, request, taking->segment->frame);
    remove_stream(taking->http3, stream);
}

static uint32_t
hash_id(const struct http3 *http3, uint64_t id)
{
    return (uint32_t)(hashed_mix(id ^ http3->by_id.key, http3->by_id.key) >> 16);
}

static struct http3_stream *
find_stream(const struct http3 *http3, uint64_t id)
{
    struct hashed *found = hashed_first(&http3->by_id, hash_id(http3, id));
    while (found && ((struct http3_stream *)found)->id != id)
        found = hashed_next(found);
    return (struct http3_stream *)found;
}

/* Gives up the oldest stream, but for those that control a connection and tell its fields, two of each side. */
static void
give_up_oldest(struct taking *taking)
{
    struct http3_stream *oldest = taking->http3->oldest;
    while (oldest && (oldest->type == CONTROL || oldest->type == ENCODER))
        oldest = oldest->after;
    if (oldest)
        stop(taking, oldest, STOP_LOST);
}

static struct http3_stream *
add_stream(struct taking *taking, uint64_t id)
{
    struct http3 *http3 = taking->http3;
    if (http3->by_id.count >= HTTP3_STREAMS_MOST)
        give_up_oldest(taking);
    struct http3_stream *stream = g_new0(struct http3_stream, 1);
    stream->id = stream->key = id;
    stream->type = NOT_KNOWN;
    stream->before = http3->newest;
    *(stream->before ? &stream->before->after : &http3->oldest) = stream;
    http3->newest = stream;
    hashed_add(&http3->by_id, &stream->hashed, hash_id(http3, id));
    return stream;
}

/* Returns the stream with this id; NULL if it is over. With a stream those of its kind with lower numbers have begun,
 * too, whose packets may come later (RFC 9000 §3.2). */
static struct http3_stream *
stream_of(struct taking *taking, uint64_t id)
{
    enum { KIND_MASK = 3, STEP = 4, REORDERED_MOST = 64 };
    uint64_t *begun = &taking->http3->begun[id & KIND_MASK];
    uint64_t number = id / STEP;
    if (number > *begun + REORDERED_MOST)
        *begun = number - REORDERED_MOST;
    for (; *begun <= number; ++*begun)
        add_stream(taking, *begun * STEP | (id & KIND_MASK));
    return find_stream(taking->http3, id);
}

/* --- Fields --- */

static void
read_asked(struct taking *taking, const struct http2_fields *fields, struct http2_ids *ids, struct said *said)
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
read_block(struct taking *taking, unsigned side, const GByteArray *block, char room[static STATUS_ROOM],
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
take_promise(struct taking *taking, const GByteArray *block)
{
    uint64_t id;
    size_t at = 0;
    struct http2_fields fields;
    char operation[OPERATION_ROOM];
    if (!quic_varint(block->data, block->len, &at, &id) || id >= PUSHED ||
        http3_decoder_read(&taking->http3->decoder[QUIC_SERVER], (int64_t)taking->stream->id, block->data + at,
                           block->len - at, &fields, NULL) == HTTP3_BLOCKED)
        return;
    http2_operation(&fields, true, operation);
    struct event event = { .kind = EVENT_MESSAGE,
                           .message = { .kind = MESSAGE_PROMISES, .key = PUSHED | id, .operation = operation } };
    tell(taking, 0, &event);
}

static void
end_frame(struct taking *taking, struct frames *frames, char room[static STATUS_ROOM], struct said *said)
{
    GByteArray *block = frames->block;
    frames->block = NULL;
    frames->is_in_frame = false;
    if (!block)
        return;
    if (frames->type == PUSH_PROMISE)
        take_promise(taking, block);
    else if (!read_block(taking, taking->side, block, room, said) && !frames->blocked) {
        frames->blocked = block;
        return;
    }
    g_byte_array_free(block, TRUE);
}

/* --- Frames --- */

/* Reads a frame's type and length, byte by byte. Returns how many bytes are theirs. */
static size_t
read_head(struct frames *frames, const uint8_t *bytes, size_t length)
{
    for (size_t taken = 0; taken < length;) {
        size_t at = 0;
        frames->head[frames->n_head++] = bytes[taken++];
        if (!quic_varint(frames->head, frames->n_head, &at, &frames->type) ||
            !quic_varint(frames->head, frames->n_head, &at, &frames->left))
            continue;
        frames->n_head = 0;
        frames->is_in_frame = true;
        return taken;
    }
    return length;
}

static void
begin_block(struct frames *frames)
{
    if (frames->left <= BLOCK_MOST)
        frames->block = g_byte_array_sized_new((unsigned)frames->left);
}

/* Takes as much of the frame's content as there is. */
static size_t
read_content(struct frames *frames, const uint8_t *bytes, size_t length)
{
    const size_t taken = (size_t)MIN(frames->left, length);
    if (frames->block)
        g_byte_array_append(frames->block, bytes, (unsigned)taken);
    frames->left -= taken;
    return taken;
}

/* Reads the next frame's head, or begins to, and as much of its content as there is: that of the two types given is
 * kept. Returns how many bytes that were. The frame has ended if it was in one, and nothing is left of it. */
static size_t
read_frame(struct frames *frames, enum frame_type kept, enum frame_type kept_too, const uint8_t *bytes, size_t length)
{
    size_t taken = 0;
    if (!frames->is_in_frame) {
        taken = read_head(frames, bytes, length);
        if (frames->is_in_frame && (frames->type == kept || frames->type == kept_too))
            begin_block(frames);
    }
    return frames->is_in_frame ? taken + read_content(frames, bytes + taken, length - taken) : taken;
}

/* Reads a piece of a request's stream, or of a push's. */
static void
read_frames(struct taking *taking, const uint8_t *bytes, size_t length, char room[static STATUS_ROOM],
            struct said *said)
{
    struct frames *frames = &taking->stream->frames[taking->side];
    while (length > 0 && !frames->is_lost) {
        const size_t taken = read_frame(frames, HEADERS, PUSH_PROMISE, bytes, length);
        said->is_data |= frames->is_in_frame && frames->type == DATA;
        if (frames->is_in_frame && frames->left == 0)
            end_frame(taking, frames, room, said);
        bytes += taken;
        length -= taken;
    }
}

/* Passes over bytes that are missing: if the frame's content has more than these, they are a part of it; else it is not
 * known where the next frame begins. */
static void
pass_gap(struct frames *frames, uint64_t gap)
{
    if (frames->is_in_frame && frames->type == DATA && frames->left > gap)
        frames->left -= gap;
    else
        frames->is_lost = true;
}

/* --- Requests --- */

/* Tells what a piece of the client's side asks. */
static void
tell_asked(struct taking *taking, size_t length, bool ends, const struct said *said)
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
tell_answered(struct taking *taking, size_t length, bool ends, const struct said *said)
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
name_request(struct taking *taking, const char *operation)
{
    const struct http3_stream *stream = taking->stream;
    struct request *request = stream->is_asked ? (struct request *)request_referred(&stream->request) : NULL;
    if (!request)
        return;
    request_rename(taking->requests, request, operation);
    framing_note_change(taking->requests, request, taking->segment->frame);
}

static void
settle(struct taking *taking)
{
    struct http3_stream *stream = taking->stream;
    const bool is_blocked = stream->frames[QUIC_CLIENT].blocked || stream->frames[QUIC_SERVER].blocked;
    if (stream->is_asked && !stream->is_answered && stream->id >= taking->http3->refused)
        stop(taking, stream, STOP_REFUSED);
    else if (stream->has_ended[QUIC_CLIENT] && stream->has_ended[QUIC_SERVER] && !is_blocked)
        remove_stream(taking->http3, stream);
}

/* Takes a piece of a request's stream, or of a push's, which is the server's alone. */
static void
take_piece(struct taking *taking, const uint8_t *bytes, size_t length, bool ends)
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
    } else if ((stream->is_asked || stream->type == PUSH) && (!said.is_interim || stream->has_status || ends)) {
        tell_answered(taking, length, ends, &said);
    }
}

/* --- Streams in one direction --- */

static void
read_settings(struct taking *taking, const GByteArray *settings)
{
    enum { TABLE_CAPACITY = 0x01 }; /* RFC 9204 §5 */
    uint64_t id, value, table_bytes = 0;
    for (size_t at = 0; quic_varint(settings->data, settings->len, &at, &id) &&
                        quic_varint(settings->data, settings->len, &at, &value);)
        if (id == TABLE_CAPACITY)
            table_bytes = value;
    /* Who receives fields says how large their table may be. */
    http3_decoder_set(&taking->http3->decoder[!taking->side], table_bytes);
}

/* The server takes no requests from this one on, be they sent already or not: RFC 9114 §5.2. */
static void
take_goaway(struct taking *taking, const GByteArray *content)
{
    uint64_t first;
    size_t at = 0;
    if (taking->side != QUIC_SERVER || !quic_varint(content->data, content->len, &at, &first))
        return;
    taking->http3->refused = MIN(taking->http3->refused, first);
    for (struct http3_stream *each = taking->http3->oldest, *after; each; each = after) {
        after = each->after;
        if (each->is_asked && !each->is_answered && each->id >= first)
            stop(taking, each, STOP_REFUSED);
    }
}

static void read_blocked(struct taking *taking);

static void
read_control(struct taking *taking, const uint8_t *bytes, size_t length)
{
    struct frames *frames = &taking->stream->frames[taking->side];
    while (length > 0 && !frames->is_lost) {
        const size_t taken = read_frame(frames, SETTINGS, GOAWAY, bytes, length);
        if (frames->is_in_frame && frames->left == 0) {
            frames->is_in_frame = false;
            if (frames->block && frames->type == SETTINGS) {
                read_settings(taking, frames->block);
                read_blocked(taking);
            } else if (frames->block) {
                take_goaway(taking, frames->block);
            }
            drop_bytes(&frames->block);
        }
        bytes += taken;
        length -= taken;
    }
}

/* Reads the stream's type, and of a push which it is. Returns how many bytes are theirs. */
static size_t
read_type(const struct taking *taking, const uint8_t *bytes, size_t length)
{
    struct http3_stream *stream = taking->stream;
    const unsigned side = taking->side;
    struct frames *frames = &stream->frames[side];
    for (size_t taken = 0; taken < length;) {
        uint64_t type, push;
        size_t at = 0;
        frames->head[frames->n_head++] = bytes[taken++];
        if (!quic_varint(frames->head, frames->n_head, &at, &type) ||
            (type == PUSH && !quic_varint(frames->head, frames->n_head, &at, &push)))
            continue;
        frames->n_head = 0;
        stream->type = type <= DECODER ? (enum stream_type)type : DECODER;
        if (type == PUSH)
            stream->key = PUSHED | push;
        /* A side has but one to control, and one for its fields (RFC 9114 §6.2, RFC 9204 §4.2). */
        else if (taking->http3->has_stream[side][stream->type])
            stream->type = DECODER;
        taking->http3->has_stream[side][stream->type] = true;
        return taken;
    }
    return length;
}

static void
take_one_way(struct taking *taking, const uint8_t *bytes, size_t length, bool ends)
{
    struct http3_stream *stream = taking->stream;
    const size_t taken = stream->type == NOT_KNOWN ? read_type(taking, bytes, length) : 0;
    bytes += taken;
    length -= taken;
    switch (stream->type) {
    case CONTROL:
        read_control(taking, bytes, length);
        break;
    case PUSH:
        if (taking->side == QUIC_SERVER)
            take_piece(taking, bytes, length, ends);
        break;
    case ENCODER:
        if (http3_decoder_insert(&taking->http3->decoder[taking->side], bytes, length))
            read_blocked(taking);
        break;
    default:
        break;
    }
}

/* Reads what could not be before, for it refers to fields that are known now. */
static void
read_blocked(struct taking *taking)
{
    struct taking again = *taking;
    for (struct http3_stream *each = taking->http3->oldest, *after; each; each = after) {
        after = each->after;
        again.stream = each;
        for (unsigned side = QUIC_CLIENT; side <= QUIC_SERVER; side++) {
            char room[STATUS_ROOM];
            struct said said = { .status = NULL };
            if (!each->frames[side].blocked || !read_block(&again, side, each->frames[side].blocked, room, &said))
                continue;
            drop_bytes(&each->frames[side].blocked);
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
                framing_note_change(taking->requests, request, taking->segment->frame);
            }
        }
        if (each != taking->stream)
            settle(&again);
    }
}

/* --- QUIC's frames --- */

/* The capture lacks bytes of the stream. If it begins with them, it is not known when, nor in one direction what it
 * is for. */
static void
take_gap(struct taking *taking, uint64_t gap)
{
    struct http3_stream *stream = taking->stream;
    const bool is_one_way = stream->id & ONE_WAY, is_servers = taking->side == QUIC_SERVER;
    if (is_one_way && stream->type == NOT_KNOWN)
        stream->type = DECODER;
    if (is_one_way && stream->type == ENCODER) {
        http3_decoder_lose(&taking->http3->decoder[taking->side]);
        read_blocked(taking);
    }
    if ((!is_one_way || stream->type == PUSH) && !(is_servers ? stream->is_answered : stream->is_asked)) {
        tell_stop(taking, stream, STOP_LOST);
        stream->is_unknown = true;
    }
    pass_gap(&stream->frames[taking->side], gap);
}

static void
take_ordered(void *data, const uint8_t *bytes, size_t length, uint64_t gap, bool ends, const struct instant *came)
{
    struct taking *taking = data;
    struct http3_stream *stream = taking->stream;
    const struct segment *now = taking->segment;
    struct segment then = *now;
    const bool is_one_way = stream->id & ONE_WAY;
    if (came) {
        then.frame = came->frame;
        then.time_ns = came->ns;
        taking->segment = &then;
        begin_late(taking);
    }
    if (is_one_way) {
        stream->has_ended[taking->side] |= ends;
        stream->has_ended[!taking->side] = true;
    }
    if (gap > 0)
        take_gap(taking, gap);
    else if (is_one_way)
        take_one_way(taking, bytes, length, ends);
    else
        take_piece(taking, bytes, length, ends);
    if (came)
        end_late(taking);
    taking->segment = now;
}

/* Gives up holes that a stream has waited for since before that time. Returns whether there was any. */
static bool
give_up_holes_of(struct taking *taking, struct http3_stream *stream, int64_t before_ns)
{
    taking->stream = stream;
    taking->side = QUIC_CLIENT;
    bool any = quic_stream_give_up(&stream->order[QUIC_CLIENT], before_ns, take_ordered, taking);
    taking->side = QUIC_SERVER;
    any |= quic_stream_give_up(&stream->order[QUIC_SERVER], before_ns, take_ordered, taking);
    begin_late(taking);
    if (any)
        settle(taking);
    end_late(taking);
    return any;
}

/* The same of all streams. */
static void
give_up_holes(const struct taking *taking, int64_t before_ns)
{
    struct http3 *http3 = taking->http3;
    struct taking late = *taking;
    if (http3->hole_ns >= before_ns)
        return;
    for (struct http3_stream *each = http3->oldest, *after; each; each = after) {
        const bool may_end_others = each->type == CONTROL || each->type == ENCODER;
        after = each->after;
        if (give_up_holes_of(&late, each, before_ns) && may_end_others)
            after = http3->oldest;
    }
    http3->hole_ns = INT64_MAX;
    for (const struct http3_stream *each = http3->oldest; each; each = each->after)
        for (unsigned side = QUIC_CLIENT; side <= QUIC_SERVER; side++)
            if (each->order[side].held)
                http3->hole_ns = MIN(http3->hole_ns, each->order[side].held_ns);
    /* Not for each packet anew, where many have holes. */
    if (http3->hole_ns < INT64_MAX)
        http3->hole_ns = MAX(http3->hole_ns, before_ns + QUIC_HOLE_NS / 8);
}

static void
take_stream(void *data, uint64_t id, uint64_t offset, const uint8_t *bytes, size_t length, bool ends)
{
    struct taking *taking = data;
    const bool is_servers = id & OF_SERVER;
    /* HTTP/3 has no streams in both directions that a server begins; and one direction's has but one sender. */
    if ((is_servers && !(id & ONE_WAY)) || (id & ONE_WAY && is_servers != (taking->side == QUIC_SERVER)))
        return;
    taking->stream = stream_of(taking, id);
    if (!taking->stream)
        return;
    struct quic_stream *order = &taking->stream->order[taking->side];
    quic_stream_take(order, offset, bytes, length, ends, segment_instant(taking->segment), take_ordered, taking);
    if (order->held)
        taking->http3->hole_ns = MIN(taking->http3->hole_ns, order->held_ns);
    settle(taking);
}

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
take_servers_reset(struct taking *taking, uint64_t error)
{
    struct http3_stream *stream = taking->stream;
    if (stream->has_ended[QUIC_SERVER])
        return;
    if (!stream->is_answered && error == REQUEST_REJECTED) {
        stop(taking, stream, STOP_REFUSED);
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
    remove_stream(taking->http3, stream);
}

static void
take_clients_end(struct taking *taking)
{
    if (!taking->stream->has_ended[QUIC_SERVER])
        stop(taking, taking->stream, STOP_CANCELLED);
}

static void
take_reset(void *data, uint64_t id, uint64_t error)
{
    struct taking *taking = data;
    taking->stream = find_stream(taking->http3, id);
    if (!taking->stream || id & ONE_WAY)
        return;
    if (taking->side == QUIC_SERVER) {
        take_servers_reset(taking, error);
    } else if (taking->stream->has_ended[QUIC_SERVER]) {
        stop(taking, taking->stream, STOP_CLOSED);
    } else if (taking->stream->is_unwanted) {
        const struct said nothing = { .status = NULL };
        taking->stream->has_ended[QUIC_CLIENT] = true;
        tell_asked(taking, 0, true, &nothing);
    } else {
        take_clients_end(taking);
    }
}

/* That a server wants no more of what is asked is no error: RFC 9114 §4.1. */
static void
take_stop_sending(void *data, uint64_t id, uint64_t error)
{
    struct taking *taking = data;
    (void)error;
    taking->stream = find_stream(taking->http3, id);
    if (!taking->stream || id & ONE_WAY)
        return;
    if (taking->side == QUIC_CLIENT)
        take_clients_end(taking);
    else
        taking->stream->is_unwanted = true;
}

/* Ends the connection: what waits is not awaited any more if its client closes it, and else unanswered. */
static void
take_close(void *data, uint64_t error)
{
    struct taking *taking = data;
    (void)error;
    struct connection *connection = taking->connection;
    const bool by_client = taking->side == QUIC_CLIENT;
    give_up_holes(taking, INT64_MAX);
    for (struct http3_stream *each = taking->http3->oldest, *after; each; each = after) {
        after = each->after;
        struct request *request = each->is_asked ? (struct request *)request_referred(&each->request) : NULL;
        if (may_have_ended(taking->http3, each)) {
            lose_answer(taking, each);
            continue;
        }
        if (request && !by_client && request->response.p0_frame && !each->has_ended[QUIC_SERVER])
            request_end(request, ENDING_TRUNCATED);
        stop(taking, each, by_client && !each->has_ended[QUIC_SERVER] ? STOP_CANCELLED : STOP_CLOSED);
    }
    connection->fins = (connection->fins | 1U << !connection->client) & 3U;
    connection->ended_ns = MIN(connection->ended_ns, taking->segment->time_ns);
}

void
http3_take(struct http3 *http3, struct requests *requests, struct connection *connection, const struct segment *segment,
           const uint8_t *frames, size_t length)
{
    static const struct quic_frame_calls calls = {
        .stream = take_stream,
        .reset = take_reset,
        .stop_sending = take_stop_sending,
        .close = take_close,
    };
    struct taking taking = {
        .http3 = http3,
        .requests = requests,
        .connection = connection,
        .segment = segment,
        .side = connection_sender(connection, segment) == connection->client ? QUIC_CLIENT : QUIC_SERVER,
    };
    give_up_holes(&taking, segment->time_ns - QUIC_HOLE_NS);
    quic_frames_tell(frames, length, &calls, &taking);
    http3->last = *segment;
    http3->last.payload = NULL;
}

void
http3_miss(struct http3 *http3, int64_t time_ns)
{
    http3->missed_ns = MAX(http3->missed_ns, time_ns);
}

void
http3_end(struct http3 *http3, struct requests *requests)
{
    struct taking taking = { .http3 = http3,
                             .requests = requests,
                             .connection = http3->connection,
                             .segment = &http3->last,
                             .side = QUIC_SERVER };
    give_up_holes(&taking, INT64_MAX);
    begin_late(&taking);
    for (struct http3_stream *each = http3->oldest, *after; each; each = after) {
        after = each->after;
        if (may_have_ended(http3, each))
            lose_answer(&taking, each);
    }
    end_late(&taking);
}
