/* websocket_values.c
 * JSON-RPC 2.0, §4 and §5 (jsonrpc.org/specification); graphql-ws, PROTOCOL.md, and subscriptions-transport-ws,
 * PROTOCOL.md (github.com/enisdenjo/graphql-ws, github.com/apollographql/subscriptions-transport-ws).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "websocket_values.h"

#include <string.h>
#include <glib.h>

static const struct {
    const char *name;
    uint8_t outer, member;
} members[] = {
    { "id", OTHER, ID },         { "method", OTHER, METHOD },
    { "result", OTHER, RESULT }, { "error", OTHER, ERROR },
    { "type", OTHER, TYPE },     { "payload", OTHER, PAYLOAD },
    { "code", ERROR, CODE },     { "operationName", PAYLOAD, NAME },
    { "query", PAYLOAD, QUERY },
};

static const struct {
    const char *name;
    uint8_t type;
    bool from_client;
} types[] = {
    { "subscribe", SUBSCRIBES, true }, { "start", SUBSCRIBES, true },    { "complete", STOPS, true },
    { "stop", STOPS, true },           { "next", NEXT, false },          { "data", NEXT, false },
    { "error", FAILS, false },         { "complete", COMPLETES, false },
};

static bool
is_word_of(const struct websocket_message *message, const char *word)
{
    const size_t length = strlen(word);
    return message->n_text == length && !message->is_long && memcmp(message->text, word, length) == 0;
}

uint8_t
websocket_member(const struct websocket_message *message)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(members); i++)
        if (members[i].outer == message->outer && is_word_of(message, members[i].name))
            return members[i].member;
    return OTHER;
}

static uint8_t
type_of(const struct websocket_message *message)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
        if (types[i].from_client == message->from_client && is_word_of(message, types[i].name))
            return types[i].type;
    return NO_TYPE;
}

/* Takes an id that is a number; one with a fraction, or of more digits, is none. */
static void
take_number(struct websocket_message *message)
{
    enum { DIGITS_MOST = 18 };
    static const uint64_t zero = UINT64_C(1) << 62;
    const bool is_negative = message->text[0] == '-';
    uint64_t number = 0;
    if (message->n_text <= is_negative || message->n_text > DIGITS_MOST)
        return;
    for (unsigned i = is_negative; i < message->n_text; i++) {
        if (!g_ascii_isdigit(message->text[i]))
            return;
        number = number * 10 + (uint64_t)(message->text[i] - '0');
    }
    message->id = is_negative ? zero - number : zero + number;
    message->has_id = true;
}

/* Takes an id that is a text: itself if it is short, else FNV-1a of it (draft-eastlake-fnv). One with an escape, which
 * can be written in several ways, or a long one, is none. */
static void
take_text_id(struct websocket_message *message)
{
    enum { SHORT_MOST = 7, LENGTH_AT = 56 };
    static const uint64_t is_text = UINT64_C(1) << 63, is_hash = UINT64_C(3) << 62;
    static const uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
    const unsigned length = message->n_text;
    uint64_t hash = basis, bytes = 0;
    if (message->is_long || message->has_escape)
        return;
    for (unsigned i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)message->text[i]) * prime;
        bytes = bytes << 8 | (uint8_t)message->text[i];
    }
    message->id = length <= SHORT_MOST ? is_text | (uint64_t)length << LENGTH_AT | bytes : is_hash | hash >> 2;
    message->has_id = true;
}

static void
take_operation(struct websocket_message *message)
{
    struct operation_writer writer = { .text = message->operation, .cut = message->is_long };
    operation_put(&writer, (const uint8_t *)message->text, message->n_text);
    operation_finish(&writer);
}

/* Returns where a query begins behind what says nothing: blanks, commas, and comments up to the line's end, whose
 * control characters JSON writes with a backslash (spec.graphql.org, Ignored Tokens). */
static const char *
behind_ignored(const char *at, const char *end)
{
    static const char escaped[] = { 'n', 'r', 't' };
    bool is_comment = false;
    for (bool is_ignored = true; at < end && is_ignored;) {
        const bool is_escape = end - at > 1 && *at == '\\' && memchr(escaped, at[1], sizeof escaped);
        is_comment = (is_comment || *at == '#') && !(is_escape && at[1] == 'n');
        is_ignored = is_comment || is_escape || *at == ',' || g_ascii_isspace(*at);
        at += !is_ignored ? 0 : is_escape ? 2 : 1;
    }
    return at;
}

/* Takes the text of a query, which begins with what it is, unless fragments stand before. */
static void
take_query(struct websocket_message *message)
{
    static const char subscription[] = "subscription";
    const char *end = message->text + message->n_text, *at = behind_ignored(message->text, end);
    message->awaits_event =
        (size_t)(end - at) >= strlen(subscription) && memcmp(at, subscription, strlen(subscription)) == 0;
    message->has_query = true;
}

static void
take_code(struct websocket_message *message)
{
    message->text[message->n_text] = '\0';
    for (unsigned i = 0; i < message->n_text; i++)
        if (!g_ascii_isprint(message->text[i]))
            return;
    status_copy(message->status, message->text);
    message->has_code = true;
}

void
websocket_take_value(struct websocket_message *message, bool is_text)
{
    const uint8_t presence = !is_text && is_word_of(message, "null") ? IS_NULL : PRESENT;
    switch ((enum member)message->member) {
    case ID:
        if (is_text)
            take_text_id(message);
        else
            take_number(message);
        break;
    case METHOD:
        message->has_method |= is_text;
        if (is_text)
            take_operation(message);
        break;
    case NAME:
        message->has_name |= is_text;
        if (is_text)
            take_operation(message);
        break;
    case RESULT:
        message->result = presence;
        break;
    case ERROR:
        message->error = presence;
        break;
    case TYPE:
        message->type = is_text ? type_of(message) : NO_TYPE;
        break;
    case PAYLOAD:
        message->payload = presence;
        break;
    case CODE:
        if (presence == PRESENT)
            take_code(message);
        break;
    case QUERY:
        take_query(message);
        break;
    case OTHER:
        break;
    }
}
