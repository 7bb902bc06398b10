/* http3.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http3.h"

#include "../protocol/tls/tls_handshake.h"
#include "http3_requests.h"
#include "quic_frames.h"
#include "quic_packet.h"

/* Two of the bits of a stream's id: RFC 9000 §2.1. */
enum { OF_SERVER = 1, ONE_WAY = 2 };

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

void
http3_free(struct http3 *http3)
{
    while (http3->oldest)
        http3_stream_remove(http3, http3->oldest);
    hashed_clear(&http3->by_id);
    http3_decoder_free(&http3->decoder[QUIC_CLIENT]);
    http3_decoder_free(&http3->decoder[QUIC_SERVER]);
    g_free(http3);
}

/* Gives up the oldest stream, but for those that control a connection and tell its fields, two of each side. */
static void
give_up_oldest(struct http3_taking *taking)
{
    struct http3_stream *oldest = taking->http3->oldest;
    while (oldest && (oldest->type == HTTP3_CONTROL || oldest->type == HTTP3_ENCODER))
        oldest = oldest->after;
    if (oldest)
        http3_stop(taking, oldest, STOP_LOST);
}

/* Returns the stream with this id; NULL if it is over. With a stream those of its kind with lower numbers have begun,
 * too, whose packets may come later (RFC 9000 §3.2). */
static struct http3_stream *
stream_of(struct http3_taking *taking, uint64_t id)
{
    enum { KIND_MASK = 3, STEP = 4, REORDERED_MOST = 64 };
    uint64_t *begun = &taking->http3->begun[id & KIND_MASK];
    uint64_t number = id / STEP;
    if (number > *begun + REORDERED_MOST)
        *begun = number - REORDERED_MOST;
    for (; *begun <= number; ++*begun) {
        if (taking->http3->by_id.count >= HTTP3_STREAMS_MOST)
            give_up_oldest(taking);
        http3_stream_add(taking->http3, *begun * STEP | (id & KIND_MASK));
    }
    return http3_stream_find(taking->http3, id);
}

/* --- Streams in one direction --- */

static void
read_settings(struct http3_taking *taking, const GByteArray *settings)
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
take_goaway(struct http3_taking *taking, const GByteArray *content)
{
    uint64_t first;
    size_t at = 0;
    if (taking->side != QUIC_SERVER || !quic_varint(content->data, content->len, &at, &first))
        return;
    taking->http3->refused = MIN(taking->http3->refused, first);
    for (struct http3_stream *each = taking->http3->oldest, *after; each; each = after) {
        after = each->after;
        if (each->is_asked && !each->is_answered && each->id >= first)
            http3_stop(taking, each, STOP_REFUSED);
    }
}

static void
read_control(struct http3_taking *taking, const uint8_t *bytes, size_t length)
{
    struct http3_frames *frames = &taking->stream->frames[taking->side];
    while (length > 0 && !frames->is_lost) {
        const size_t taken = http3_frames_read(frames, HTTP3_SETTINGS, HTTP3_GOAWAY, bytes, length);
        if (frames->is_in_frame && frames->left == 0) {
            GByteArray *content = http3_frames_leave(frames);
            if (content && frames->type == HTTP3_SETTINGS) {
                read_settings(taking, content);
                http3_read_blocked(taking);
            } else if (content) {
                take_goaway(taking, content);
            }
            if (content)
                g_byte_array_unref(content);
        }
        bytes += taken;
        length -= taken;
    }
}

/* Reads the stream's type, and of a push which it is. Returns how many bytes are theirs. */
static size_t
read_type(const struct http3_taking *taking, const uint8_t *bytes, size_t length)
{
    struct http3_stream *stream = taking->stream;
    const unsigned side = taking->side;
    struct http3_frames *frames = &stream->frames[side];
    for (size_t taken = 0; taken < length;) {
        uint64_t type, push;
        size_t at = 0;
        frames->head[frames->n_head++] = bytes[taken++];
        if (!quic_varint(frames->head, frames->n_head, &at, &type) ||
            (type == HTTP3_PUSH && !quic_varint(frames->head, frames->n_head, &at, &push)))
            continue;
        frames->n_head = 0;
        stream->type = type <= HTTP3_DECODER ? (enum http3_stream_type)type : HTTP3_DECODER;
        if (type == HTTP3_PUSH)
            stream->key = HTTP3_PUSHED | push;
        /* A side has but one to control, and one for its fields (RFC 9114 §6.2, RFC 9204 §4.2). */
        else if (taking->http3->has_stream[side][stream->type])
            stream->type = HTTP3_DECODER;
        taking->http3->has_stream[side][stream->type] = true;
        return taken;
    }
    return length;
}

static void
take_one_way(struct http3_taking *taking, const uint8_t *bytes, size_t length, bool ends)
{
    struct http3_stream *stream = taking->stream;
    const size_t taken = stream->type == HTTP3_NOT_KNOWN ? read_type(taking, bytes, length) : 0;
    bytes += taken;
    length -= taken;
    switch (stream->type) {
    case HTTP3_CONTROL:
        read_control(taking, bytes, length);
        break;
    case HTTP3_PUSH:
        if (taking->side == QUIC_SERVER)
            http3_take_piece(taking, bytes, length, ends);
        break;
    case HTTP3_ENCODER:
        if (http3_decoder_insert(&taking->http3->decoder[taking->side], bytes, length))
            http3_read_blocked(taking);
        break;
    default:
        break;
    }
}

