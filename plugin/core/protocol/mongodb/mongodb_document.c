/* mongodb_document.c
 * BSON: bsonspec.org/spec.html.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mongodb_document.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "../../request/request.h"

enum { DOUBLE = 0x01, STRING = 0x02, DOCUMENT = 0x03, ARRAY = 0x04, BINARY = 0x05, ID = 0x07, BOOL = 0x08 };
enum { DATE = 0x09, NOTHING = 0x0a, REGEX = 0x0b, INT32 = 0x10, TIMESTAMP = 0x11, INT64 = 0x12, DECIMAL = 0x13 };

struct element {
    uint8_t type;
    const char *name; /* ends with a NUL */
    const uint8_t *value, *end;
};

/* Bytes of a value; 0 if they are not known. */
static size_t
value_bytes(const struct element *element, const uint8_t *end)
{
    const size_t left = (size_t)(end - element->value);
    const size_t length = left >= 4 ? pletohu32(element->value) : SIZE_MAX / 2;
    switch (element->type) {
    case DOUBLE:
    case DATE:
    case TIMESTAMP:
    case INT64:
        return 8;
    case STRING:
        return 4 + length;
    case DOCUMENT:
    case ARRAY:
        return length;
    case BINARY:
        return 5 + length;
    case ID:
        return 12;
    case BOOL:
        return 1;
    case INT32:
        return 4;
    case DECIMAL:
        return 16;
    default:
        return 0;
    }
}

/* The next element of a document that begins at `at`, which is moved behind it; false where there is none, or not all
 * of it. */
static bool
next_element(const uint8_t **at, const uint8_t *end, struct element *element)
{
    if (*at >= end || **at == 0)
        return false;
    const uint8_t *name = *at + 1;
    const uint8_t *nul = name < end ? memchr(name, '\0', (size_t)(end - name)) : NULL;
    if (!nul)
        return false;
    *element = (struct element){ .type = **at, .name = (const char *)name, .value = nul + 1 };
    const size_t bytes = value_bytes(element, end);
    if (bytes > (size_t)(end - element->value) || (bytes == 0 && element->type != NOTHING))
        return false;
    element->end = *at = element->value + bytes;
    return true;
}

static bool
is_named(const struct element *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

static bool
begin_document(const uint8_t **at, const uint8_t *end)
{
    enum { LENGTH_BYTES = 4 };
    if (end - *at <= LENGTH_BYTES)
        return false;
    *at += LENGTH_BYTES;
    return true;
}

/* A string's text is cut where it does not fit. */
static void
copy_string(const struct element *element, char *text, size_t room)
{
    const size_t bytes = MIN((size_t)(element->end - element->value) - 4, room - 1);
    memcpy(text, element->value + 4, bytes);
    text[bytes] = '\0';
}

static bool
is_zero(const struct element *element)
{
    static const uint8_t zeros[8];
    const size_t bytes = (size_t)(element->end - element->value);
    return (element->type == DOUBLE || element->type == INT32 || element->type == INT64 || element->type == BOOL) &&
           memcmp(element->value, zeros, bytes) == 0;
}

/* Whether the element says how long to wait for a change of the server (hello), or for what a cursor that awaits data
 * is yet to find (getMore, of which no other has a time). */
static bool
is_waiting_time(const struct element *element, const char *command)
{
    return (is_named(element, "maxAwaitTimeMS") ||
            (is_named(element, "maxTimeMS") && strcmp(command, "getMore") == 0)) &&
           !is_zero(element);
}

bool
mongodb_command(const uint8_t *at, const uint8_t *end, char *operation)
{
    char database[OPERATION_ROOM] = "", collection[OPERATION_ROOM] = "", subject[2 * OPERATION_ROOM];
    const char *name = "";
    struct element element;
    bool waits = false;
    operation[0] = '\0';
    if (!begin_document(&at, end))
        return false;
    for (bool is_first = true; next_element(&at, end, &element); is_first = false) {
        const bool is_text = element.type == STRING && element.end - element.value > 4;
        if (is_first)
            name = element.name;
        if (is_text && (is_first || (is_named(&element, "collection") && !*collection)))
            copy_string(&element, collection, sizeof collection);
        else if (is_text && is_named(&element, "$db"))
            copy_string(&element, database, sizeof database);
        waits |= is_waiting_time(&element, name);
    }
    snprintf(subject, sizeof subject, "%s%s%s", database, *database && *collection ? "." : "", collection);
    operation_of(name, subject, operation);
    return waits;
}

bool
mongodb_has_failed(const uint8_t *at, const uint8_t *end, char *status)
{
    bool is_error = false, is_ok = true;
    struct element element;
    g_strlcpy(status, "error", STATUS_ROOM);
    if (!begin_document(&at, end))
        return false;
    while (next_element(&at, end, &element)) {
        if (is_named(&element, "ok"))
            is_ok = !is_zero(&element);
        is_error |= is_named(&element, "errmsg");
        if (is_named(&element, "code") && element.type == INT32)
            snprintf(status, STATUS_ROOM, "%u", pletohu32(element.value));
        if (is_named(&element, "writeErrors") && element.type == ARRAY) {
            g_strlcpy(status, "writeErrors", STATUS_ROOM);
            return true;
        }
    }
    return !is_ok && is_error;
}
