/* id_texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "id_texts.h"

#include <string.h>

#include <glib.h>

static const uint64_t hash_first = UINT64_C(0xcbf29ce484222325);

/* FNV-1a */
static uint64_t
hash_byte(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* Mixes the bits, for who takes some of them alone. */
static uint64_t
hash_mixed(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 33;
}

static uint64_t
hash_of(const uint8_t *text, size_t length)
{
    uint64_t hash = hash_first;
    for (size_t i = 0; i < length; i++)
        hash = hash_byte(hash, g_ascii_isupper((char)text[i]) ? text[i] | 0x20U : text[i]);
    return hash_mixed(hash);
}

uint64_t
address_hash(const uint8_t *address, bool ipv6)
{
    enum { IPV4_BYTES = 4, IPV6_BYTES = 16, MAPPED_BYTES = IPV6_BYTES - IPV4_BYTES };
    static const uint8_t mapped[MAPPED_BYTES] = { [10] = 0xff, [11] = 0xff };
    const bool is_mapped = ipv6 && memcmp(address, mapped, MAPPED_BYTES) == 0;
    const unsigned from = is_mapped ? MAPPED_BYTES : 0, end = ipv6 ? IPV6_BYTES : IPV4_BYTES;
    uint64_t hash = hash_first;
    for (unsigned i = from; i < end; i++)
        hash = hash_byte(hash, address[i]);
    return hash_mixed(hash) | 1;
}

static void
add(struct found_ids *found, const struct found_id *id)
{
    for (unsigned i = 0; i < found->count; i++)
        if (found->all[i].hash == id->hash)
            return;
    if (found->count < IDS_OF_REQUEST)
        found->all[found->count++] = *id;
}

void
id_found(struct found_ids *found, enum id_kind kind, const uint8_t *text, size_t length)
{
    if (length < ID_LEAST || length > ID_MOST)
        return;
    for (size_t i = 0; i < length; i++)
        if (!g_ascii_isgraph((char)text[i]))
            return;
    add(found, &(struct found_id){ hash_of(text, length), kind });
}

void
id_found_client(struct found_ids *found, enum client_field field, uint64_t client)
{
    if (field < found->client_field)
        return;
    found->client_field = field;
    found->client = client;
}

static bool
is_zero(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Takes an id of `length` bytes that another field, or the same one again, names. False if it is another than that
 * which is known. */
static bool
take_id(uint8_t *known, const uint8_t *more, size_t length)
{
    const bool agrees = is_zero(more, length) || is_zero(known, length) || memcmp(known, more, length) == 0;
    if (is_zero(known, length))
        memcpy(known, more, length);
    return agrees;
}

void
trace_context_take(struct trace_context *known, const struct trace_context *more)
{
    if (more->field > known->field)
        *known = *more;
    if (more->field == TRACE_UNNAMED || more->field < known->field)
        return;
    const bool agrees = take_id(known->trace, more->trace, sizeof known->trace) &&
                        take_id(known->parent, more->parent, sizeof known->parent);
    known->is_contradicted |= more->is_contradicted || !agrees;
}

bool
trace_context_is_whole(const struct trace_context *context)
{
    return !context->is_contradicted && !is_zero(context->trace, sizeof context->trace) &&
           !is_zero(context->parent, sizeof context->parent);
}

static void
read_hex(const uint8_t *text, size_t length, uint8_t *bytes, size_t room)
{
    for (size_t i = 0; i < length; i++) {
        const size_t digit = 2 * room - length + i; /* from the left, with zeros before */
        const unsigned value = (unsigned)g_ascii_xdigit_value((char)text[i]);
        bytes[digit / 2] |= (uint8_t)(digit % 2 == 0 ? value << 4 : value);
    }
}

void
id_found_context(struct found_ids *found, enum trace_field field, const uint8_t *trace, size_t trace_length,
                 const uint8_t *parent, size_t parent_length)
{
    struct trace_context context = { .field = (uint8_t)field };
    if (trace)
        read_hex(trace, trace_length, context.trace, sizeof context.trace);
    if (parent)
        read_hex(parent, parent_length, context.parent, sizeof context.parent);
    trace_context_take(&found->context, &context);
}

void
ids_found(struct found_ids *found, const struct found_ids *more)
{
    for (unsigned i = 0; i < more->count; i++)
        add(found, &more->all[i]);
    id_found_client(found, more->client_field, more->client);
    trace_context_take(&found->context, &more->context);
}

bool
id_is_hex(const uint8_t *text, size_t length, size_t least, size_t most)
{
    size_t zeros = 0;
    if (length < least || length > most)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!g_ascii_isxdigit((char)text[i]))
            return false;
        zeros += text[i] == '0';
    }
    return zeros < length;
}

/* Tracers do not go on with a trace whose id has capitals (W3C Trace Context §3.2.2.3: HEXDIGLC). */
static bool
has_capitals(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (g_ascii_isupper((char)text[i]))
            return true;
    return false;
}

bool
id_found_traceparent(struct found_ids *found, const uint8_t *text, size_t length)
{
    enum { VERSION = 2, TRACE_AT = 3, TRACE = 32, SPAN_AT = 36, SPAN = 16, FLAGS_AT = 53, FLAGS = 2, ALL = 55 };
    static const char first[] = "00", invalid[] = "ff";
    const bool is_whole = length >= ALL && text[TRACE_AT - 1] == '-' && text[SPAN_AT - 1] == '-' &&
                          text[FLAGS_AT - 1] == '-' && g_ascii_isxdigit((char)text[0]) &&
                          g_ascii_isxdigit((char)text[1]) && g_ascii_isxdigit((char)text[FLAGS_AT]) &&
                          g_ascii_isxdigit((char)text[FLAGS_AT + FLAGS - 1]);
    if (!is_whole || g_ascii_strncasecmp((const char *)text, invalid, VERSION) == 0)
        return false;
    /* later versions may have more behind it */
    if (length > ALL && (memcmp(text, first, VERSION) == 0 || text[ALL] != '-'))
        return false;
    if (!id_is_hex(text + TRACE_AT, TRACE, TRACE, TRACE) || !id_is_hex(text + SPAN_AT, SPAN, SPAN, SPAN))
        return false;
    id_found(found, ID_TRACE, text + TRACE_AT, TRACE);
    id_found(found, ID_SPAN, text + SPAN_AT, SPAN);
    if (!has_capitals(text, ALL))
        id_found_context(found, TRACE_TRACEPARENT, text + TRACE_AT, TRACE, text + SPAN_AT, SPAN);
    return true;
}
