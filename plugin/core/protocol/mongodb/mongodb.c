/* mongodb.c
 * MongoDB's wire protocol: www.mongodb.com/docs/manual/reference/mongodb-wire-protocol,
 * github.com/mongodb/specifications (message/OP_MSG.md, compression/OP_COMPRESSED.md).
 *
 * Each message has a number; an answer has that of what it answers, in whatever order. Of a stream (exhaust) the first
 * message answers; the others answer each other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "mongodb_document.h"

enum { HEADER = 16, LONGEST = 48000000 + 16384 };
enum { NUMBER_AT = 4, ANSWERS_AT = 8, CODE_AT = 12 };
enum code {
    OP_REPLY = 1,
    OP_UPDATE = 2001,
    OP_INSERT = 2002,
    OP_QUERY = 2004,
    OP_GET_MORE = 2005,
    OP_DELETE = 2006,
    OP_KILL_CURSORS = 2007,
    OP_COMPRESSED = 2012,
    OP_MSG = 2013
};

/* Flags of OP_MSG. */
enum { HAS_CHECKSUM = 1, MORE_TO_COME = 2, EXHAUST_ALLOWED = 1 << 16 };

static bool
is_clients(uint32_t code)
{
    return (code >= OP_UPDATE && code <= OP_KILL_CURSORS && code != 2003) || code == OP_COMPRESSED || code == OP_MSG;
}

/* What stands behind the header, as far as it is there. */
static bool
has_body(const uint8_t *body, size_t length, uint32_t code, bool from_client)
{
    if (length < 5)
        return true;
    const uint32_t first = pletohu32(body);
    switch (code) {
    case OP_MSG:
        return (first & ~(uint32_t)(HAS_CHECKSUM | MORE_TO_COME | EXHAUST_ALLOWED)) == 0 && body[4] <= 2;
    case OP_COMPRESSED:
        return from_client ? is_clients(first) : first == OP_MSG || first == OP_REPLY;
    case OP_QUERY:
    case OP_REPLY:
        return first < 256;
    default:
        return true;
    }
}

static bool
is_message(const uint8_t *bytes, size_t length, bool from_client)
{
    if (length < HEADER)
        return false;
    const uint32_t size = pletohu32(bytes), answers = pletohu32(bytes + ANSWERS_AT), code = pletohu32(bytes + CODE_AT);
    if (size < HEADER + 5 || size > LONGEST)
        return false;
    if (from_client ? answers != 0 || !is_clients(code)
                    : answers == 0 || (code != OP_REPLY && code != OP_MSG && code != OP_COMPRESSED))
        return false;
    return has_body(bytes + HEADER, MIN(length, size) - HEADER, code, from_client);
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    return is_message(bytes, length, true);
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return is_message(bytes, length, false);
}

/* What answers has the number of what it answers. The code of OP_REPLY is a number that others have, too: the size must
 * agree. */
static bool
tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    *from_client = is_message(bytes, length, true);
    return length > HEADER + 4 && (*from_client || is_message(bytes, length, false)) &&
           (pletohu32(bytes + CODE_AT) != OP_REPLY || pletohu32(bytes) == whole);
}

/* Whether the body has more than a header's form: a document that fills a command, the name of a collection, what was
 * compressed. */
static bool
is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    enum { FLAGS_BYTES = 4, DOCUMENT_AT = HEADER + FLAGS_BYTES + 1, NAME_MOST = 128, COMPRESSORS = 3 };
    const uint32_t size = length >= HEADER ? pletohu32(bytes) : 0, code = size ? pletohu32(bytes + CODE_AT) : 0;
    const size_t name_at = HEADER + FLAGS_BYTES;
    (void)whole;
    if (length < DOCUMENT_AT + 6)
        return false;
    if (code == OP_MSG)
        return bytes[DOCUMENT_AT - 1] == 0 && pletohu32(bytes + DOCUMENT_AT) <= size - DOCUMENT_AT &&
               bytes[DOCUMENT_AT + 4] > 0 && bytes[DOCUMENT_AT + 4] <= 0x13 && g_ascii_isalpha(bytes[DOCUMENT_AT + 5]);
    if (code == OP_COMPRESSED)
        return bytes[HEADER + 8] <= COMPRESSORS;
    size_t name = 0;
    while (name_at + name < length && name < NAME_MOST && g_ascii_isgraph(bytes[name_at + name]))
        name++;
    return code != OP_KILL_CURSORS && memchr(bytes + name_at, '.', name) && name_at + name < length &&
           bytes[name_at + name] == '\0';
}

static size_t
request_bytes(const uint8_t *bytes, size_t length)
{
    return is_message(bytes, length, true) ? pletohu32(bytes) : 0;
}

static size_t
answer_bytes(const uint8_t *bytes, size_t length)
{
    return is_message(bytes, length, false) ? pletohu32(bytes) : 0;
}

static bool
is_pair(const uint8_t *request, size_t request_length, const uint8_t *answer, size_t answer_length)
{
    (void)request_length;
    (void)answer_length;
    return pletohu32(request + NUMBER_AT) == pletohu32(answer + ANSWERS_AT);
}

static enum agreement
agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const struct message_walk walk = { request_bytes, answer_bytes, is_pair, HEADER };
    return parser_agreement(&walk, asked, asked_bytes, answered, answered_bytes);
}

/* Some send the header alone, some a part of it. */
static bool
may_begin(const uint8_t *bytes, size_t length)
{
    static const uint8_t nothing[4];
    if (length < 4 || length >= HEADER || pletohu32(bytes) < HEADER + 5 || pletohu32(bytes) > LONGEST)
        return false;
    return length <= ANSWERS_AT || memcmp(bytes + ANSWERS_AT, nothing, MIN(length - ANSWERS_AT, sizeof nothing)) == 0;
}

