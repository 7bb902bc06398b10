/* http.c
 * HTTP/1.x: RFC 9112.
 *
 * It is one file although it is long: nearly every line of a capture of the web goes through it, and what takes one
 * calls nothing in another file unless the line is seldom. That is in files of its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <string.h>

#include "http_ids.h"
#include "http_operation.h"
#include "http_waiting.h"
#include "websocket.h"
#include "../../util/seldom.h"

/* LENGTH and CODING: a field of that name, which may go on. Added to these and to FIELDS: ids are looked for. */
enum state { START, FIELDS, LENGTH, CODING, CHUNK, TRAILER, WITH_IDS = 8 };
enum {
    HAS_LENGTH = 1,
    CHUNKED = 2,
    NO_BODY = 4,
    HAS_CODING = 8,
    TUNNEL = 16,
    MAY_BE_HEAD = 32,
    SWITCHES = 64,
    TO_HTTP2 = 128,
    TO_WEBSOCKET = 256,
    IS_SAFE = 512, /* GET or HEAD; and what it prefers: */
    PREFERENCE = 1024,
    PREFERENCES = PREFERENCE * (HTTP_PREFERS_WAIT | HTTP_PREFERS_ASYNC),
    EXPECTS = 4096 /* it sends its body when the server wants that, and else may leave it out, RFC 9110 §10.1.1 */
};
enum note { ASKED, ASKED_HEAD, ASKED_CONNECT, ASKED_MASK, MAY_BE_HTTP2 };
enum kind { TO_HEAD = 1, TO_OTHERS = 2 }; /* of an answer with a length, or in chunks */

static const char version[] = " HTTP/1.";

static bool
is_text(const uint8_t *unit, size_t length, const char *text)
{
    return length >= strlen(text) && memcmp(unit, text, strlen(text)) == 0;
}

/* Returns whether a line that is cut may be NATS' CONNECT, too, behind which an object follows: no target begins so. */
static bool
may_be_nats(const uint8_t *line, size_t length)
{
    static const char connect[] = "CONNECT {";
    return memcmp(line, connect, MIN(length, strlen(connect))) == 0;
}

/* `whole`: the line is not cut. `text`: room for its operation. */
static bool
is_request_line(const uint8_t *line, size_t length, bool whole, char *text)
{
    enum { VERSION_BYTES = sizeof version }; /* and a digit */
    if (http_read_operation(line, length, whole, text) == 0)
        return false;
    if (!whole)
        return !may_be_nats(line, length);
    return length > VERSION_BYTES && memcmp(line + length - VERSION_BYTES, version, VERSION_BYTES - 1) == 0;
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    char text[OPERATION_ROOM];
    const uint8_t *end = length > 0 ? memchr(bytes, '\n', length) : NULL;
    size_t line = end ? (size_t)(end - bytes) : length;
    if (end && line > 0 && bytes[line - 1] == '\r')
        line--;
    return length > 0 && is_request_line(bytes, line, end, text);
}

/* A line of which a snap length has left no end is believed: the rest of it never comes. */
static bool
is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    return (length < whole || memchr(bytes, '\n', length)) && recognise(bytes, length);
}

/* Any server of HTTP/1 begins so; of fewer bytes nobody knows. */
static enum agreement
agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    (void)asked;
    (void)asked_bytes;
    if (memcmp(answered, version + 1, MIN(answered_bytes, strlen(version + 1))) != 0)
        return AGREEMENT_IS_NONE;
    return answered_bytes < strlen(version + 1) ? AGREEMENT_OPEN : AGREEMENT_IS_ONE;
}

/* A method in upper case, as nearly all are, and what a target begins with. */
static bool
may_begin(const uint8_t *bytes, size_t length)
{
    enum { METHOD_MOST = 24 };
    size_t method = 0;
    while (method < length && (g_ascii_isupper(bytes[method]) || bytes[method] == '-' || bytes[method] == '_'))
        method++;
    if (method == length)
        return length <= METHOD_MOST;
    const uint8_t target = method + 1 < length ? bytes[method + 1] : '/';
    return method > 0 && method <= METHOD_MOST && bytes[method] == ' ' &&
           (target == '/' || target == '*' || target == 'h') && !memchr(bytes, '\n', length);
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return memcmp(bytes, version + 1, MIN(length, strlen(version + 1))) == 0;
}

