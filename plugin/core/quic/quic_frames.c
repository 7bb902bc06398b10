/* quic_frames.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_frames.h"

#include "quic_packet.h"

enum type {
    PADDING = 0x00,
    PING = 0x01,
    ACK = 0x02,
    ACK_ECN = 0x03,
    RESET_STREAM = 0x04,
    STOP_SENDING = 0x05,
    CRYPTO = 0x06,
    NEW_TOKEN = 0x07,
    STREAM = 0x08, /* and its three flags: */
    STREAM_LAST = 0x0f,
    MAX_DATA = 0x10,
    MAX_STREAM_DATA = 0x11,
    MAX_STREAMS_BIDIRECTIONAL = 0x12,
    MAX_STREAMS_UNIDIRECTIONAL = 0x13,
    DATA_BLOCKED = 0x14,
    STREAM_DATA_BLOCKED = 0x15,
    STREAMS_BLOCKED_BIDIRECTIONAL = 0x16,
    STREAMS_BLOCKED_UNIDIRECTIONAL = 0x17,
    NEW_CONNECTION_ID = 0x18,
    RETIRE_CONNECTION_ID = 0x19,
    PATH_CHALLENGE = 0x1a,
    PATH_RESPONSE = 0x1b,
    CONNECTION_CLOSE = 0x1c,
    CONNECTION_CLOSE_APPLICATION = 0x1d,
    HANDSHAKE_DONE = 0x1e,
    IMMEDIATE_ACK = 0x1f, /* draft-ietf-quic-ack-frequency, as the next */
    ACK_FREQUENCY = 0xaf,
    DATAGRAM = 0x30,
    DATAGRAM_WITH_LENGTH = 0x31
};

enum { STREAM_ENDS = 1, STREAM_HAS_LENGTH = 2, STREAM_HAS_OFFSET = 4 };

/* Frames being read. */
struct cursor {
    const uint8_t *bytes;
    size_t length, at;
};

static bool
varint(struct cursor *cursor, uint64_t *value)
{
    return quic_varint(cursor->bytes, cursor->length, &cursor->at, value);
}

static bool
varints(struct cursor *cursor, uint64_t n)
{
    uint64_t value;
    for (; n > 0; n--)
        if (!varint(cursor, &value))
            return false;
    return true;
}

static bool
skip(struct cursor *cursor, uint64_t bytes)
{
    if (bytes > cursor->length - cursor->at)
        return false;
    cursor->at += (size_t)bytes;
    return true;
}

static bool
skip_with_length(struct cursor *cursor)
{
    uint64_t length;
    return varint(cursor, &length) && skip(cursor, length);
}

static bool
skip_ack(struct cursor *cursor, bool has_ecn)
{
    uint64_t ranges;
    return varints(cursor, 2) && varint(cursor, &ranges) && ranges <= cursor->length &&
           varints(cursor, 1 + 2 * ranges + (has_ecn ? 3 : 0));
}

static bool
take_crypto(struct cursor *cursor, const struct quic_frame_calls *calls, void *data)
{
    uint64_t offset, length;
    if (!varint(cursor, &offset) || !varint(cursor, &length))
        return false;
    const uint8_t *bytes = cursor->bytes + cursor->at;
    if (!skip(cursor, length))
        return false;
    if (calls->crypto)
        calls->crypto(data, offset, bytes, (size_t)length);
    return true;
}

static void
take_close(struct cursor *cursor, const struct quic_frame_calls *calls, void *data)
{
    uint64_t error;
    if (calls->close && varint(cursor, &error))
        calls->close(data, error);
}

/* Returns whether Initial packets may have frames of this type. */
static bool
may_be_in_initial(uint64_t type)
{
    return type == PADDING || type == PING || type == ACK || type == ACK_ECN || type == CRYPTO ||
           type == CONNECTION_CLOSE;
}

static bool
skip_new_id(struct cursor *cursor)
{
    enum { RESET_TOKEN_BYTES = 16 };
    if (!varints(cursor, 2) || cursor->at == cursor->length)
        return false;
    const uint8_t length = cursor->bytes[cursor->at++];
    return skip(cursor, (uint64_t)length + RESET_TOKEN_BYTES);
}

