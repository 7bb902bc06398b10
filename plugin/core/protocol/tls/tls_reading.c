/* tls_reading.c
 * The records of both sides are in one file, for what one means depends on how far the other side's have got.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_reading.h"

#include <string.h>

#include "../../request/tls_cursor.h"
#include "tls_alert.h"
#include "tls_hello.h"

/* Of TLS 1.3, which hides what its records are: a type and 16 bytes of authentication (§5.2, §B.4) with an alert, and
 * with Finished (§4.4.4). */
enum { HIDDEN = 1 + 16, FINISHED_SHA256 = 4 + 32 + HIDDEN, FINISHED_SHA384 = 4 + 48 + HIDDEN };

enum { VERSION_1_3 = 0x0304 };

/* §6: level and description */
enum { TLS_ALERT_BYTES = 2 };

/* The records of one side, and what of them is kept. */
struct tls_flow {
    struct tls_cursor cursor;
    uint8_t alert[TLS_ALERT_BYTES];
    uint8_t n_alert;
    bool is_lost;     /* nothing more can be read of them */
    bool wants_hello; /* that has not been read to its end */
    bool has_begun;   /* the hello */
    bool has_changed; /* it encrypts, up to TLS 1.2 */
    bool has_finished;
    uint8_t *hello; /* as much of it as is there; NULL for nothing */
    uint32_t n_hello;
};

struct tls_reading {
    wmem_allocator_t *scope;
    struct tls_flow flow[2]; /* of the server, of the client */
    uint16_t version;        /* if it is_answered */
    bool is_answered;
    bool knows_host;
    bool is_over;
    bool is_none;
    bool has_early_data;
    int64_t answered_at; /* offset of the server's hello */
    int64_t hidden_end;  /* of the client's first hidden record, if that is not its last of the handshake; else 0 */
    tls_tell tell;
    void *data;
};

/* What is being read. */
struct taking {
    const struct piece *piece;
    struct tls_part part;
    bool from_client;
    int64_t acknowledges;
};

struct tls_reading *
tls_reading_new(wmem_allocator_t *scope)
{
    struct tls_reading *reading = wmem_new0(scope, struct tls_reading);
    reading->scope = scope;
    reading->flow[false].wants_hello = reading->flow[true].wants_hello = true;
    return reading;
}

static void
drop_hello(struct tls_reading *reading, struct tls_flow *flow)
{
    wmem_free(reading->scope, flow->hello);
    flow->hello = NULL;
    flow->n_hello = 0;
}

void
tls_reading_free(struct tls_reading *reading)
{
    drop_hello(reading, &reading->flow[false]);
    drop_hello(reading, &reading->flow[true]);
    wmem_free(reading->scope, reading);
}

bool
tls_reading_may_begin(const struct piece *piece)
{
    const uint8_t *bytes = piece->segment.payload;
    const uint32_t n = piece->segment.captured_bytes;
    if (tls_may_be_sslv2(bytes, n))
        return true;
    return n > 0 && bytes[0] == TLS_HANDSHAKE_RECORD && (n < 2 || bytes[1] == 3) && (n < 3 || bytes[2] <= 4) &&
           (n <= TLS_HEADER_BYTES || bytes[TLS_HEADER_BYTES] == TLS_CLIENT_HELLO);
}

static void
tell(struct tls_reading *reading, enum tls_step step, const char *text)
{
    reading->tell(reading->data, step, text);
}

static void
tell_host(struct tls_reading *reading, const char *host)
{
    if (reading->knows_host || !reading->flow[true].has_begun)
        return;
    reading->knows_host = true;
    tell(reading, TLS_STEP_HOST, host);
}

static void
end(struct tls_reading *reading)
{
    tell_host(reading, "");
    reading->is_over = true;
}

static void
end_with(struct tls_reading *reading, enum tls_step step, const char *text)
{
    tell_host(reading, "");
    tell(reading, step, text);
    reading->is_over = true;
}

static uint32_t
message_bytes(const struct tls_flow *flow)
{
    return TLS_MESSAGE_HEADER_BYTES +
           ((uint32_t)flow->hello[1] << 16 | (uint32_t)flow->hello[2] << 8 | (uint32_t)flow->hello[3]);
}

static void
read_client_hello(struct tls_reading *reading, const struct tls_hello *hello)
{
    tell_host(reading, hello->host);
    if (*hello->alpn)
        tell(reading, TLS_STEP_ALPN, hello->alpn);
    reading->has_early_data = hello->has_early_data;
    reading->flow[true].wants_hello = false;
}

/* `is_cut`: the capture does not have the end, which says that it is TLS 1.3. */
static void
read_server_hello(struct tls_reading *reading, const struct tls_hello *hello, bool is_cut)
{
    if (hello->is_retry) {
        tell(reading, TLS_STEP_RETRY, "");
        reading->flow[false].has_begun = false;
        return;
    }
    if (is_cut && hello->version != VERSION_1_3) {
        end(reading);
        return;
    }
    reading->flow[false].wants_hello = false;
    reading->is_answered = true;
    reading->version = hello->version;
    if (*tls_version_name(hello->version))
        tell(reading, TLS_STEP_VERSION, tls_version_name(hello->version));
    if (*hello->alpn)
        tell(reading, TLS_STEP_CHOSEN, hello->alpn);
    if (hello->resumes && hello->version == VERSION_1_3)
        tell(reading, TLS_STEP_RESUMED, "");
}

