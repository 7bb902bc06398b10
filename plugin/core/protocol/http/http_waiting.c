/* http_waiting.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http_waiting.h"

#include <string.h>

#include <glib.h>

/* What is left of a field's value. */
struct rest {
    const uint8_t *at, *end;
};

static void
skip_blanks(struct rest *rest)
{
    while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
        rest->at++;
}

/* Takes what stands before the next of these delimiters that is not in quotes, without blanks around it; and the
 * delimiter, or 0 at the end. */
static struct rest
take_up_to(struct rest *rest, const char *delimiters, char *delimiter)
{
    bool is_quoted = false;
    skip_blanks(rest);
    struct rest taken = { rest->at, rest->at };
    while (rest->at < rest->end && (is_quoted || *rest->at == '\0' || !strchr(delimiters, *rest->at)))
        is_quoted ^= *rest->at++ == '"';
    taken.end = rest->at;
    *delimiter = rest->at < rest->end ? (char)*rest->at++ : '\0';
    while (taken.end > taken.at && (taken.end[-1] == ' ' || taken.end[-1] == '\t'))
        taken.end--;
    return taken;
}

static bool
is_called(const struct rest *text, const char *name)
{
    const size_t length = (size_t)(text->end - text->at);
    return length == strlen(name) && g_ascii_strncasecmp((const char *)text->at, name, length) == 0;
}

/* A word may be a text in quotes, RFC 9110 §5.6.4. */
static struct rest
unquote(struct rest text)
{
    if (text.end - text.at >= 2 && *text.at == '"' && text.end[-1] == '"')
        return (struct rest){ text.at + 1, text.end - 1 };
    return text;
}

/* Whether the type is none of those that nearly all responses have: text/html, with a character set or without, JSON.
 */
static bool
may_be_stream(const uint8_t *type, size_t length)
{
    enum { EVENT_AT = 5, REPLACE_AT = 10 }; /* of text/event-stream and multipart/x-mixed-replace */
    const struct rest rest = { type, type + length };
    if (length <= REPLACE_AT)
        return false;
    if ((type[EVENT_AT] | 0x20) == 'e' || (type[REPLACE_AT] | 0x20) == 'x')
        return true;
    for (const uint8_t *at = type; (at = memchr(at, ';', (size_t)(rest.end - at)));) {
        struct rest parameter = { at + 1, rest.end };
        skip_blanks(&parameter);
        if (parameter.at < parameter.end && (*parameter.at | 0x20) == 's')
            return true;
        at = parameter.at;
    }
    return false;
}

bool
http_type_is_stream(const uint8_t *type, size_t length)
{
    if (!may_be_stream(type, length))
        return false;
    struct rest rest = { type, type + length };
    char delimiter;
    const struct rest name = take_up_to(&rest, ";", &delimiter);
    bool is_stream = is_called(&name, "text/event-stream") || is_called(&name, "multipart/x-mixed-replace");
    while (delimiter) {
        const struct rest parameter = take_up_to(&rest, "=;", &delimiter);
        if (delimiter != '=')
            continue;
        const struct rest value = unquote(take_up_to(&rest, ";", &delimiter));
        is_stream |= is_called(&parameter, "stream") && is_called(&value, "watch");
    }
    return is_stream;
}

/* Whether the number is more than 0. */
static bool
is_positive(struct rest number)
{
    bool is_more = false;
    for (; number.at < number.end && g_ascii_isdigit(*number.at); number.at++)
        is_more |= *number.at != '0';
    return is_more && number.at == number.end;
}

unsigned
http_preferences(const uint8_t *value, size_t length)
{
    struct rest rest = { value, value + length };
    unsigned found = 0;
    char delimiter = ',';
    while (delimiter) {
        struct rest word = { NULL, NULL };
        const struct rest name = take_up_to(&rest, "=;,", &delimiter);
        if (delimiter == '=')
            word = unquote(take_up_to(&rest, ";,", &delimiter));
        while (delimiter == ';')
            take_up_to(&rest, ";,", &delimiter);
        if (is_called(&name, "respond-async"))
            found |= HTTP_PREFERS_ASYNC;
        else if (is_called(&name, "wait") && is_positive(word))
            found |= HTTP_PREFERS_WAIT;
    }
    return found;
}