/* A whole request line, which no server says, or the beginning of a status line, which no client does. */
static bool
tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    enum { CODE_AT = sizeof version, CODE_END = CODE_AT + 3 };
    (void)whole;
    *from_client = length > 0 && memchr(bytes, '\n', length) && recognise(bytes, length);
    if (*from_client)
        return true;
    if (length <= CODE_END || !recognise_answer(bytes, length) || bytes[CODE_AT - 1] != ' ')
        return false;
    for (unsigned i = CODE_AT; i < CODE_END; i++)
        if (!g_ascii_isdigit(bytes[i]))
            return false;
    return bytes[CODE_END] == ' ' || bytes[CODE_END] == '\r' || bytes[CODE_END] == '\n';
}

/* Empty lines may stand before a request, RFC 9112 §2.2. */
static bool
may_follow(const uint8_t *bytes, size_t length, bool from_client)
{
    if (!from_client)
        return recognise_answer(bytes, length);
    for (; length > 0 && (*bytes == '\r' || *bytes == '\n'); length--)
        bytes++;
    return recognise(bytes, length) || (length > 0 && may_begin(bytes, length));
}

static bool
begins_anew(const uint8_t *kept, size_t n_kept, const uint8_t *bytes, size_t length)
{
    enum { LOOKED_AT = 16 };
    uint8_t both[2 * LOOKED_AT];
    const size_t first = MIN(n_kept, LOOKED_AT), second = MIN(length, LOOKED_AT);
    if (!http_has_common_method(bytes, length) || !recognise(bytes, length))
        return false;
    memcpy(both, kept, first);
    memcpy(both + first, bytes, second);
    return n_kept > LOOKED_AT || !http_has_common_method(both, first + second);
}

static uint64_t
note_of(const uint8_t *line, size_t length)
{
    if (is_text(line, length, "HEAD "))
        return ASKED_HEAD | parser_looks(TO_HEAD, NULL, 0);
    return (is_text(line, length, "CONNECT ") ? ASKED_CONNECT : ASKED) | parser_looks(TO_OTHERS, NULL, 0);
}

static enum verdict
take_request_line(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    char text[OPERATION_ROOM];
    /* RFC 9112 §2.2: an empty line may stand before */
    if (length == 0) {
        flow->ends = true;
        return PARSER_GOES_ON;
    }
    if (!is_request_line(line, length, length < UNIT_BYTES, text))
        return PARSER_IS_LOST;
    reading_asks(reading, text, note_of(line, length));
    flow->marks = is_text(line, length, "GET ") || is_text(line, length, "HEAD ") ? IS_SAFE : 0;
    flow->state = reading_wants_ids(reading) ? WITH_IDS + FIELDS : FIELDS;
    return PARSER_GOES_ON;
}

/* RFC 9112 §4, §6.3 */
static enum verdict
take_status_line(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    enum { STATUS_AT = 9, DIGITS = 3, SWITCHING_PROTOCOLS = 101, NO_CONTENT = 204, NOT_MODIFIED = 304 };
    char status[DIGITS + 1] = "";
    if (length == 0 && reading_knows_next(reading)) {
        flow->ends = true; /* a line end behind the body before */
        return PARSER_GOES_ON;
    }
    if (!is_text(line, length, version + 1) || length < STATUS_AT + DIGITS || line[STATUS_AT - 1] != ' ')
        return PARSER_IS_LOST;
    for (unsigned i = 0; i < DIGITS; i++) {
        status[i] = (char)line[STATUS_AT + i];
        if (!g_ascii_isdigit(status[i]))
            return PARSER_IS_LOST;
    }
    const int code = (status[0] - '0') * 100 + (status[1] - '0') * 10 + status[2] - '0';
    flow->state = FIELDS;
    if (code < 200 && code >= 100 && code != SWITCHING_PROTOCOLS) {
        flow->marks = NO_BODY;
        return PARSER_GOES_ON;
    }
    const struct request *request = reading_to_answer(reading);
    enum note note = request ? (enum note)(request->note & ASKED_MASK) : ASKED;
    if (note == ASKED_HEAD || code == NO_CONTENT || code == NOT_MODIFIED)
        flow->marks = NO_BODY;
    if (code == SWITCHING_PROTOCOLS) {
        /* to what, the fields say */
        flow->marks = SWITCHES;
        return PARSER_GOES_ON;
    }
    if (note == ASKED_CONNECT && code / 100 == 2)
        flow->marks = TUNNEL;
    if (!request)
        flow->marks |= MAY_BE_HEAD;
    reading_answers(reading, status, code >= 400);
    flow->message.is_stream = flow->marks & TUNNEL;
    return PARSER_GOES_ON;
}

