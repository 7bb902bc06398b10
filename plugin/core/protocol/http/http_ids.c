/* http_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http_ids.h"

#include <string.h>

#include <glib.h>

#include <wsutil/inet_addr.h>

/* A part of a field's value, which has parts by a delimiter. */
struct part {
    const uint8_t *at;
    size_t length;
};

/* Takes the part before the next delimiter from what is left; false if nothing is. */
static bool
take_part(struct part *left, char delimiter, struct part *part)
{
    if (!left->at)
        return false;
    const uint8_t *end = memchr(left->at, delimiter, left->length);
    *part = (struct part){ left->at, end ? (size_t)(end - left->at) : left->length };
    *left = end ? (struct part){ end + 1, left->length - part->length - 1 } : (struct part){ NULL, 0 };
    return true;
}

static bool
is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

static struct part
trim(struct part part)
{
    for (; part.length > 0 && is_blank(*part.at); part.length--)
        part.at++;
    while (part.length > 0 && is_blank(part.at[part.length - 1]))
        part.length--;
    return part;
}

static bool
is_called(const struct part *part, const char *name)
{
    return part->length == strlen(name) && g_ascii_strncasecmp((const char *)part->at, name, part->length) == 0;
}

static void
find_traceparent(const struct part *value, struct found_ids *found)
{
    id_found_traceparent(found, value->at, value->length);
}

static void
find_trace(const struct part *value, struct found_ids *found)
{
    id_found(found, ID_TRACE, value->at, value->length);
}

static void
find_span(const struct part *value, struct found_ids *found)
{
    id_found(found, ID_SPAN, value->at, value->length);
}

static void
find_parent(const struct part *value, struct found_ids *found)
{
    id_found(found, ID_PARENT, value->at, value->length);
}

enum { B3_TRACE = 32, B3_SPAN = 16 }; /* hexadecimal digits; a trace may have as few as a span */

static void
find_b3_trace(const struct part *value, struct found_ids *found)
{
    find_trace(value, found);
    if (id_is_hex(value->at, value->length, B3_TRACE, B3_TRACE) ||
        id_is_hex(value->at, value->length, B3_SPAN, B3_SPAN))
        id_found_context(found, TRACE_X_B3, value->at, value->length, NULL, 0);
}

static void
find_b3_span(const struct part *value, struct found_ids *found)
{
    find_span(value, found);
    if (id_is_hex(value->at, value->length, B3_SPAN, B3_SPAN))
        id_found_context(found, TRACE_X_B3, NULL, 0, value->at, value->length);
}

static void
find_request(const struct part *value, struct found_ids *found)
{
    id_found(found, ID_REQUEST, value->at, value->length);
}

/* The trace, the span, whether it is sampled, and the span's parent; or only whether it is sampled. */
static void
find_b3(const struct part *value, struct found_ids *found)
{
    static const enum id_kind kinds[] = { ID_TRACE, ID_SPAN, ID_TEXT, ID_PARENT };
    struct part left = *value, part, trace = { NULL, 0 };
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds) && take_part(&left, '-', &part); i++) {
        const bool is_id = id_is_hex(part.at, part.length, B3_SPAN, kinds[i] == ID_TRACE ? B3_TRACE : B3_SPAN);
        if (i == 0 && !is_id)
            return;
        if (is_id && kinds[i] != ID_TEXT)
            id_found(found, kinds[i], part.at, part.length);
        if (kinds[i] == ID_TRACE && (part.length == B3_TRACE || part.length == B3_SPAN))
            trace = part;
        if (is_id && kinds[i] == ID_SPAN && trace.at)
            id_found_context(found, TRACE_B3, trace.at, trace.length, part.at, part.length);
    }
}

