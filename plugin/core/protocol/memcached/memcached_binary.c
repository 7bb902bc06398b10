/* memcached_binary.c
 * memcached's binary protocol: docs.memcached.org/protocols/binary.
 *
 * Quiet gets are answered only when they hit: they and the command that ends them are one request, as a get of many
 * keys is. Other quiet commands are answered only when they fail: they are none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/looks.h"
#include "memcached_operation.h"

enum { HEADER = 24, BODY_MOST = 1 << 30, MAGIC_REQUEST = 0x80, MAGIC_RESPONSE = 0x81 };

enum note { ASKED, ASKED_BY_GROUP };

enum opcode { GET_QUIET = 0x09, GET_KEY_QUIET = 0x0d, STAT = 0x10, SET_QUIET = 0x11, PREPEND_QUIET = 0x1a };
enum { GAT_QUIET = 0x1e, GAT_KEY_QUIET = 0x24, QUIT = 0x07, OPCODES = 0x41 };

struct header {
    uint8_t opcode;
    uint32_t key_bytes, extras_bytes, body_bytes, opaque;
    uint16_t status;
};

/* False if it is none. */
static bool
read_header(const uint8_t *bytes, size_t length, uint8_t magic, struct header *header)
{
    if (length < HEADER || bytes[0] != magic)
        return false;
    *header = (struct header){
        .opcode = bytes[1],
        .key_bytes = pntohu16(bytes + 2),
        .extras_bytes = bytes[4],
        .status = pntohu16(bytes + 6),
        .body_bytes = pntohu32(bytes + 8),
        .opaque = pntohu32(bytes + 12),
    };
    return bytes[5] == 0 && header->opcode < OPCODES && header->body_bytes <= BODY_MOST &&
           header->key_bytes + header->extras_bytes <= header->body_bytes && header->key_bytes <= 250 &&
           header->extras_bytes <= 20;
}

/* What a request of an opcode has: bytes of extras, a key, a value. */
enum has { KEY = 1, VALUE = 2, KEY_OR_NONE = 4, EXTRAS_OR_NONE = 8, ANYTHING = 16 };

static const struct form {
    uint8_t extras;
    uint8_t has;
} forms[OPCODES] = {
    [0x00] = { 0, KEY },
    [0x01] = { 8, KEY | VALUE },
    [0x02] = { 8, KEY | VALUE },
    [0x03] = { 8, KEY | VALUE },
    [0x04] = { 0, KEY },
    [0x05] = { 20, KEY },
    [0x06] = { 20, KEY },
    [0x07] = { 0, 0 },
    [0x08] = { 4, EXTRAS_OR_NONE },
    [0x09] = { 0, KEY },
    [0x0a] = { 0, 0 },
    [0x0b] = { 0, 0 },
    [0x0c] = { 0, KEY },
    [0x0d] = { 0, KEY },
    [0x0e] = { 0, KEY | VALUE },
    [0x0f] = { 0, KEY | VALUE },
    [0x10] = { 0, KEY_OR_NONE },
    [0x11] = { 8, KEY | VALUE },
    [0x12] = { 8, KEY | VALUE },
    [0x13] = { 8, KEY | VALUE },
    [0x14] = { 0, KEY },
    [0x15] = { 20, KEY },
    [0x16] = { 20, KEY },
    [0x17] = { 0, 0 },
    [0x18] = { 4, EXTRAS_OR_NONE },
    [0x19] = { 0, KEY | VALUE },
    [0x1a] = { 0, KEY | VALUE },
    [0x1b] = { 4, 0 },
    [0x1c] = { 4, KEY },
    [0x1d] = { 4, KEY },
    [0x1e] = { 4, KEY },
    [0x1f] = { 0, ANYTHING },
    [0x20] = { 0, 0 },
    [0x21] = { 0, KEY | VALUE },
    [0x22] = { 0, KEY | VALUE },
    [0x23] = { 4, KEY },
    [0x24] = { 4, KEY },
};

static bool
has_form(const struct header *header)
{
    const struct form *form = &forms[header->opcode];
    if (header->opcode > GAT_KEY_QUIET || form->has & ANYTHING)
        return true;
    const bool has_extras =
        header->extras_bytes == form->extras || (form->has & EXTRAS_OR_NONE && header->extras_bytes == 0);
    const bool has_key = form->has & KEY_OR_NONE || (header->key_bytes > 0) == ((form->has & KEY) != 0);
    return has_extras && has_key &&
           (form->has & VALUE || header->body_bytes == header->extras_bytes + header->key_bytes);
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    struct header header;
    return read_header(bytes, length, MAGIC_REQUEST, &header) && has_form(&header);
}

static bool
may_begin(const uint8_t *bytes, size_t length)
{
    return bytes[0] == MAGIC_REQUEST && length < HEADER;
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    struct header header;
    return length < HEADER ? bytes[0] == MAGIC_RESPONSE : read_header(bytes, length, MAGIC_RESPONSE, &header);
}

/* Messages of one side, one after another up to the segment's end. */
static bool
tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    struct header header;
    size_t at = 0;
    *from_client = length > 0 && bytes[0] == MAGIC_REQUEST;
    while (at < length &&
           read_header(bytes + at, length - at, *from_client ? MAGIC_REQUEST : MAGIC_RESPONSE, &header) &&
           (!*from_client || has_form(&header)))
        at += HEADER + header.body_bytes;
    return length > 0 && at == whole;
}

static size_t
request_bytes(const uint8_t *bytes, size_t length)
{
    struct header header;
    return read_header(bytes, length, MAGIC_REQUEST, &header) ? HEADER + (size_t)header.body_bytes : 0;
}