/* Requests, one after another, up to the end or beyond it. */
static size_t
find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 16, LEAST = HEADER + 5 };
    unsigned tried = 0;
    for (size_t at = 1; at + LEAST <= length && tried < TRIED_MOST; at++) {
        size_t next = at;
        while (next < length && is_message(bytes + next, length - next, true))
            next += pletohu32(bytes + next);
        if (next > at && (next >= length || length - next < HEADER))
            return at;
        tried += next > at;
    }
    return 0;
}

/* A name of a database and a collection, which ends with a NUL; `$cmd` for a command. */
static void
read_query(const char *command, const uint8_t *at, const uint8_t *end, char *operation)
{
    enum { BEHIND_NAME = 1 + 4 + 4 };
    static const char commands[] = ".$cmd";
    char name[OPERATION_ROOM], said[OPERATION_ROOM];
    const uint8_t *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
    const size_t bytes = nul ? MIN((size_t)(nul - at), sizeof name - 1) : 0;
    memcpy(name, at, bytes);
    name[bytes] = '\0';
    if (!nul || !g_str_has_suffix(name, commands) || strcmp(command, "query") != 0) {
        operation_of(command, name, operation);
        return;
    }
    name[bytes - strlen(commands)] = '\0';
    mongodb_command(end - nul > BEHIND_NAME ? nul + BEHIND_NAME : end, end, said);
    /* the collection is the command's value */
    char *space = strchr(said, ' ');
    if (space) {
        *space = '.';
        memmove(name + strlen(name), space, MIN(strlen(space) + 1, sizeof name - strlen(name)));
        name[sizeof name - 1] = '\0';
        *space = '\0';
    }
    operation_of(said, name, operation);
}

/* Sections, of which one has the command: it stands first, or behind documents. Returns what mongodb_command() does. */
static bool
read_sections(const uint8_t *at, const uint8_t *end, char *operation)
{
    while (end - at > 5 && *at == 1) {
        const uint32_t bytes = pletohu32(at + 1);
        if (bytes < 4 || bytes >= (size_t)(end - at))
            return false;
        at += 1 + bytes;
    }
    return end - at > 1 && *at == 0 && mongodb_command(at + 1, end, operation);
}

static void
take_request(struct reading *reading, const uint8_t *unit, size_t length)
{
    char operation[OPERATION_ROOM] = "";
    const uint8_t *body = unit + HEADER, *end = unit + length;
    uint32_t code = pletohu32(unit + CODE_AT);
    const uint32_t first = end - body >= 4 ? pletohu32(body) : 0;
    const uint8_t *rest = end - body >= 4 ? body + 4 : end;
    bool waits = false;
    if (code == OP_MSG && first & MORE_TO_COME)
        return;
    if (code == OP_COMPRESSED)
        code = first == OP_QUERY || first == OP_GET_MORE || first == OP_MSG ? OP_COMPRESSED : first;
    if (code == OP_MSG)
        waits = read_sections(rest, end, operation);
    else if (code == OP_QUERY)
        read_query("query", rest, end, operation);
    else if (code == OP_GET_MORE)
        read_query("getMore", rest, end, operation);
    else if (code != OP_COMPRESSED)
        return;
    reading_asks_as(reading, pletohu32(unit + NUMBER_AT), operation);
    reading_flow(reading, true)->message.awaits_event = waits;
}

static void
take_answer(struct reading *reading, const uint8_t *unit, size_t length)
{
    enum { DOCUMENTS_AT = 20, CURSOR_NOT_FOUND = 1, QUERY_FAILED = 2 };
    char status[STATUS_ROOM] = "";
    const uint8_t *body = unit + HEADER, *end = unit + length;
    const uint32_t code = pletohu32(unit + CODE_AT), first = end - body >= 4 ? pletohu32(body) : 0;
    bool failed = false;
    if (code == OP_MSG && end - body > 5 && body[4] == 0) {
        failed = mongodb_has_failed(body + 5, end, status);
    } else if (code == OP_REPLY && end - body > DOCUMENTS_AT) {
        failed = mongodb_has_failed(body + DOCUMENTS_AT, end, status);
    }
    if (code == OP_REPLY && first & (CURSOR_NOT_FOUND | QUERY_FAILED)) {
        g_strlcpy(status, first & CURSOR_NOT_FOUND ? "CursorNotFound" : "QueryFailure", sizeof status);
        failed = true;
    }
    reading_answers_to(reading, pletohu32(unit + ANSWERS_AT), failed ? status : "", failed);
    reading_flow(reading, false)->message.is_stream = code == OP_MSG && first & MORE_TO_COME;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (length < HEADER || !is_message(unit, length, from_client))
        return PARSER_IS_LOST;
    const uint32_t size = pletohu32(unit);
    flow->block = MIN(size, UNIT_BYTES);
    if (length < flow->block && !flow->is_cut)
        return PARSER_WANTS_MORE;
    flow->skip = size - length;
    flow->ends = true;
    if (from_client)
        take_request(reading, unit, length);
    else
        take_answer(reading, unit, length);
    return PARSER_GOES_ON;
}

const struct parser parser_mongodb = {
    .protocol = PROTOCOL_MONGODB,
    .block = HEADER,
    .least = HEADER + 5,
    .has_ids = true,
    .recognise = recognise,
    .recognise_answer = recognise_answer,
    .tells_client = tells_client,
    .may_begin = may_begin,
    .agrees = agrees,
    .is_certain = is_certain,
    .take = take,
    .find = find,
};