static bool
is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

static inline uint8_t
lower(uint8_t byte)
{
    return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte;
}

/* Compares without regard to case, first as most are written. */
static inline bool
is_name(const uint8_t *at, const char *name, size_t bytes)
{
    if (memcmp(at, name, bytes) == 0)
        return true;
    while (bytes > 0 && lower(at[bytes - 1]) == lower((uint8_t)name[bytes - 1]))
        bytes--;
    return bytes == 0;
}

/* What stands after a field's name and colon; NULL if it is another field. A blank before the colon is no part of the
 * name, RFC 9112 §5.1. Inline, for its names are literals, of which the compiler knows the length. */
static inline const uint8_t *
field(const uint8_t *line, size_t length, const char *name)
{
    size_t bytes = strlen(name);
    if (length <= bytes || (line[bytes] != ':' && !is_blank(line[bytes])) || !is_name(line, name, bytes))
        return NULL;
    while (bytes < length && is_blank(line[bytes]))
        bytes++;
    if (bytes == length || line[bytes] != ':')
        return NULL;
    for (bytes++; bytes < length && is_blank(line[bytes]); bytes++)
        ;
    return line + bytes;
}

/* False for a number without digits, or beyond 2^60. */
static bool
read_number(const uint8_t *at, const uint8_t *end, int base, uint64_t *number)
{
    const uint8_t *first = at;
    int digit;
    *number = 0;
    for (; at < end && (digit = g_ascii_xdigit_value((char)*at)) >= 0 && digit < base; at++) {
        if (*number >> 56)
            return false;
        *number = *number * (unsigned)base + (unsigned)digit;
    }
    return at > first;
}

/* The length, or several that are the same, RFC 9110 §8.6. False for anything else. */
static bool
take_lengths(struct flow *flow, const uint8_t *at, const uint8_t *end)
{
    flow->state = LENGTH;
    while (at < end) {
        const uint8_t *comma = memchr(at, ',', (size_t)(end - at));
        const uint8_t *next = comma ? comma : end;
        uint64_t bytes;
        while (at < next && is_blank(*at))
            at++;
        if (at < next && (!read_number(at, next, 10, &bytes) || (flow->marks & HAS_LENGTH && flow->left != bytes)))
            return false;
        if (at < next) {
            flow->left = bytes;
            flow->marks |= HAS_LENGTH;
        }
        at = next + (next < end);
    }
    return true;
}

/* The last coding says how the body ends, RFC 9112 §6.3; be it in the next line, or in another field. */
static void
take_codings(struct flow *flow, const uint8_t *at, const uint8_t *end)
{
    static const char chunked[] = "chunked", none[] = "identity";
    flow->state = CODING;
    while (end > at && (is_blank(end[-1]) || end[-1] == ','))
        end--;
    if (end == at)
        return;
    const uint8_t *last = end;
    while (last > at && last[-1] != ',' && !is_blank(last[-1]))
        last--;
    const size_t length = (size_t)(end - last);
    flow->marks &= (uint16_t) ~(CHUNKED | HAS_CODING);
    if (length == strlen(chunked) && g_ascii_strncasecmp((const char *)last, chunked, length) == 0)
        flow->marks |= CHUNKED | HAS_CODING;
    else if (length != strlen(none) || g_ascii_strncasecmp((const char *)last, none, length) != 0)
        flow->marks |= HAS_CODING;
}

/* Whether the list of protocols, or of expectations, has this one; names are of any case, RFC 9110 §7.8, §10.1.1. */
static SELDOM bool
names(const uint8_t *at, const uint8_t *end, const char *name)
{
    while (at < end) {
        const uint8_t *comma = memchr(at, ',', (size_t)(end - at));
        const uint8_t *last = comma ? comma : end, *next = comma ? comma + 1 : end;
        while (at < last && is_blank(*at))
            at++;
        while (at < last && is_blank(last[-1]))
            last--;
        if ((size_t)(last - at) == strlen(name) && g_ascii_strncasecmp((const char *)at, name, strlen(name)) == 0)
            return true;
        at = next;
    }
    return false;
}

