/* mysql_values.c
 * What packets consist of: numbers, texts with attributes before them, what a result ends with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mysql.h"

#include <string.h>

bool
mysql_number(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    const uint8_t *bytes = *at;
    if (bytes >= end || *bytes == 0xfb || *bytes == 0xff)
        return false;
    const unsigned more = *bytes < 0xfb ? 0 : *bytes == 0xfc ? 2 : *bytes == 0xfd ? 3 : 8;
    if ((size_t)(end - bytes) <= more)
        return false;
    *number = more == 0 ? *bytes : 0;
    for (unsigned i = 0; i < more; i++)
        *number |= (uint64_t)bytes[1 + i] << 8 * i;
    *at = bytes + 1 + more;
    return true;
}

static bool
pass_bytes(const uint8_t **at, const uint8_t *end, uint64_t bytes)
{
    if ((uint64_t)(end - *at) < bytes)
        return false;
    *at += bytes;
    return true;
}

/* Of a value of a type: its bytes, as in a binary row. */
static bool
pass_value(const uint8_t **at, const uint8_t *end, uint8_t type)
{
    enum { TINY = 1, SHORT = 2, LONG = 3, FLOAT = 4, DOUBLE = 5, NOTHING = 6, TIMESTAMP = 7, LONGLONG = 8, INT24 = 9 };
    enum { DATE = 10, TIME = 11, DATETIME = 12, YEAR = 13 };
    uint64_t bytes = 0;
    switch (type) {
    case NOTHING:
        return true;
    case TINY:
        return pass_bytes(at, end, 1);
    case SHORT:
    case YEAR:
        return pass_bytes(at, end, 2);
    case LONG:
    case INT24:
    case FLOAT:
        return pass_bytes(at, end, 4);
    case LONGLONG:
    case DOUBLE:
        return pass_bytes(at, end, 8);
    case TIMESTAMP:
    case DATE:
    case TIME:
    case DATETIME:
        return *at < end && pass_bytes(at, end, 1 + (uint64_t) * *at);
    default:
        return mysql_number(at, end, &bytes) && pass_bytes(at, end, bytes);
    }
}

/* CLIENT_QUERY_ATTRIBUTES: how many, how many sets (1), which are NULL, 1, types and names, values. No text begins with
 * a byte that counts so few. */
const uint8_t *
mysql_query_text(const uint8_t *at, const uint8_t *end)
{
    enum { ATTRIBUTES_MOST = 64 };
    uint8_t types[ATTRIBUTES_MOST];
    uint64_t name;
    if (at >= end || *at >= '\t')
        return at;
    const unsigned count = *at;
    if (end - at < 2)
        return end;
    if (at[1] != 1)
        return NULL;
    at += 2;
    if (count == 0)
        return at;
    const uint8_t *nulls = at;
    if (!pass_bytes(&at, end, (count + 7) / 8 + 1))
        return end;
    if (at[-1] != 1)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        if (end - at < 2)
            return end;
        types[i] = *at;
        at += 2;
        if (!mysql_number(&at, end, &name) || !pass_bytes(&at, end, name))
            return end;
    }
    for (unsigned i = 0; i < count; i++)
        if (!(nulls[i / 8] & 1 << i % 8) && !pass_value(&at, end, types[i]))
            return end;
    return at;
}

bool
mysql_is_definition(const uint8_t *body, const uint8_t *end)
{
    static const uint8_t catalog[] = "\3def";
    return body < end && memcmp(body, catalog, MIN((size_t)(end - body), sizeof catalog - 1)) == 0;
}

bool
mysql_is_eof(const uint8_t *body, const uint8_t *end, uint32_t size)
{
    enum { EOF_BYTES = 5 };
    return size == EOF_BYTES && body < end && *body == 0xfe;
}

int32_t
mysql_status(const uint8_t *body, const uint8_t *end, uint32_t size)
{
    enum { OK_LEAST = 7 };
    uint64_t number;
    if (mysql_is_eof(body, end, size))
        return end - body >= 5 ? body[3] | body[4] << 8 : -1;
    const uint8_t *at = body + 1;
    if (size < OK_LEAST || !mysql_number(&at, end, &number) || !mysql_number(&at, end, &number) || end - at < 4)
        return -1;
    return at[0] | at[1] << 8;
}
