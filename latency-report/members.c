/* members.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

/* Behind the text that begins with the quote at `at`; at the line's end if it has none. */
static const char *
behind_text(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += at[0] == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* Behind the value at `at`, with all that is nested in it. */
static const char *
behind_value(const char *at)
{
    for (unsigned depth = 0; *at;) {
        switch (*at) {
        case '"':
            at = behind_text(at);
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            if (depth == 0)
                return at;
            depth--;
            break;
        case ',':
            if (depth == 0)
                return at;
            break;
        default:
            break;
        }
        at++;
    }
    return at;
}

bool
members_next(const char **at, struct member *member)
{
    const char *name = *at;
    if (*name != '{' && *name != ',')
        return false;
    if (*++name != '"')
        return false;
    const char *behind = behind_text(name);
    if (*behind != ':')
        return false;
    const char *value = behind + 1, *end = behind_value(value);
    bool is_text = *value == '"' && end >= value + 2;
    *member = (struct member){ name + 1, (size_t)(behind - name) - 2, value + is_text,
                               (size_t)(end - value) - (is_text ? 2 : 0) };
    *at = end;
    return true;
}

bool
member_is(const struct member *member, const char *name)
{
    return strncmp(name, member->name, member->name_length) == 0 && name[member->name_length] == '\0';
}

bool
member_equals(const struct member *member, const char *text)
{
    return member->length > 0 && strncmp(text, member->value, member->length) == 0 && text[member->length] == '\0';
}

int64_t
member_int(const struct member *member)
{
    char *end;
    if (member->length == 0)
        return 0;
    errno = 0;
    long long number = strtoll(member->value, &end, 10);
    return errno || end != member->value + member->length ? 0 : number;
}

int64_t
member_time(const struct member *member)
{
    return CLAMP(member_int(member), 0, INT64_C(1) << 62);
}

int64_t
member_span(const struct member *member)
{
    return CLAMP(member_int(member), 0, INT64_C(1) << 60);
}
