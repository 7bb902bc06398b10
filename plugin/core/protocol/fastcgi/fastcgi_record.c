/* fastcgi_record.c
 * A request is FastCGI's for certain: of the 24 bytes with which it begins 18 are always the same.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fastcgi_record.h"

#include <string.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"

/* With a request's beginning, and the header of its first parameters. */
enum { OPENING = FASTCGI_HEADER + FASTCGI_BODY + FASTCGI_HEADER };

bool
fastcgi_record_read(const uint8_t header[static FASTCGI_HEADER], bool from_client, struct fastcgi_record *record)
{
    enum { VERSION = 1, ID_AT = 2, LENGTH_AT = 4, PADDING_AT = 6, RESERVED_AT = 7 };
    *record = (struct fastcgi_record){
        .type = header[1],
        .id = pntohu16(header + ID_AT),
        .length = pntohu16(header + LENGTH_AT),
        .padding = header[PADDING_AT],
    };
    if (header[0] != VERSION || header[RESERVED_AT] != 0)
        return false;
    switch (record->type) {
    case FASTCGI_BEGIN_REQUEST:
        return from_client && record->id > 0 && record->length == FASTCGI_BODY;
    case FASTCGI_ABORT_REQUEST:
        return from_client && record->id > 0 && record->length == 0;
    case FASTCGI_PARAMS:
    case FASTCGI_STDIN:
    case FASTCGI_DATA:
        return from_client && record->id > 0;
    case FASTCGI_GET_VALUES:
        return from_client && record->id == 0;
    case FASTCGI_STDOUT:
    case FASTCGI_STDERR:
        return !from_client && record->id > 0;
    case FASTCGI_END_REQUEST:
        return !from_client && record->id > 0 && record->length == FASTCGI_BODY;
    case FASTCGI_GET_VALUES_RESULT:
        return !from_client && record->id == 0;
    case FASTCGI_UNKNOWN_TYPE:
        return !from_client && record->id == 0 && record->length == FASTCGI_BODY;
    default:
        return false;
    }
}

/* 5.1: a role, flags of which one is defined, and what is reserved. */
static bool
is_beginning(const uint8_t body[static FASTCGI_BODY])
{
    enum { FLAGS_AT = 2, RESERVED_AT = 3, KEEP = 1 };
    static const uint8_t reserved[FASTCGI_BODY - RESERVED_AT] = { 0 };
    const uint16_t role = pntohu16(body);
    return role >= FASTCGI_RESPONDER && role <= FASTCGI_FILTER && body[FLAGS_AT] <= KEEP &&
           memcmp(body + RESERVED_AT, reserved, sizeof reserved) == 0;
}

/* Returns whether a request begins here, and its first parameters follow without padding between, as far as they are
 * there; at least the header is. */
static bool
is_opening(const uint8_t *bytes, size_t length)
{
    struct fastcgi_record begins, params;
    if (!fastcgi_record_read(bytes, true, &begins) || begins.type != FASTCGI_BEGIN_REQUEST || begins.padding > 0)
        return false;
    if (length < FASTCGI_HEADER + FASTCGI_BODY)
        return true;
    if (!is_beginning(bytes + FASTCGI_HEADER))
        return false;
    if (length < OPENING)
        return true;
    return fastcgi_record_read(bytes + OPENING - FASTCGI_HEADER, true, &params) && params.type == FASTCGI_PARAMS &&
           params.id == begins.id;
}

/* Returns whether an application is asked for its limits, as it may be before all else (4.1). */
static bool
asks_values(const uint8_t *bytes, size_t length)
{
    static const char name[] = "FCGI_";
    enum { NAME_AT = FASTCGI_HEADER + 2 };
    struct fastcgi_record record;
    return length >= NAME_AT + strlen(name) && fastcgi_record_read(bytes, true, &record) &&
           record.type == FASTCGI_GET_VALUES && memcmp(bytes + NAME_AT, name, strlen(name)) == 0;
}

bool
fastcgi_recognise(const uint8_t *bytes, size_t length)
{
    return (length >= OPENING && is_opening(bytes, length)) || asks_values(bytes, length);
}

bool
fastcgi_may_begin(const uint8_t *bytes, size_t length)
{
    static const uint8_t beginning[] = { 1, FASTCGI_BEGIN_REQUEST };
    if (length < FASTCGI_HEADER)
        return memcmp(bytes, beginning, MIN(length, sizeof beginning)) == 0;
    return length < OPENING && is_opening(bytes, length);
}

bool
fastcgi_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    (void)whole;
    *from_client = fastcgi_recognise(bytes, length);
    return *from_client;
}

/* Follows the records up to the end of what the segment has, or of what is there of it. */
bool
fastcgi_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client)
{
    struct fastcgi_record record;
    uint64_t at = 0;
    while (at + FASTCGI_HEADER <= length) {
        if (!fastcgi_record_read(bytes + at, from_client, &record))
            return false;
        at += (uint64_t)FASTCGI_HEADER + record.length + record.padding;
    }
    return at > 0 && (at >= length || length < whole || length - at < FASTCGI_HEADER);
}

bool
fastcgi_recognise_answer(const uint8_t *bytes, size_t length)
{
    return fastcgi_resumes(bytes, length, length, false);
}

size_t
fastcgi_find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 64, VERSION = 1 };
    const uint8_t *at = bytes + 1, *end = bytes + length;
    for (unsigned tried = 0; tried < TRIED_MOST && at < end; tried++, at++) {
        at = memchr(at, VERSION, (size_t)(end - at));
        if (!at)
            return 0;
        if (fastcgi_recognise(at, (size_t)(end - at)))
            return (size_t)(at - bytes);
    }
    return 0;
}
