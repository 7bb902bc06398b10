/* redis_operation.c
 * What a request of Redis asks for: the command, without keys.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "redis.h"

#include <string.h>

/* An array of bulk strings. */
bool
redis_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    const uint8_t *end = bytes + length;
    size_t word = 0;
    if (length == 0 || bytes[0] != '*')
        return false;
    const uint8_t *at = bytes + 1;
    while (at < end && g_ascii_isdigit(*at))
        at++;
    if (end - at < 3 || memcmp(at, "\r\n$", 3) != 0 || at == bytes + 1)
        return false;
    for (at += 3; at < end && g_ascii_isdigit(*at) && word < OPERATION_LONGEST; at++)
        word = word * 10 + (size_t)(*at - '0');
    if (end - at < 3 || memcmp(at, "\r\n", 2) != 0)
        return false;
    size_t i = 0;
    for (at += 2; at < end && i < word; at++, i++)
        operation_put(writer, &(uint8_t){ (uint8_t)g_ascii_toupper((char)*at) }, 1);
    writer->cut |= i < word;
    return true;
}