/* The client would go on with HTTP/2: there are servers that do so without a word, or know nothing else. */
static SELDOM const struct parser *
answered_by(struct reading *reading, const uint8_t *bytes, size_t length)
{
    enum { FRAME_BYTES = 9 };
    if (bytes[0] != 0 || length < FRAME_BYTES)
        return NULL;
    const struct request *request = reading_to_answer(reading);
    if (!request || !(request->note & MAY_BE_HTTP2) ||
        !(parser_http2.recognise_greeting(bytes, length) ||
          (reading_is_greeted(reading) && parser_http2.recognise_answer(bytes, length))))
        return NULL;
    return &parser_http2;
}

/* HTTP/2 answers the request itself, RFC 7540 §3.2. Behind a WebSocket's 101 there are no requests. */
static SELDOM enum verdict
switch_protocols(struct reading *reading, struct flow *flow)
{
    if (flow->marks & TO_HTTP2 && reading_to_answer(reading)) {
        flow->upgrade = &parser_http2;
        return PARSER_IS_UPGRADED;
    }
    const bool is_known = reading_to_answer(reading);
    reading_answers(reading, "101", false);
    flow->message.is_stream = true;
    if (!(flow->marks & TO_WEBSOCKET) || !is_known)
        return PARSER_IS_OVER;
    flow->upgrade = &parser_websocket;
    return PARSER_IS_UPGRADED;
}

static enum verdict
end_fields(struct reading *reading, struct flow *flow, bool from_client)
{
    if (flow->marks & SWITCHES)
        return switch_protocols(reading, flow);
    if (flow->marks & TUNNEL)
        return PARSER_IS_OVER;
    flow->may_end = from_client && flow->marks & EXPECTS;
    if (from_client)
        flow->message.awaits_event = http_is_long_poll(flow->marks & IS_SAFE, (flow->marks & PREFERENCES) / PREFERENCE);
    if (flow->marks & MAY_BE_HEAD) {
        flow->may_end = true;
        flow->if_ends = parser_looks(TO_HEAD, NULL, 0);
        flow->if_goes_on = parser_looks(TO_OTHERS, NULL, 0);
    }
    if (flow->marks & NO_BODY) {
        flow->ends = true;
    } else if (flow->marks & CHUNKED) {
        flow->state = CHUNK;
    } else if (from_client || (flow->marks & HAS_LENGTH && !(flow->marks & HAS_CODING))) {
        flow->skip = flow->left;
        flow->ends = true;
    } else {
        flow->skip = FLOW_UNTIL_CLOSED;
        flow->ends = true;
    }
    return PARSER_GOES_ON;
}

/* Whether it names a type of a stream, be it in another field: seldom, and names are compared letter by letter. */
static inline bool
names_stream(const uint8_t *line, size_t length)
{
    enum { TYPE_AT = 8 }; /* in Content-Type */
    if (length <= TYPE_AT || (line[TYPE_AT] | 0x20) != 't')
        return false;
    const uint8_t *value = memchr(line, ':', length), *end = line + length;
    for (value = value ? value + 1 : end; value < end && is_blank(*value); value++)
        ;
    return http_type_is_stream(value, (size_t)(end - value));
}

static enum verdict
take_field(struct reading *reading, struct flow *flow, bool from_client, const uint8_t *line, size_t length)
{
    const uint8_t *end = line + length, *value;
    const enum state state = (enum state)flow->state;
    flow->state = FIELDS;
    if (length == 0)
        return end_fields(reading, flow, from_client);
    /* a line that begins with a blank goes on with the field before, RFC 9112 §5.2 */
    const uint8_t *more = is_blank(*line) ? line : NULL;
    if ((value = more && state == LENGTH ? more : field(line, length, "Content-Length"))) {
        if (!take_lengths(flow, value, end))
            return PARSER_IS_LOST;
    } else if ((from_client || flow->marks & SWITCHES) && (value = field(line, length, "Upgrade"))) {
        if (names(value, end, "h2c") && from_client)
            reading_notes(reading, flow->message.note | MAY_BE_HTTP2);
        else if (names(value, end, "h2c"))
            flow->marks |= TO_HTTP2;
        else if (!from_client && names(value, end, "websocket"))
            flow->marks |= TO_WEBSOCKET;
    } else if (!from_client && flow->has_message && names_stream(line, length) && field(line, length, "Content-Type")) {
        flow->message.is_stream = true;
    } else if (from_client && (value = field(line, length, "Prefer"))) {
        flow->marks |= (uint16_t)(http_preferences(value, (size_t)(end - value)) * PREFERENCE);
    } else if (from_client && (value = field(line, length, "Expect"))) {
        flow->marks |= names(value, end, "100-continue") ? EXPECTS : 0;
    } else if ((value = more && state == CODING ? more : field(line, length, "Transfer-Encoding"))) {
        take_codings(flow, value, end);
    }
    return PARSER_GOES_ON;
}