/* All of it that the capture has is there. */
static void
read_hello(struct tls_reading *reading, const struct taking *taking)
{
    struct tls_flow *flow = &reading->flow[taking->from_client];
    struct tls_hello hello;
    bool is_cut = flow->n_hello < message_bytes(flow);
    uint32_t bytes = MIN(flow->n_hello, message_bytes(flow)) - TLS_MESSAGE_HEADER_BYTES;
    tls_hello_read(flow->hello + TLS_MESSAGE_HEADER_BYTES, bytes, taking->from_client, &hello);
    drop_hello(reading, flow);
    if (taking->from_client)
        read_client_hello(reading, &hello);
    else
        read_server_hello(reading, &hello, is_cut);
}

/* As much of the message is there as says what it is. */
static void
begin_hello(struct tls_reading *reading, const struct taking *taking)
{
    struct tls_flow *flow = &reading->flow[taking->from_client];
    bool is_hello = flow->hello[0] == (taking->from_client ? TLS_CLIENT_HELLO : TLS_SERVER_HELLO);
    if (taking->from_client && (!is_hello || message_bytes(flow) < flow->cursor.bytes)) {
        reading->is_none = true;
        return;
    }
    if (!is_hello) {
        end(reading);
        return;
    }
    flow->has_begun = true;
    if (!taking->from_client)
        reading->answered_at = taking->piece->start + taking->part.at;
    tell(reading, taking->from_client ? TLS_STEP_HELLO : TLS_STEP_ANSWER, "");
}

/* Reads as much of a client's hello in SSLv2's format as says that it is one: it has no extensions. */
static void
read_sslv2_hello(struct tls_reading *reading)
{
    struct tls_flow *flow = &reading->flow[true];
    uint8_t bytes[TLS_SSLV2_BYTES];
    memcpy(bytes, flow->cursor.header, TLS_HEADER_BYTES);
    memcpy(bytes + TLS_HEADER_BYTES, flow->hello, TLS_SSLV2_BYTES - TLS_HEADER_BYTES);
    drop_hello(reading, flow);
    reading->is_none = !tls_may_be_sslv2(bytes, sizeof bytes);
    if (reading->is_none)
        return;
    flow->has_begun = true;
    flow->wants_hello = false;
    tell(reading, TLS_STEP_HELLO, "");
    tell_host(reading, "");
}

/* Takes a part of a handshake record in clear. */
static void
collect_hello(struct tls_reading *reading, const struct taking *taking)
{
    struct tls_flow *flow = &reading->flow[taking->from_client];
    uint32_t n = MIN(taking->part.captured, TLS_HELLO_BYTES - flow->n_hello);
    if (n > 0) {
        flow->hello = wmem_realloc(reading->scope, flow->hello, flow->n_hello + n);
        memcpy(flow->hello + flow->n_hello, taking->piece->segment.payload + taking->part.at, n);
        flow->n_hello += n;
    }
    if (taking->from_client && flow->cursor.is_sslv2) {
        flow->is_lost = n < taking->part.bytes && flow->n_hello < TLS_SSLV2_BYTES - TLS_HEADER_BYTES;
        if (flow->n_hello >= TLS_SSLV2_BYTES - TLS_HEADER_BYTES)
            read_sslv2_hello(reading);
        return;
    }
    const uint32_t least = taking->from_client ? TLS_MESSAGE_HEADER_BYTES : TLS_SERVER_HELLO_LEAST;
    bool has_header = flow->n_hello >= least, is_cut = n < taking->part.bytes;
    if (has_header && !flow->has_begun)
        begin_hello(reading, taking);
    if (reading->is_none || reading->is_over)
        return;
    if (has_header && (is_cut || flow->n_hello >= message_bytes(flow)))
        read_hello(reading, taking);
    else if (is_cut)
        flow->is_lost = true;
}

static void
take_alert(struct tls_reading *reading, const struct tls_flow *flow)
{
    if (flow->cursor.bytes != TLS_ALERT_BYTES || flow->n_alert < TLS_ALERT_BYTES)
        end_with(reading, TLS_STEP_FAILED, "encrypted");
    else if (tls_alert_ends(flow->alert[0], flow->alert[1]))
        end_with(reading, TLS_STEP_FAILED, tls_alert_name(flow->alert[1]));
}

/* Up to TLS 1.2, the client's data before the server's Finished: it did not wait (False Start, RFC 7918), or the
 * capture does not have that. */
static void
take_first_data(struct tls_reading *reading, const struct taking *taking)
{
    if (taking->acknowledges > reading->flow[false].cursor.next)
        end(reading);
    else
        end_with(reading, TLS_STEP_COMPLETE, "");
}