static bool
take_stream(struct cursor *cursor, unsigned flags, const struct quic_frame_calls *calls, void *data)
{
    uint64_t id, offset = 0, length;
    if (!varint(cursor, &id) || (flags & STREAM_HAS_OFFSET && !varint(cursor, &offset)))
        return false;
    if (!(flags & STREAM_HAS_LENGTH))
        length = cursor->length - cursor->at;
    else if (!varint(cursor, &length))
        return false;
    const uint8_t *bytes = cursor->bytes + cursor->at;
    /* RFC 9000 §4.5: no stream is longer than an integer can say. */
    if (!skip(cursor, length) || offset + length >= UINT64_C(1) << 62)
        return false;
    calls->stream(data, id, offset, bytes, (size_t)length, flags & STREAM_ENDS);
    return true;
}

static bool
take_reset(struct cursor *cursor, const struct quic_frame_calls *calls, void *data)
{
    uint64_t id, error, size;
    if (!varint(cursor, &id) || !varint(cursor, &error) || !varint(cursor, &size))
        return false;
    calls->reset(data, id, error);
    return true;
}

static bool
take_stop_sending(struct cursor *cursor, const struct quic_frame_calls *calls, void *data)
{
    uint64_t id, error;
    if (!varint(cursor, &id) || !varint(cursor, &error))
        return false;
    calls->stop_sending(data, id, error);
    return true;
}

/* Returns false if nothing behind the frame can be read. */
static bool
take(struct cursor *cursor, uint64_t type, const struct quic_frame_calls *calls, void *data)
{
    enum { PATH_BYTES = 8 };
    if (!calls->stream && !may_be_in_initial(type))
        return false;
    if (type >= STREAM && type <= STREAM_LAST)
        return take_stream(cursor, (unsigned)(type - STREAM), calls, data);
    switch (type) {
    case PADDING:
        while (cursor->at < cursor->length && cursor->bytes[cursor->at] == PADDING)
            cursor->at++;
        return true;
    case PING:
    case HANDSHAKE_DONE:
    case IMMEDIATE_ACK:
        return true;
    case ACK:
    case ACK_ECN:
        if (calls->acknowledge)
            calls->acknowledge(data);
        return skip_ack(cursor, type == ACK_ECN);
    case RESET_STREAM:
        return take_reset(cursor, calls, data);
    case STOP_SENDING:
        return take_stop_sending(cursor, calls, data);
    case CRYPTO:
        return take_crypto(cursor, calls, data);
    case NEW_TOKEN:
    case DATAGRAM_WITH_LENGTH:
        return skip_with_length(cursor);
    case MAX_DATA:
    case MAX_STREAMS_BIDIRECTIONAL:
    case MAX_STREAMS_UNIDIRECTIONAL:
    case DATA_BLOCKED:
    case STREAMS_BLOCKED_BIDIRECTIONAL:
    case STREAMS_BLOCKED_UNIDIRECTIONAL:
    case RETIRE_CONNECTION_ID:
        return varints(cursor, 1);
    case MAX_STREAM_DATA:
    case STREAM_DATA_BLOCKED:
        return varints(cursor, 2);
    case ACK_FREQUENCY:
        return varints(cursor, 4);
    case NEW_CONNECTION_ID:
        return skip_new_id(cursor);
    case PATH_CHALLENGE:
    case PATH_RESPONSE:
        return skip(cursor, PATH_BYTES);
    case CONNECTION_CLOSE:
    case CONNECTION_CLOSE_APPLICATION:
        take_close(cursor, calls, data);
        return false;
    default: /* DATAGRAM goes up to the end; of others the length is not known */
        return false;
    }
}

void
quic_frames_tell(const uint8_t *payload, size_t length, const struct quic_frame_calls *calls, void *data)
{
    struct cursor cursor = { payload, length, 0 };
    uint64_t type;
    while (varint(&cursor, &type) && take(&cursor, type, calls, data))
        ;
}

bool
quic_frames_may_be_handshakes(const uint8_t *payload, size_t length)
{
    static const struct quic_frame_calls none = { .crypto = NULL };
    struct cursor cursor = { payload, length, 0 };
    uint64_t type;
    while (varint(&cursor, &type)) {
        if (!may_be_in_initial(type))
            return false;
        if (!take(&cursor, type, &none, NULL))
            break;
    }
    return true;
}