static size_t
answer_bytes(const uint8_t *bytes, size_t length)
{
    struct header header;
    return read_header(bytes, length, MAGIC_RESPONSE, &header) ? HEADER + (size_t)header.body_bytes : 0;
}

/* A response has its request's opcode and opaque. */
static bool
is_pair(const uint8_t *request, size_t request_length, const uint8_t *answer, size_t answer_length)
{
    struct header asked, answered;
    return read_header(request, request_length, MAGIC_REQUEST, &asked) &&
           read_header(answer, answer_length, MAGIC_RESPONSE, &answered) && asked.opcode == answered.opcode &&
           asked.opaque == answered.opaque;
}

static enum agreement
agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const struct message_walk walk = { request_bytes, answer_bytes, is_pair, HEADER };
    if (answered_bytes > 0 && answered[0] != MAGIC_RESPONSE)
        return AGREEMENT_IS_NONE;
    return parser_agreement(&walk, asked, asked_bytes, answered, answered_bytes);
}

static bool
is_quiet_get(uint8_t opcode)
{
    return opcode == GET_QUIET || opcode == GET_KEY_QUIET || opcode == GAT_QUIET || opcode == GAT_KEY_QUIET;
}

static bool
is_quiet_change(uint8_t opcode)
{
    return (opcode >= SET_QUIET && opcode <= PREPEND_QUIET) || opcode == QUIT;
}

/* A response has its request's opcode and opaque. Which of many quiet gets is answered cannot be known before. */
static uint64_t
looks_of_header(const struct header *header)
{
    enum { KINDS = 15 };
    if (is_quiet_get(header->opcode))
        return looks_of(1 << KINDS, 0);
    return looks_of((uint16_t)(1 << header->opcode % KINDS), header->opaque);
}

/* The rest of what was read; the message goes on with another header, or ends. */
static void
pass_body(struct flow *flow, uint64_t bytes, bool ends)
{
    flow->skip = bytes;
    flow->block = HEADER;
    flow->ends = ends;
    flow->state = 1;
}

static enum verdict
take_command(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    char operation[OPERATION_ROOM] = "";
    struct header header;
    if (!read_header(unit, length, MAGIC_REQUEST, &header))
        return PARSER_IS_LOST;
    uint64_t rest = header.body_bytes - (length - HEADER);
    bool quiet_get = is_quiet_get(header.opcode);
    /* the key names the request */
    if (length == HEADER && !flow->is_cut && !flow->has_message && header.key_bytes > 0) {
        flow->block = HEADER + header.extras_bytes + header.key_bytes;
        return PARSER_WANTS_MORE;
    }
    if (is_quiet_change(header.opcode)) {
        pass_body(flow, rest, !flow->has_message);
        return PARSER_GOES_ON;
    }
    struct operation_writer writer = { .text = operation };
    if (memcached_binary_operation(unit, length, &writer))
        operation_finish(&writer);
    if (!flow->has_message)
        reading_asks(reading, operation, quiet_get ? ASKED_BY_GROUP | looks_of_header(&header) : ASKED);
    if (!quiet_get)
        reading_notes(reading, flow->message.note | looks_of_header(&header));
    pass_body(flow, rest, !quiet_get);
    return PARSER_GOES_ON;
}

static const char *
status_name(uint16_t status)
{
    static const struct {
        uint16_t status;
        const char *name;
    } names[] = {
        { 0x00, "" },           { 0x01, "NOT_FOUND" },     { 0x02, "EXISTS" },          { 0x03, "TOO_LARGE" },
        { 0x04, "INVALID" },    { 0x05, "NOT_STORED" },    { 0x06, "NOT_NUMERIC" },     { 0x07, "WRONG_SERVER" },
        { 0x20, "AUTH_ERROR" }, { 0x21, "AUTH_CONTINUE" }, { 0x81, "UNKNOWN_COMMAND" }, { 0x82, "OUT_OF_MEMORY" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (names[i].status == status)
            return names[i].name;
    return "ERROR";
}

static bool
is_error(uint16_t status)
{
    return status > 0x02 && status != 0x05 && status != 0x21;
}

static void
answer(struct reading *reading, const struct header *header)
{
    reading_identifies(reading, looks_of_header(header));
    if (is_quiet_get(header->opcode))
        reading_answers(reading, "", false);
    else
        reading_answers(reading, status_name(header->status), is_error(header->status));
}

/* Quiet gets that hit are answered before what ended them. */
static enum verdict
take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    struct header header;
    if (!read_header(unit, length, MAGIC_RESPONSE, &header))
        return PARSER_IS_LOST;
    bool more = is_quiet_get(header.opcode) || (header.opcode == STAT && header.key_bytes > 0 && header.status == 0);
    if (!flow->has_message && !is_quiet_change(header.opcode))
        answer(reading, &header);
    else if (!more)
        reading_sees(reading, looks_of_header(&header));
    pass_body(flow, header.body_bytes, !more);
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    return from_client ? take_command(reading, flow, unit, length) : take_answer(reading, flow, unit, length);
}

const struct parser parser_memcached_binary = { .protocol = PROTOCOL_MEMCACHED,
                                                .block = HEADER,
                                                .recognise = recognise,
                                                .recognise_answer = recognise_answer,
                                                .agrees = agrees,
                                                .may_begin = may_begin,
                                                .tells_client = tells_client,
                                                .take = take,
                                                .least = HEADER,
                                                .operation = memcached_binary_operation };