/* A field of a request, in which an id may be; it is then taken as where nobody looks for ids. */
static SELDOM enum verdict
take_with_ids(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    struct found_ids found;
    ids_begin(&found);
    http_find_ids_in_line(line, length, reading_id_headers(reading), &found);
    reading_carries(reading, &found);
    flow->state -= WITH_IDS;
    const enum verdict verdict = parser_http.take(reading, true, line, length);
    if (length > 0)
        flow->state += WITH_IDS;
    return verdict;
}

static enum verdict
take_chunk(struct flow *flow, const uint8_t *line, size_t length)
{
    enum { LINE_END = 2 };
    uint64_t bytes;
    if (!read_number(line, line + length, 16, &bytes))
        return PARSER_IS_LOST;
    if (bytes == 0)
        flow->state = TRAILER;
    else
        flow->skip = bytes + LINE_END;
    return PARSER_GOES_ON;
}

enum { LETTERS = 4 };

/* Returns whether these are the four letters, which are small ones, be they large here. */
static inline bool
are_letters(const uint8_t *bytes, const char *letters)
{
    const uint32_t large = 0x20202020;
    uint32_t these, those;
    memcpy(&these, bytes, LETTERS);
    memcpy(&those, letters, LETTERS);
    return (these | large) == those;
}

/* Returns whether a line that begins with four such bytes is a field, and none of those that take_field() looks at:
 * most are not. */
static inline bool
begins_other_field(const uint8_t *bytes)
{
    return *bytes != '\r' && *bytes != '\n' && !are_letters(bytes, "cont") && !are_letters(bytes, "tran") &&
           !are_letters(bytes, "upgr") && !are_letters(bytes, "pref") && !are_letters(bytes, "expe");
}

/* Passes lines that are fields of which nothing is read, and those that go on with one, which begin with a blank. */
static size_t
passes(struct flow *flow, const uint8_t *bytes, size_t length)
{
    const uint8_t *at = bytes, *end = bytes + length, *line;
    if (flow->state < FIELDS || flow->state > CODING || (flow->state != FIELDS && is_blank(*bytes)))
        return 0;
    while (end - at >= LETTERS && begins_other_field(at) && (line = memchr(at, '\n', (size_t)(end - at))))
        at = line + 1;
    if (at > bytes)
        flow->state = FIELDS;
    return (size_t)(at - bytes);
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *line, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    switch ((unsigned)flow->state) {
    case START:
        return from_client ? take_request_line(reading, flow, line, length)
                           : take_status_line(reading, flow, line, length);
    case FIELDS:
    case LENGTH:
    case CODING:
        return take_field(reading, flow, from_client, line, length);
    case WITH_IDS + FIELDS:
    case WITH_IDS + LENGTH:
    case WITH_IDS + CODING:
        return take_with_ids(reading, flow, line, length);
    case CHUNK:
        return take_chunk(flow, line, length);
    default:
        flow->ends = length == 0;
        return PARSER_GOES_ON;
    }
}

const struct parser parser_http = { .protocol = PROTOCOL_HTTP,
                                    .recognise = recognise,
                                    .recognise_answer = recognise_answer,
                                    .may_begin = may_begin,
                                    .tells_client = tells_client,
                                    .agrees = agrees,
                                    .is_certain = is_certain,
                                    .may_follow = may_follow,
                                    .begins_anew = begins_anew,
                                    .answered_by = answered_by,
                                    .take = take,
                                    .passes = passes,
                                    .least = 16,
                                    .operation = http_operation };
