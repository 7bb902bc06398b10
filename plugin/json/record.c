/* record.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "record.h"

#include <string.h>

#include <wsutil/inet_addr.h>

#include "../core/request/operation.h"
#include "../core/util/printable.h"

enum { PORT_MOST = 65535 };

void
record_note_wrong(struct record *record, const char *name)
{
    if (!record->wrong)
        record->wrong = name;
}

struct record
record_of(struct token *object)
{
    return (struct record){ .object = object, .next = token_first(object) };
}

/* Members are mostly asked for in the order in which they stand. */
struct token *
record_member(struct record *record, const char *name)
{
    struct token *end = record->object ? token_next(record->object) : NULL, *at = record->next;
    for (unsigned left = record->object ? record->object->length : 0; left > 0; left--) {
        struct token *each = at < end ? at : token_first(record->object);
        struct token *value = token_next(each);
        at = token_next(value);
        if (*each->text != *name || !token_is(each, name))
            continue;
        record->next = at;
        return value;
    }
    return NULL;
}

bool
record_has(struct record *record, const char *name)
{
    return record_member(record, name) != NULL;
}

static bool
is_of(const struct token *token, enum token_kind kind)
{
    return token && token->kind == kind;
}

int64_t
record_int(struct record *record, const char *name)
{
    const struct token *token = record_member(record, name);
    if (is_of(token, TOKEN_INTEGER))
        return token->integer;
    record_note_wrong(record, name);
    return 0;
}

uint64_t
record_uint(struct record *record, const char *name, uint64_t most)
{
    int64_t number = record_int(record, name);
    if (number >= 0 && (uint64_t)number <= most)
        return (uint64_t)number;
    record_note_wrong(record, name);
    return 0;
}

static const char *
text_of(struct record *record, const char *name, struct token *token)
{
    if (is_of(token, TOKEN_TEXT))
        return token_text(token);
    record_note_wrong(record, name);
    return "";
}

const char *
record_text(struct record *record, const char *name)
{
    return text_of(record, name, record_member(record, name));
}

const char *
record_optional_text(struct record *record, const char *name, const char *absent)
{
    return record_has(record, name) ? record_text(record, name) : absent;
}

static struct record
object_of(struct record *record, const char *name, struct token *token)
{
    if (is_of(token, TOKEN_OBJECT))
        return record_of(token);
    record_note_wrong(record, name);
    return (struct record){ 0 };
}

struct record
record_object(struct record *record, const char *name)
{
    return object_of(record, name, record_member(record, name));
}

static struct elements
elements_of(struct record *record, const char *name, struct token *token)
{
    if (is_of(token, TOKEN_ARRAY))
        return (struct elements){ token_first(token), token->length };
    record_note_wrong(record, name);
    return (struct elements){ 0 };
}

struct elements
record_array(struct record *record, const char *name)
{
    return elements_of(record, name, record_member(record, name));
}

/* NULL if there is none. */
static struct token *
next(struct elements *elements)
{
    struct token *token = elements->next;
    if (elements->left == 0)
        return NULL;
    elements->next = token_next(token);
    elements->left--;
    return token;
}

void
elements_skip(struct elements *elements, unsigned count)
{
    while (count-- > 0 && next(elements))
        ;
}

int64_t
record_next_int(struct record *record, const char *name, struct elements *elements, int64_t least, int64_t most)
{
    const struct token *token = next(elements);
    if (is_of(token, TOKEN_INTEGER) && least <= token->integer && token->integer <= most)
        return token->integer;
    record_note_wrong(record, name);
    return least;
}

const char *
record_next_text(struct record *record, const char *name, struct elements *elements)
{
    return text_of(record, name, next(elements));
}

const char *
record_next_operation(struct record *record, const char *name, struct elements *elements)
{
    const char *text = elements->left > 0 ? record_next_text(record, name, elements) : "";
    if (strlen(text) < OPERATION_ROOM && is_printable(text))
        return text;
    record_note_wrong(record, name);
    return "";
}

struct elements
record_next_array(struct record *record, const char *name, struct elements *elements)
{
    return elements_of(record, name, next(elements));
}

struct record
record_next_object(struct record *record, const char *name, struct elements *elements)
{
    return object_of(record, name, next(elements));
}

bool
address_read(const char *text, struct endpoint *endpoint, bool *ipv6)
{
    ws_in4_addr address4;
    ws_in6_addr address6;
    *ipv6 = strchr(text, ':') != NULL;
    memset(endpoint->address, 0, sizeof endpoint->address);
    if (*ipv6 && ws_inet_pton6(text, &address6))
        memcpy(endpoint->address, &address6, sizeof address6);
    else if (!*ipv6 && ws_inet_pton4(text, &address4))
        memcpy(endpoint->address, &address4, sizeof address4);
    else
        return false;
    return true;
}

void
record_endpoint(struct record *record, const char *name, const char *port, struct endpoint *endpoint, bool *ipv6)
{
    if (!address_read(record_text(record, name), endpoint, ipv6))
        record_note_wrong(record, name);
    endpoint->port = port ? (uint16_t)record_uint(record, port, PORT_MOST) : 0;
}