/* Jaeger's: the trace, the span, its parent, flags. Colons may be encoded. */
static void
find_uber(const struct part *value, struct found_ids *found)
{
    enum { HEX_MOST = 32 };
    static const enum id_kind kinds[] = { ID_TRACE, ID_SPAN, ID_PARENT };
    static const char encoded[] = "3A";
    const size_t behind = strlen(encoded);
    const char delimiter = memchr(value->at, ':', value->length) ? ':' : '%';
    struct part left = *value, part;
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds) && take_part(&left, delimiter, &part); i++) {
        if (i > 0 && delimiter == '%') {
            if (part.length < behind || g_ascii_strncasecmp((const char *)part.at, encoded, behind) != 0)
                return;
            part = (struct part){ part.at + behind, part.length - behind };
        }
        /* who has no parent says 0 */
        if (id_is_hex(part.at, part.length, 1, HEX_MOST))
            id_found(found, kinds[i], part.at, part.length);
    }
}

/* Amazon's: Root=1-…-…;Parent=…;Sampled=1, with Self= before where a balancer has added it. */
static void
find_amazon(const struct part *value, struct found_ids *found)
{
    struct part left = *value, part, name;
    while (take_part(&left, ';', &part)) {
        if (!take_part(&part, '=', &name) || !part.at)
            continue;
        name = trim(name);
        part = trim(part);
        if (is_called(&name, "root"))
            find_trace(&part, found);
        else if (is_called(&name, "parent") || is_called(&name, "self"))
            find_span(&part, found);
    }
}

/* Google's: the trace, a slash, the span's number, a semicolon, options. */
static void
find_cloud(const struct part *value, struct found_ids *found)
{
    struct part left = *value, ids, part;
    take_part(&left, ';', &ids);
    if (take_part(&ids, '/', &part))
        find_trace(&part, found);
    if (take_part(&ids, '/', &part))
        find_span(&part, found);
}

/* What stands behind the last comma: each proxy adds the client that it has seen itself, and only the last can be
 * believed. */
static struct part
last_of(struct part left)
{
    struct part part = { NULL, 0 };
    while (take_part(&left, ',', &part))
        ;
    return trim(part);
}

/* RFC 9110 §5.6.2 */
static bool
is_token(const struct part *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (!g_ascii_isalnum((char)text->at[i]) && !(text->at[i] && strchr("!#$%&'*+-.^_`|~", text->at[i])))
            return false;
    return text->length > 0;
}

/* Whether these are a colon and a port, which may have a name of its own, or nothing. */
static bool
is_port(struct part part)
{
    if (part.length == 0)
        return true;
    return *part.at == ':' && is_token(&(struct part){ part.at + 1, part.length - 1 });
}

/* A hash of an address without brackets or port. 0: it is none. */
static uint64_t
address_of(struct part part)
{
    char text[WS_INET6_ADDRSTRLEN];
    ws_in4_addr four;
    ws_in6_addr six;
    if (part.length >= sizeof text || memchr(part.at, '\0', part.length))
        return 0;
    memcpy(text, part.at, part.length);
    text[part.length] = '\0';
    if (ws_inet_pton4(text, &four))
        return address_hash((const uint8_t *)&four, false);
    return ws_inet_pton6(text, &six) ? address_hash((const uint8_t *)&six, true) : 0;
}

/* A hash of an address, as it stands there: with brackets, with a port, or alone. 0: it is none. */
static uint64_t
client_of(struct part part)
{
    const uint8_t *end = part.at + part.length, *colon = memchr(part.at, ':', part.length), *behind = end;
    if (part.length > 0 && *part.at == '[') {
        behind = memchr(part.at, ']', part.length);
        if (!behind || !is_port((struct part){ behind + 1, (size_t)(end - behind) - 1 }))
            return 0;
        return address_of((struct part){ part.at + 1, (size_t)(behind - part.at) - 1 });
    }
    if (colon && !memchr(colon + 1, ':', (size_t)(end - colon) - 1))
        behind = colon;
    if (!is_port((struct part){ behind, (size_t)(end - behind) }))
        return 0;
    return address_of((struct part){ part.at, (size_t)(behind - part.at) });
}

