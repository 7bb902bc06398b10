/* http.c
 * HTTP/1.x: RFC 9112.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <string.h>

#include "../../request/operation.h"
#include "../../util/seldom.h"

enum state { START, FIELDS, CHUNK, TRAILER };
enum {
    HAS_LENGTH = 1,
    CHUNKED = 2,
    NO_BODY = 4,
    INTERIM = 8,
    TUNNEL = 16,
    MAY_BE_HEAD = 32,
    SWITCHES = 64,
    TO_HTTP2 = 128
};
enum note { ASKED, ASKED_HEAD, ASKED_CONNECT };
enum kind { TO_HEAD = 1, TO_OTHERS = 2 }; /* of an answer with a length, or in chunks */

static const char version[] = " HTTP/1.";

static bool
is_text(const uint8_t *piece, size_t length, const char *text)
{
    return length >= strlen(text) && memcmp(piece, text, strlen(text)) == 0;
}

/* `whole`: the line is not cut. `text`: room for its operation. */
static bool
is_request_line(const uint8_t *line, size_t length, bool whole, char *text)
{
    enum { VERSION_BYTES = sizeof version }; /* and a digit */
    if (operation_read_http(line, length, text) == 0)
        return false;
    if (!whole)
        return true;
    return length > VERSION_BYTES && memcmp(line + length - VERSION_BYTES, version, VERSION_BYTES - 1) == 0;
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    char text[OPERATION_ROOM];
    const uint8_t *end = length > 0 && g_ascii_isupper(*bytes) ? memchr(bytes, '\n', length) : NULL;
    size_t line = end ? (size_t)(end - bytes) : length;
    if (end && line > 0 && bytes[line - 1] == '\r')
        line--;
    return length > 0 && is_request_line(bytes, line, end, text);
}

/* A method. */
static bool
may_begin(const uint8_t *bytes, size_t length)
{
    enum { METHOD_MOST = 9 };
    for (size_t i = 0; i < length; i++)
        if (!g_ascii_isupper(bytes[i]))
            return false;
    return length <= METHOD_MOST;
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return memcmp(bytes, version + 1, MIN(length, strlen(version + 1))) == 0;
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
    if (!recognise(bytes, length))
        return false;
    memcpy(both, kept, first);
    memcpy(both + first, bytes, second);
    return n_kept > LOOKED_AT || !(recognise(both, first + second) || may_begin(both, first + second));
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
    if (!is_request_line(line, length, length < PIECE_BYTES, text))
        return PARSER_IS_LOST;
    reading_asks(reading, text, note_of(line, length));
    flow->state = FIELDS;
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
        flow->marks = INTERIM | NO_BODY;
        return PARSER_GOES_ON;
    }
    const struct request *request = reading_first(reading);
    enum note note = request ? (enum note)(uint16_t)request->note : ASKED;
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
    return PARSER_GOES_ON;
}

/* What stands after a field's name and colon; NULL if it is another field. */
static const uint8_t *
field(const uint8_t *line, size_t length, const char *name)
{
    size_t bytes = strlen(name);
    if (length <= bytes || line[bytes] != ':' || g_ascii_strncasecmp((const char *)line, name, bytes) != 0)
        return NULL;
    for (bytes++; bytes < length && (line[bytes] == ' ' || line[bytes] == '\t'); bytes++)
        ;
    return line + bytes;
}

/* False for a number without digits, or beyond 2^60. */
static bool
read_number(const uint8_t *at, const uint8_t *end, int base, uint64_t *number)
{
    const uint8_t *first = at;
    *number = 0;
    for (; at < end && g_ascii_isxdigit(*at) && g_ascii_xdigit_value((char)*at) < base; at++) {
        if (*number >> 56)
            return false;
        *number = *number * (unsigned)base + (unsigned)g_ascii_xdigit_value((char)*at);
    }
    return at > first;
}

/* HTTP/2 answers the request itself, RFC 7540 §3.2. */
static SELDOM enum verdict
switch_protocols(struct reading *reading, struct flow *flow)
{
    if (flow->marks & TO_HTTP2 && reading_first(reading)) {
        flow->upgrade = &parser_http2;
        return PARSER_IS_UPGRADED;
    }
    reading_answers(reading, "101", false);
    return PARSER_IS_OVER;
}

static enum verdict
end_fields(struct reading *reading, struct flow *flow, bool from_client)
{
    if (flow->marks & SWITCHES)
        return switch_protocols(reading, flow);
    if (flow->marks & TUNNEL)
        return PARSER_IS_OVER;
    if (flow->marks & MAY_BE_HEAD) {
        flow->may_end = true;
        flow->if_ends = parser_looks(TO_HEAD, NULL, 0);
        flow->if_goes_on = parser_looks(TO_OTHERS, NULL, 0);
    }
    if (flow->marks & NO_BODY) {
        flow->ends = true;
    } else if (flow->marks & CHUNKED) {
        flow->state = CHUNK;
    } else if (flow->marks & HAS_LENGTH || from_client) {
        flow->skip = flow->left;
        flow->ends = true;
    } else {
        flow->skip = FLOW_UNTIL_CLOSED;
        flow->ends = true;
    }
    return PARSER_GOES_ON;
}

static enum verdict
take_field(struct reading *reading, struct flow *flow, bool from_client, const uint8_t *line, size_t length)
{
    const uint8_t *end = line + length, *value;
    if (length == 0)
        return end_fields(reading, flow, from_client);
    if ((value = field(line, length, "Content-Length"))) {
        uint64_t before = flow->left;
        if (!read_number(value, end, 10, &flow->left) || (flow->marks & HAS_LENGTH && flow->left != before))
            return PARSER_IS_LOST;
        flow->marks |= HAS_LENGTH;
    } else if (flow->marks & SWITCHES && (value = field(line, length, "Upgrade"))) {
        if (is_text(value, (size_t)(end - value), "h2c"))
            flow->marks |= TO_HTTP2;
    } else if ((value = field(line, length, "Transfer-Encoding"))) {
        /* the last coding says how the body ends */
        if (end - value >= 7 && g_ascii_strncasecmp((const char *)end - 7, "chunked", 7) == 0)
            flow->marks |= CHUNKED;
    }
    return PARSER_GOES_ON;
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

/* Whether it begins like none of those that take_field() looks at: most fields. */
static inline bool
is_other_field(const uint8_t *line, size_t length)
{
    const char first = length > 0 ? (char)(line[0] | 0x20) : 'c';
    return first != 'c' && first != 't' && first != 'u';
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *line, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (flow->state == FIELDS && is_other_field(line, length))
        return PARSER_GOES_ON;
    switch ((enum state)flow->state) {
    case START:
        return from_client ? take_request_line(reading, flow, line, length)
                           : take_status_line(reading, flow, line, length);
    case FIELDS:
        return take_field(reading, flow, from_client, line, length);
    case CHUNK:
        return take_chunk(flow, line, length);
    default:
        flow->ends = length == 0;
        return PARSER_GOES_ON;
    }
}

const struct parser parser_http = { .kind = FRAMING_HTTP,
                                    .recognise = recognise,
                                    .recognise_answer = recognise_answer,
                                    .may_begin = may_begin,
                                    .may_follow = may_follow,
                                    .begins_anew = begins_anew,
                                    .take = take,
                                    .least = 16 };