/* --- QUIC's frames --- */

/* The capture lacks bytes of the stream. If it begins with them, it is not known when, nor in one direction what it
 * is for. */
static void
take_gap(struct http3_taking *taking, uint64_t gap)
{
    struct http3_stream *stream = taking->stream;
    const bool is_one_way = stream->id & ONE_WAY, is_servers = taking->side == QUIC_SERVER;
    if (is_one_way && stream->type == HTTP3_NOT_KNOWN)
        stream->type = HTTP3_DECODER;
    if (is_one_way && stream->type == HTTP3_ENCODER) {
        http3_decoder_lose(&taking->http3->decoder[taking->side]);
        http3_read_blocked(taking);
    }
    if ((!is_one_way || stream->type == HTTP3_PUSH) && !(is_servers ? stream->is_answered : stream->is_asked)) {
        http3_tell_stop(taking, stream, STOP_LOST);
        stream->is_unknown = true;
    }
    http3_frames_pass(&stream->frames[taking->side], gap);
}

static void
take_ordered(void *data, const uint8_t *bytes, size_t length, uint64_t gap, bool ends, const struct instant *came)
{
    struct http3_taking *taking = data;
    struct http3_stream *stream = taking->stream;
    const struct segment *now = taking->segment;
    struct segment then = *now;
    const bool is_one_way = stream->id & ONE_WAY;
    if (came) {
        then.frame = came->frame;
        then.time_ns = came->ns;
        taking->segment = &then;
        http3_begin_late(taking);
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
        http3_take_piece(taking, bytes, length, ends);
    if (came)
        http3_end_late(taking);
    taking->segment = now;
}

/* Gives up holes that a stream has waited for since before that time. Returns whether there was any. */
static bool
give_up_holes_of(struct http3_taking *taking, struct http3_stream *stream, int64_t before_ns)
{
    taking->stream = stream;
    taking->side = QUIC_CLIENT;
    bool any = quic_stream_give_up(&stream->order[QUIC_CLIENT], before_ns, take_ordered, taking);
    taking->side = QUIC_SERVER;
    any |= quic_stream_give_up(&stream->order[QUIC_SERVER], before_ns, take_ordered, taking);
    http3_begin_late(taking);
    if (any)
        http3_settle(taking);
    http3_end_late(taking);
    return any;
}

/* The same of all streams. */
static void
give_up_holes(const struct http3_taking *taking, int64_t before_ns)
{
    struct http3 *http3 = taking->http3;
    struct http3_taking late = *taking;
    if (http3->hole_ns >= before_ns)
        return;
    for (struct http3_stream *each = http3->oldest, *after; each; each = after) {
        const bool may_end_others = each->type == HTTP3_CONTROL || each->type == HTTP3_ENCODER;
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
    struct http3_taking *taking = data;
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
    http3_settle(taking);
}

static void
take_reset(void *data, uint64_t id, uint64_t error)
{
    struct http3_taking *taking = data;
    taking->stream = http3_stream_find(taking->http3, id);
    if (taking->stream && !(id & ONE_WAY))
        http3_take_reset(taking, error);
}

static void
take_stop_sending(void *data, uint64_t id, uint64_t error)
{
    struct http3_taking *taking = data;
    (void)error;
    taking->stream = http3_stream_find(taking->http3, id);
    if (taking->stream && !(id & ONE_WAY))
        http3_take_stop_sending(taking);
}

/* Ends the connection: what waits is not awaited any more if its client closes it, and else unanswered. */
static void
take_close(void *data, uint64_t error)
{
    struct http3_taking *taking = data;
    (void)error;
    struct connection *connection = taking->connection;
    const bool by_client = taking->side == QUIC_CLIENT;
    give_up_holes(taking, INT64_MAX);
    for (struct http3_stream *each = taking->http3->oldest, *after; each; each = after) {
        after = each->after;
        struct request *request = each->is_asked ? (struct request *)request_referred(&each->request) : NULL;
        if (http3_may_have_ended(taking->http3, each)) {
            http3_lose_answer(taking, each);
            continue;
        }
        if (request && !by_client && request->response.first_frame && !each->has_ended[QUIC_SERVER])
            request_end(request, ENDING_TRUNCATED);
        http3_stop(taking, each, by_client && !each->has_ended[QUIC_SERVER] ? STOP_CANCELLED : STOP_CLOSED);
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
    struct http3_taking taking = {
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
    struct http3_taking taking = { .http3 = http3,
                                   .requests = requests,
                                   .connection = http3->connection,
                                   .segment = &http3->last,
                                   .side = QUIC_SERVER };
    give_up_holes(&taking, INT64_MAX);
    http3_begin_late(&taking);
    for (struct http3_stream *each = http3->oldest, *after; each; each = after) {
        after = each->after;
        if (http3_may_have_ended(http3, each))
            http3_lose_answer(&taking, each);
    }
    http3_end_late(&taking);
}
