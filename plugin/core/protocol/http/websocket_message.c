/* websocket_message.c
 * RFC 8259, JSON: the members of the object are looked at, and those of its error and its payload. All else is passed
 * by its brackets and quotation marks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "websocket_message.h"

#include <glib.h>

#include "websocket_values.h"

enum { TOP = 1, NESTED = 2 };

void
websocket_message_begin(struct websocket_message *message, bool from_client)
{
    *message = (struct websocket_message){ .from_client = from_client };
}

/* Returns whether names and values of this depth are looked at. */
static bool
is_looked_at(const struct websocket_message *message)
{
    return message->depth == TOP || (message->depth == NESTED && message->is_nested_object && message->outer != OTHER);
}

static void
begin_text(struct websocket_message *message)
{
    message->n_text = 0;
    message->is_long = message->has_escape = false;
}

static void
keep(struct websocket_message *message, uint8_t byte)
{
    if (message->n_text < OPERATION_LONGEST)
        message->text[message->n_text++] = (char)byte;
    else
        message->is_long = true;
}

static void
end_text(struct websocket_message *message)
{
    message->is_text = false;
    if (!is_looked_at(message))
        return;
    if (message->is_name)
        message->member = websocket_member(message);
    else
        websocket_take_value(message, true);
}

static void
end_word(struct websocket_message *message)
{
    if (message->is_word && is_looked_at(message))
        websocket_take_value(message, false);
    message->is_word = false;
}

/* Begins an object or an array, which is the value of the member. */
static void
open_bracket(struct websocket_message *message, bool is_object)
{
    if (message->depth == TOP) {
        const uint8_t member = message->member;
        message->outer = member == ERROR || member == PAYLOAD ? member : OTHER;
        message->is_nested_object = is_object;
        message->result = member == RESULT ? PRESENT : message->result;
        message->error = member == ERROR ? IS_OPEN : message->error;
        message->payload = member == PAYLOAD ? IS_OPEN : message->payload;
    }
    message->depth++;
    message->expects_name = is_object;
}

static void
close_bracket(struct websocket_message *message)
{
    end_word(message);
    message->depth--;
    message->expects_name = false;
    if (message->depth != TOP)
        return;
    message->error = message->outer == ERROR ? PRESENT : message->error;
    message->payload = message->outer == PAYLOAD ? PRESENT : message->payload;
    message->outer = OTHER;
}

static void
answer(struct websocket_message *message, bool failed)
{
    message->says = WEBSOCKET_ANSWERS;
    message->failed = failed;
    if (!failed)
        message->status[0] = '\0';
    else if (!message->has_code)
        status_copy(message->status, "error");
}

/* Answers as the type says, which GraphQL's messages have. */
static void
answer_as(struct websocket_message *message)
{
    message->is_last = message->type != NEXT;
    answer(message, message->type == FAILS);
}

static void
ask(struct websocket_message *message, bool cut)
{
    struct operation_writer writer = { .text = message->operation, .cut = cut };
    message->says = WEBSOCKET_ASKS;
    if (message->has_method || message->has_name)
        return;
    operation_put_text(&writer, "subscribe");
    operation_finish(&writer);
}

/* Finds out what the client says, as soon as it shows. */
static void
decide_asked(struct websocket_message *message)
{
    const bool is_told = message->payload == PRESENT || (message->has_name && message->has_query);
    if (!message->has_id)
        return;
    if (message->has_method || (message->type == SUBSCRIBES && is_told))
        ask(message, false);
    else if (message->type == STOPS)
        message->says = WEBSOCKET_CANCELS;
}

/* Finds out what the server says, as soon as it shows. What has a method asks the client. */
static void
decide_answered(struct websocket_message *message)
{
    if (message->has_method)
        message->says = WEBSOCKET_NOTHING;
    else if (!message->has_id)
        return;
    else if (message->type != NO_TYPE)
        answer_as(message);
    else if (message->error == PRESENT || (message->error == IS_OPEN && message->has_code))
        answer(message, true);
    else if (message->result == PRESENT)
        answer(message, false);
}

static void
decide(struct websocket_message *message)
{
    if (message->from_client)
        decide_asked(message);
    else
        decide_answered(message);
}

void
websocket_message_end(struct websocket_message *message, bool cut)
{
    const bool is_whole = message->depth == 0;
    decide(message);
    if (message->says != WEBSOCKET_OPEN)
        return;
    message->says = cut ? WEBSOCKET_UNREAD : WEBSOCKET_NOTHING;
    if (!message->has_id || !(cut || is_whole))
        return;
    if (message->type == SUBSCRIBES)
        ask(message, cut);
    else if (!message->from_client && message->error == IS_OPEN)
        answer(message, true);
    else if (!message->from_client && is_whole && (message->result == IS_NULL || message->error == IS_NULL))
        answer(message, false);
}

/* Takes the byte with which a message begins. An array is several (a batch). */
static void
begin(struct websocket_message *message, uint8_t byte)
{
    if (byte == '{')
        open_bracket(message, true);
    else if (!g_ascii_isspace(byte))
        message->says = byte == '[' ? WEBSOCKET_UNREAD : WEBSOCKET_NOTHING;
}

static void
take_in_text(struct websocket_message *message, uint8_t byte)
{
    if (byte == '"' && !message->is_escaped) {
        end_text(message);
        return;
    }
    message->is_escaped = byte == '\\' && !message->is_escaped;
    message->has_escape |= byte == '\\';
    if (is_looked_at(message))
        keep(message, byte);
}

/* Takes a byte outside of texts. */
static void
take_byte(struct websocket_message *message, uint8_t byte)
{
    switch (byte) {
    case '"':
        end_word(message);
        begin_text(message);
        message->is_text = true;
        message->is_name = message->expects_name;
        break;
    case '{':
    case '[':
        open_bracket(message, byte == '{');
        break;
    case '}':
    case ']':
        close_bracket(message);
        break;
    case ',':
        end_word(message);
        message->expects_name = message->depth == TOP || message->is_nested_object;
        break;
    case ':':
        message->expects_name = false;
        break;
    default:
        if (g_ascii_isspace(byte)) {
            end_word(message);
            break;
        }
        if (!message->is_word)
            begin_text(message);
        message->is_word = true;
        keep(message, byte);
        break;
    }
}

void
websocket_message_take(struct websocket_message *message, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length && message->says == WEBSOCKET_OPEN; i++) {
        if (message->depth == 0) {
            begin(message, bytes[i]);
            continue;
        }
        if (message->is_text)
            take_in_text(message, bytes[i]);
        else
            take_byte(message, bytes[i]);
        if (message->depth == 0)
            websocket_message_end(message, false);
        else if (!message->is_text && !message->is_word && message->depth <= NESTED)
            decide(message);
    }
}
