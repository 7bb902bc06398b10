/* tls_handshake.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_handshake.h"

#include "tls_reading.h"

/* For tls_tell. */
struct telling {
    struct requests *requests;
    const struct piece *piece;
    uint32_t *count;
    bool has_told;
};

int64_t
tls_handshake_hello_ns(const struct tls_handshake *handshake)
{
    return handshake->answer_frame ? MAX(handshake->answer_ns - handshake->hello_ns, 0) : -1;
}

int64_t
tls_handshake_time_ns(const struct tls_handshake *handshake)
{
    return handshake->result == TLS_COMPLETE ? MAX(handshake->end_ns - handshake->hello_ns, 0) : -1;
}

const char *
tls_handshake_host(const struct connection *connection)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    return handshake && handshake->is_first ? handshake->host : "";
}

static struct tls_handshake *
handshake_of(const struct requests *requests, struct connection *connection)
{
    if (!connection->tcp->handshake) {
        connection->tcp->handshake = wmem_new(requests->scope, struct tls_handshake);
        *connection->tcp->handshake =
            (struct tls_handshake){ .host = "", .alpn = "", .chosen = "", .version = "", .alert = "" };
    }
    return connection->tcp->handshake;
}

static void
stop_reading(struct tls_handshake *handshake)
{
    if (handshake->reading)
        tls_reading_free(handshake->reading);
    handshake->reading = NULL;
}

static void
set_text(const struct requests *requests, const char **text, const char *value)
{
    if (**text)
        wmem_free(requests->scope, (void *)*text);
    *text = *value ? wmem_strdup(requests->scope, value) : "";
}

void
tls_handshake_forget(const struct requests *requests, struct connection *connection)
{
    struct tls_handshake *handshake = connection->tcp->handshake;
    if (!handshake)
        return;
    const char **const texts[] = { &handshake->host, &handshake->alpn, &handshake->chosen, &handshake->version,
                                   &handshake->alert };
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        set_text(requests, texts[i], "");
    stop_reading(handshake);
    wmem_free(requests->scope, handshake);
    connection->tcp->handshake = NULL;
}

static void
begin(struct tls_handshake *handshake, const struct segment *segment, uint32_t *count)
{
    if (handshake->number)
        return;
    handshake->number = ++*count;
    handshake->hello_frame = segment->frame;
    handshake->hello_ns = segment->time_ns;
}

static void
finish(struct tls_handshake *handshake, const struct segment *segment, enum tls_result result)
{
    handshake->result = (uint8_t)result;
    handshake->end_frame = segment->frame;
    handshake->end_ns = segment->time_ns;
}

void
tls_handshake_step(struct requests *requests, const struct piece *piece, enum tls_step step, const char *text,
                   uint32_t *count)
{
    struct connection *connection = piece->payload->connection;
    struct tls_handshake *handshake = handshake_of(requests, connection);
    const struct segment *segment = &piece->segment;
    switch (step) {
    case TLS_STEP_HELLO:
        begin(handshake, segment, count);
        break;
    case TLS_STEP_FIRST:
        handshake->is_first = true;
        break;
    case TLS_STEP_HOST:
        set_text(requests, &handshake->host, text);
        connection->host_known = true;
        break;
    case TLS_STEP_ALPN:
        set_text(requests, &handshake->alpn, text);
        break;
    case TLS_STEP_ANSWER:
        handshake->answer_frame = segment->frame;
        handshake->answer_ns = segment->time_ns;
        break;
    case TLS_STEP_RETRY:
        handshake->retried = true;
        handshake->answer_frame = 0;
        break;
    case TLS_STEP_VERSION:
        set_text(requests, &handshake->version, text);
        break;
    case TLS_STEP_CHOSEN:
        set_text(requests, &handshake->chosen, text);
        break;
    case TLS_STEP_RESUMED:
        handshake->resumed = true;
        break;
    case TLS_STEP_COMPLETE:
        finish(handshake, segment, TLS_COMPLETE);
        break;
    case TLS_STEP_FAILED:
        finish(handshake, segment, TLS_FAILED);
        set_text(requests, &handshake->alert, text);
        break;
    case TLS_STEPS:
        break;
    }
}

/* The step is taken, and told to whoever keeps what is said of the connection. */
static void
take_step(void *data, enum tls_step step, const char *text)
{
    struct telling *telling = data;
    const struct event event = { .kind = EVENT_TLS, .arrives = true, .tls = { step, text } };
    const struct connection *connection = telling->piece->payload->connection;
    telling->has_told = true;
    tls_handshake_step(telling->requests, telling->piece, step, text, telling->count);
    requests_tell(telling->requests, connection, &event, &telling->piece->segment);
    if (step == TLS_STEP_HELLO && !connection->host_known)
        take_step(data, TLS_STEP_FIRST, "");
}

/* A client's piece is the first of a handshake, or may be. */
static inline bool
begins(struct requests *requests, struct connection *connection, const struct piece *piece)
{
    if (connection->tcp->handshake)
        return connection->tcp->handshake->reading != NULL;
    if (piece->payload->sender != connection->client)
        return false;
    if (connection->session == SESSION_MESSAGES || !tls_reading_may_begin(piece)) {
        connection->host_known = true;
        return false;
    }
    handshake_of(requests, connection)->reading = tls_reading_new(requests->scope);
    return true;
}

/* Up to which of the other side's bytes the piece's sender has them. */
static int64_t
acknowledged(const struct connection *connection, const struct piece *piece)
{
    const struct sequence *sequence = &connection->tcp->sender[!piece->payload->sender].sequence;
    bool says = piece->segment.flags & SEGMENT_ACK && sequence->known;
    return says ? sequence_offset(sequence, piece->segment.ack) : INT64_MIN;
}

static SELDOM bool
take(struct requests *requests, const struct piece *piece, uint32_t *count)
{
    struct telling telling = { .requests = requests, .piece = piece, .count = count };
    struct connection *connection = piece->payload->connection;
    enum tls_progress progress =
        tls_reading_take(connection->tcp->handshake->reading, piece, piece->payload->sender == connection->client,
                         acknowledged(connection, piece), take_step, &telling);
    if (progress == TLS_IS_NONE) {
        tls_handshake_forget(requests, connection);
        connection->host_known = true;
    } else if (progress == TLS_IS_OVER) {
        stop_reading(connection->tcp->handshake);
    }
    return telling.has_told;
}

inline bool
tls_handshake_take(struct requests *requests, const struct piece *piece, uint32_t *count)
{
    return piece->fresh > 0 && begins(requests, piece->payload->connection, piece) && take(requests, piece, count);
}