static void
find_forwarded_for(const struct part *value, struct found_ids *found)
{
    id_found_client(found, CLIENT_X_FORWARDED_FOR, client_of(last_of(*value)));
}

static void
find_real_ip(const struct part *value, struct found_ids *found)
{
    id_found_client(found, CLIENT_X_REAL_IP, client_of(*value));
}

/* RFC 7239 §4: by=…;for="[…]:…";proto=… */
static void
find_forwarded(const struct part *value, struct found_ids *found)
{
    struct part left = last_of(*value), part, name;
    while (take_part(&left, ';', &part)) {
        if (!take_part(&part, '=', &name) || !part.at)
            continue;
        name = trim(name);
        part = trim(part);
        if (part.length >= 2 && part.at[0] == '"' && part.at[part.length - 1] == '"')
            part = (struct part){ part.at + 1, part.length - 2 };
        if (is_called(&name, "for"))
            id_found_client(found, CLIENT_FORWARDED, client_of(part));
    }
}

#define FIELD(name, find)                                                                                              \
    {                                                                                                                  \
        name, sizeof name - 1, find                                                                                    \
    }

static const struct {
    const char *name;
    size_t length;
    void (*find)(const struct part *value, struct found_ids *found);
} fields[] = {
    FIELD("traceparent", find_traceparent),  FIELD("b3", find_b3),
    FIELD("x-b3-traceid", find_b3_trace),    FIELD("x-b3-spanid", find_b3_span),
    FIELD("x-b3-parentspanid", find_parent), FIELD("x-request-id", find_request),
    FIELD("x-correlation-id", find_request), FIELD("uber-trace-id", find_uber),
    FIELD("x-amzn-trace-id", find_amazon),   FIELD("x-cloud-trace-context", find_cloud),
    FIELD("x-datadog-trace-id", find_trace), FIELD("x-datadog-parent-id", find_span),
    FIELD("forwarded", find_forwarded),      FIELD("x-forwarded-for", find_forwarded_for),
    FIELD("x-real-ip", find_real_ip),
};
#undef FIELD

static bool
is_one_of(const struct part *name, const char *names)
{
    struct part left = { (const uint8_t *)names, strlen(names) }, part;
    while (take_part(&left, ',', &part)) {
        part = trim(part);
        if (part.length == name->length &&
            g_ascii_strncasecmp((const char *)part.at, (const char *)name->at, part.length) == 0)
            return part.length > 0;
    }
    return false;
}

bool
http_are_names(const char *names)
{
    struct part left = { (const uint8_t *)names, strlen(names) }, part;
    if (trim(left).length == 0)
        return true;
    while (take_part(&left, ',', &part)) {
        part = trim(part);
        if (!is_token(&part))
            return false;
    }
    return true;
}

void
http_find_ids(const uint8_t *name, size_t name_length, const uint8_t *value, size_t length, const char *more,
              struct found_ids *found)
{
    const struct part called = { name, name_length }, said = trim((struct part){ value, length });
    if (said.length == 0)
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (name_length != fields[i].length || !is_called(&called, fields[i].name))
            continue;
        fields[i].find(&said, found);
        return;
    }
    if (*more && is_one_of(&called, more))
        find_request(&said, found);
}

/* Whether the name of one of `fields` begins with this letter: most lines need not be looked at further. */
static bool
may_begin(uint8_t letter)
{
    return letter == 'x' || letter == 'X' || letter == 't' || letter == 'T' || letter == 'b' || letter == 'B' ||
           letter == 'u' || letter == 'U' || letter == 'f' || letter == 'F';
}

void
http_find_ids_in_line(const uint8_t *line, size_t length, const char *more, struct found_ids *found)
{
    struct part left = { line, length }, name;
    if (length == 0 || is_blank(*line) || (!*more && !may_begin(*line)) || !take_part(&left, ':', &name) || !left.at)
        return;
    name = trim(name);
    http_find_ids(name.at, name.length, left.at, left.length, more, found);
}
