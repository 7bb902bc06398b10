/* websocket.c
 * WebSocket: RFC 6455. Behind the response that accepts it (101) nothing asks and nothing answers: messages are
 * counted, in either direction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "websocket.h"

#include "../parser.h"

/* Of a frame, §5.2. RSV1 is of compression (RFC 7692 §6). */
enum { HEAD = 2, IS_LAST = 0x80, RESERVED = 0x30, OPCODE = 0x0f, IS_MASKED = 0x80, KEY_BYTES = 4 };
enum { CONTINUATION, TEXT, BINARY, CLOSE = 8, PING, PONG };
enum { LENGTH_16 = 126, LENGTH_64 = 127, CONTROL_MOST = 125 };

/* A connection's. */
struct websocket {
    uint32_t messages[2]; /* of the server, of the client; CONTENT_UNKNOWN if bytes are missing */
};

static struct websocket *
websocket_of(struct reading *reading)
{
    return reading_own(reading, sizeof(struct websocket));
}

static void
forget(struct reading *reading)
{
    wmem_free(reading_scope(reading), websocket_of(reading));
}

static void
begin_upgraded(struct reading *reading, uint64_t id)
{
    (void)id;
    reading_gives_up_all(reading);
}

/* A client masks all of its frames, a server none; what controls is short, and not in pieces. */
static bool
is_frame(const uint8_t *head, bool from_client)
{
    const unsigned opcode = head[0] & OPCODE, length = head[1] & ~IS_MASKED;
    if (head[0] & RESERVED || (head[1] & IS_MASKED) / IS_MASKED != from_client)
        return false;
    if (opcode >= CLOSE)
        return opcode <= PONG && head[0] & IS_LAST && length <= CONTROL_MOST;
    return opcode <= BINARY;
}

static void
count_message(struct reading *reading, bool from_client)
{
    uint32_t *messages = &websocket_of(reading)->messages[from_client];
    if (*messages < CONTENT_UNKNOWN - 1)
        reading_counts(reading, from_client, ++*messages);
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *piece, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (!is_frame(piece, from_client))
        return PARSER_IS_LOST;
    const unsigned opcode = piece[0] & OPCODE, code = piece[1] & ~IS_MASKED;
    flow->block = code == LENGTH_16 ? HEAD + sizeof(uint16_t) : code == LENGTH_64 ? HEAD + sizeof(uint64_t) : HEAD;
    if (length < flow->block)
        return PARSER_WANTS_MORE;
    uint64_t content = flow->block == HEAD ? code : 0;
    for (size_t i = HEAD; i < flow->block; i++)
        content = content << 8 | piece[i];
    if (content >= FLOW_UNTIL_CLOSED / 2)
        return PARSER_IS_LOST;
    if (opcode == TEXT || opcode == BINARY)
        count_message(reading, from_client);
    flow->skip = content + (from_client ? KEY_BYTES : 0);
    flow->ends = true;
    return PARSER_GOES_ON;
}

/* Nobody looks for the next frame: how many messages there were is not known any more. */
static void
lose_place(struct reading *reading, bool from_client)
{
    websocket_of(reading)->messages[from_client] = CONTENT_UNKNOWN;
    reading_counts(reading, from_client, CONTENT_UNKNOWN);
}

static bool
begins_none(const uint8_t *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    return false;
}

const struct parser parser_websocket = { .kind = FRAMING_HTTP,
                                         .block = HEAD,
                                         .least = HEAD,
                                         .has_ids = true,
                                         .recognise = begins_none,
                                         .recognise_answer = begins_none,
                                         .take = take,
                                         .lose_place = lose_place,
                                         .forget = forget,
                                         .begin_upgraded = begin_upgraded };