/* A record that says it is application data: of TLS 1.3 it may be anything. */
static void
take_hidden(struct tls_reading *reading, const struct tls_flow *flow, const struct taking *taking)
{
    const struct tls_flow *client = &reading->flow[true];
    bool is_alert = flow->cursor.bytes == TLS_ALERT_BYTES + HIDDEN;
    if (!reading->is_answered)
        return;
    if (client->has_changed) {
        if (client->has_finished && taking->from_client)
            take_first_data(reading, taking);
        return;
    }
    if (reading->version != VERSION_1_3)
        return;
    /* Early data say nothing of the handshake. */
    if (taking->from_client && taking->acknowledges <= reading->answered_at)
        return;
    if (is_alert)
        end_with(reading, TLS_STEP_FAILED, "encrypted");
    else if (taking->from_client && (flow->cursor.bytes == FINISHED_SHA256 || flow->cursor.bytes == FINISHED_SHA384))
        end_with(reading, TLS_STEP_COMPLETE, "");
    else if (taking->from_client && reading->hidden_end == 0)
        reading->hidden_end = flow->cursor.next;
}

static void
take_finished(struct tls_reading *reading, struct tls_flow *flow)
{
    flow->has_finished |= flow->has_changed;
    if (reading->flow[false].has_finished && reading->flow[true].has_finished)
        end_with(reading, TLS_STEP_COMPLETE, "");
}

static void
end_record(struct tls_reading *reading, struct tls_flow *flow, const struct taking *taking)
{
    switch (flow->cursor.type) {
    case TLS_CHANGE_CIPHER_SPEC:
        if (!reading->is_answered || reading->version == VERSION_1_3)
            return;
        /* RFC 5246 §7.3: who resumes lets the server end first. */
        if (!taking->from_client && !reading->flow[true].has_changed)
            tell(reading, TLS_STEP_RESUMED, "");
        flow->has_changed = true;
        break;
    case TLS_ALERT_RECORD:
        take_alert(reading, flow);
        break;
    case TLS_HANDSHAKE_RECORD:
        take_finished(reading, flow);
        break;
    case TLS_APPLICATION_DATA:
        take_hidden(reading, flow, taking);
        break;
    default:
        break;
    }
}

static bool
is_kept(const struct tls_flow *flow)
{
    return flow->cursor.type == TLS_ALERT_RECORD || (flow->cursor.type == TLS_HANDSHAKE_RECORD && flow->wants_hello);
}

static void
take_part(struct tls_reading *reading, struct tls_flow *flow, const struct taking *taking)
{
    const struct tls_part *part = &taking->part;
    /* Missing bytes are all of this record, and none that is to be kept; only a client says hello as in SSLv2. */
    flow->is_lost = (part->missing > 0 && (is_kept(flow) || flow->cursor.next < taking->piece->start)) ||
                    (flow->cursor.is_sslv2 && !taking->from_client);
    if (flow->is_lost)
        return;
    if (part->begins)
        flow->n_alert = 0;
    if (flow->cursor.type == TLS_HANDSHAKE_RECORD && flow->wants_hello && part->bytes > 0)
        collect_hello(reading, taking);
    for (uint32_t i = 0; flow->cursor.type == TLS_ALERT_RECORD && i < part->captured && flow->n_alert < TLS_ALERT_BYTES;
         i++)
        flow->alert[flow->n_alert++] = taking->piece->segment.payload[part->at + i];
    if (part->ends && !flow->is_lost && !reading->is_over && !reading->is_none)
        end_record(reading, flow, taking);
}

/* Without the server's records, what ends a handshake of TLS 1.3 is still seen. */
static bool
is_lost(const struct tls_reading *reading)
{
    bool server_matters = !reading->is_answered || reading->version != VERSION_1_3;
    return reading->flow[true].is_lost || (reading->flow[false].is_lost && server_matters);
}

static void
take_records(struct tls_reading *reading, struct tls_flow *flow, struct taking *taking)
{
    const struct piece *piece = taking->piece;
    while (!flow->is_lost && !reading->is_over && !reading->is_none &&
           tls_cursor_next(&flow->cursor, &piece->segment, piece->start, &taking->part))
        take_part(reading, flow, taking);
    flow->is_lost |= flow->cursor.is_lost;
}

enum tls_progress
tls_reading_take(struct tls_reading *reading, const struct piece *piece, bool from_client, int64_t acknowledges,
                 tls_tell tell_step, void *data)
{
    struct taking taking = { .piece = piece, .from_client = from_client, .acknowledges = acknowledges };
    reading->tell = tell_step;
    reading->data = data;
    /* The client's handshake has ended in a record that also has more. */
    if (!from_client && reading->hidden_end && !reading->has_early_data && acknowledges >= reading->hidden_end)
        end(reading);
    else if (from_client || reading->flow[true].has_begun)
        take_records(reading, &reading->flow[from_client], &taking);
    if (reading->is_none)
        return TLS_IS_NONE;
    if (!reading->is_over && is_lost(reading)) {
        if (!reading->flow[true].has_begun)
            return TLS_IS_NONE;
        end(reading);
    }
    return reading->is_over ? TLS_IS_OVER : TLS_GOES_ON;
}
