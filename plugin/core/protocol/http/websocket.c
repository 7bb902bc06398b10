/* websocket.c
 * WebSocket: RFC 6455. Behind the response that accepts it (101) messages are counted, in either direction, and nothing
 * asks or answers; but where ids are wanted, a text message with one may: see websocket_pairs.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "websocket.h"

#include "websocket_pairs.h"

/* Of a frame, §5.2. RSV1 is of compression (RFC 7692 §6). */
enum { HEAD = 2, IS_LAST = 0x80, IS_COMPRESSED = 0x40, RESERVED = 0x30, OPCODE = 0x0f, IS_MASKED = 0x80 };
enum { CONTINUATION, TEXT, BINARY, CLOSE = 8, PING, PONG };
enum { LENGTH_16 = 126, LENGTH_64 = 127, CONTROL_MOST = 125 };

/* What the next unit is: of a message of several frames that is read, the head of another one. */
enum state { FIRST_HEAD, CONTENT, NEXT_HEAD };

/* A connection's. */
struct websocket {
    uint32_t messages[2];          /* of the server, of the client; CONTENT_UNKNOWN if bytes are missing */
    struct websocket_pairs *pairs; /* NULL where ids are not wanted */
};

static struct websocket *
websocket_of(struct reading *reading)
{
    return reading_own(reading, sizeof(struct websocket));
}

static void
forget(struct reading *reading)
{
    websocket_pairs_free(reading, websocket_of(reading)->pairs);
    wmem_free(reading_scope(reading), websocket_of(reading));
}

static void
begin_upgraded(struct reading *reading, uint64_t id)
{
    (void)id;
    reading_gives_up_all(reading);
    if (reading_wants_websocket_ids(reading))
        websocket_of(reading)->pairs = websocket_pairs_new(reading);
}

/* A client masks all of its frames, a server none; what controls is short, and not in units. */
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

/* Tells how many messages a side has sent: with the 101, as long as nothing has asked behind it. */
static void
tell_count(struct reading *reading, bool from_client)
{
    const struct websocket *websocket = websocket_of(reading);
    if (!websocket->pairs || !websocket_pairs_has_asked(websocket->pairs))
        reading_counts(reading, from_client, websocket->messages[from_client]);
}

static void
count_message(struct reading *reading, bool from_client)
{
    uint32_t *messages = &websocket_of(reading)->messages[from_client];
    if (*messages >= CONTENT_UNKNOWN - 1)
        return;
    ++*messages;
    tell_count(reading, from_client);
}

/* Says what comes next when the frame's content has been read, or need not be. */
static void
end_frame(struct flow *flow, bool is_last)
{
    flow->ends = is_last;
    flow->state = NEXT_HEAD;
    flow->block = HEAD;
}

/* Reads on in a text. What is read of it is kept as long as nobody knows what the message says. */
static enum verdict
take_content(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct websocket_pairs *pairs = websocket_of(reading)->pairs;
    const bool is_last = flow->marks & IS_LAST;
    flow->left -= length;
    if (!websocket_pairs_take(reading, pairs, from_client, unit, length) && flow->left > 0) {
        flow->block = (uint32_t)MIN(flow->left, UNIT_BYTES);
        return PARSER_GOES_ON;
    }
    if (flow->left == 0 && is_last)
        websocket_pairs_end(reading, pairs, from_client, false);
    flow->skip = flow->left;
    end_frame(flow, is_last);
    return PARSER_GOES_ON;
}

/* Takes the head of a frame, whose content is read; more of it if the client's key is not there yet. */
static enum verdict
take_text(struct reading *reading, bool from_client, const uint8_t *unit, size_t length, uint64_t content)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct websocket_pairs *pairs = websocket_of(reading)->pairs;
    const uint32_t head = flow->block;
    flow->block += from_client ? WEBSOCKET_KEY_BYTES : 0;
    if (length < flow->block)
        return PARSER_WANTS_MORE;
    if (from_client)
        websocket_pairs_unmask(pairs, unit + head);
    if ((unit[0] & OPCODE) == TEXT) {
        count_message(reading, from_client);
        websocket_pairs_begin(pairs, from_client);
    }
    flow->marks = unit[0] & IS_LAST;
    flow->left = content;
    flow->state = CONTENT;
    flow->block = (uint32_t)MIN(content, UNIT_BYTES);
    return content > 0 ? PARSER_GOES_ON : take_content(reading, from_client, unit, 0);
}

/* Passes a frame whose content is not read. */
static void
pass_frame(struct reading *reading, bool from_client, uint8_t first, uint64_t content)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct websocket_pairs *pairs = websocket_of(reading)->pairs;
    const unsigned opcode = first & OPCODE;
    flow->skip = content + (from_client ? WEBSOCKET_KEY_BYTES : 0);
    if (flow->state == NEXT_HEAD) {
        end_frame(flow, opcode == CONTINUATION && first & IS_LAST);
        return;
    }
    flow->ends = true;
    if (opcode != TEXT && opcode != BINARY)
        return;
    count_message(reading, from_client);
    if (pairs)
        websocket_pairs_miss(reading, pairs, from_client);
}

/* Returns whether the content of a frame is to be read: of a text, until it is known what it says. */
static bool
is_read(struct reading *reading, bool from_client, uint8_t first)
{
    const struct websocket_pairs *pairs = websocket_of(reading)->pairs;
    if (!pairs)
        return false;
    if (reading_flow(reading, from_client)->state == NEXT_HEAD)
        return (first & OPCODE) == CONTINUATION && websocket_pairs_is_open(pairs, from_client);
    return (first & (OPCODE | IS_COMPRESSED)) == TEXT && websocket_pairs_wants(pairs);
}

/* Takes a frame's head but for the client's key; flow->block is its length then. */
static enum verdict
take_head(struct flow *flow, bool from_client, const uint8_t *unit, size_t length, uint64_t *content)
{
    if (!is_frame(unit, from_client))
        return PARSER_IS_LOST;
    const unsigned opcode = unit[0] & OPCODE, code = unit[1] & ~IS_MASKED;
    if (flow->state == NEXT_HEAD && (opcode == TEXT || opcode == BINARY))
        return PARSER_IS_LOST;
    flow->block = code == LENGTH_16 ? HEAD + sizeof(uint16_t) : code == LENGTH_64 ? HEAD + sizeof(uint64_t) : HEAD;
    if (length < flow->block)
        return PARSER_WANTS_MORE;
    *content = flow->block == HEAD ? code : 0;
    for (size_t i = HEAD; i < flow->block; i++)
        *content = *content << 8 | unit[i];
    return *content >= FLOW_UNTIL_CLOSED / 2 ? PARSER_IS_LOST : PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    uint64_t content;
    if (flow->state == CONTENT)
        return take_content(reading, from_client, unit, length);
    const enum verdict verdict = take_head(flow, from_client, unit, length, &content);
    if (verdict != PARSER_GOES_ON)
        return verdict;
    if (is_read(reading, from_client, unit[0]))
        return take_text(reading, from_client, unit, length, content);
    pass_frame(reading, from_client, unit[0], content);
    return PARSER_GOES_ON;
}

/* Takes what there is of a head. Without the client's key its content cannot be read. */
static bool
take_cut_head(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    uint64_t content;
    if (length < HEAD || take_head(flow, from_client, unit, length, &content) != PARSER_GOES_ON)
        return false;
    const uint32_t head = flow->block;
    if (is_read(reading, from_client, unit[0]) &&
        take_text(reading, from_client, unit, length, content) == PARSER_GOES_ON)
        return true;
    pass_frame(reading, from_client, unit[0], content);
    flow->skip -= length - head;
    return true;
}

/* Takes what there is of a content, whose length its head has said. */
static bool
take_cut(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    static const uint8_t nothing[1];
    struct flow *flow = reading_flow(reading, from_client);
    struct websocket_pairs *pairs = websocket_of(reading)->pairs;
    if (flow->state != CONTENT)
        return take_cut_head(reading, from_client, unit, length);
    if (!websocket_pairs_take(reading, pairs, from_client, length > 0 ? unit : nothing, length))
        websocket_pairs_end(reading, pairs, from_client, true);
    flow->skip = flow->left - length;
    end_frame(flow, flow->marks & IS_LAST);
    return true;
}

/* Gives up all that waits: where bytes of the client are missing, what is answered may be what they ask. */
static void
lack_requests(struct reading *reading)
{
    if (websocket_of(reading)->pairs)
        websocket_pairs_give_up(reading, websocket_of(reading)->pairs);
}

/* Nobody looks for the next frame: how many messages there were is not known any more, and no more ids are looked for.
 */
static void
lose_place(struct reading *reading, bool from_client)
{
    struct websocket *websocket = websocket_of(reading);
    websocket->messages[from_client] = CONTENT_UNKNOWN;
    tell_count(reading, from_client);
    if (websocket->pairs)
        websocket_pairs_stop(reading, websocket->pairs);
}

static bool
begins_none(const uint8_t *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    return false;
}

const struct parser parser_websocket = { .protocol = PROTOCOL_HTTP,
                                         .block = HEAD,
                                         .least = HEAD,
                                         .has_ids = true,
                                         .recognise = begins_none,
                                         .recognise_answer = begins_none,
                                         .take = take,
                                         .take_cut = take_cut,
                                         .lose_place = lose_place,
                                         .lack_requests = lack_requests,
                                         .forget = forget,
                                         .begin_upgraded = begin_upgraded };
