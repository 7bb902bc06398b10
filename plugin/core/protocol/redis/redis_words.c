/* redis_words.c
 * Words and numbers that both directions of Redis have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "redis.h"

#include <string.h>

bool
redis_is_word(const uint8_t *word, size_t length, const char *name)
{
    return length == strlen(name) && g_ascii_strncasecmp((const char *)word, name, length) == 0;
}

bool
redis_is_one_of(const uint8_t *word, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (redis_is_word(word, length, names[i]))
            return true;
    return false;
}

bool
redis_is_subscription(const uint8_t *word, size_t length)
{
    static const char *const names[] = { "subscribe",   "psubscribe",   "ssubscribe",
                                         "unsubscribe", "punsubscribe", "sunsubscribe" };
    return redis_is_one_of(word, length, names, G_N_ELEMENTS(names));
}

bool
redis_read_size(const uint8_t *line, size_t length, int64_t most, int64_t *size)
{
    size_t at = 1;
    bool negative = length > 1 && line[1] == '-';
    *size = 0;
    for (at += negative; at < length && g_ascii_isdigit(line[at]) && *size <= most; at++)
        *size = *size * 10 + (line[at] - '0');
    if (at < length || at == 1U + negative || *size > most)
        return false;
    *size = negative ? -*size : *size;
    return true;
}

bool
redis_is_blocking(const uint8_t *word, size_t length)
{
    static const char *const names[] = { "BLPOP",    "BRPOP",    "BLMOVE", "BLMPOP", "BRPOPLPUSH",
                                         "BZPOPMIN", "BZPOPMAX", "BZMPOP", "WAIT",   "WAITAOF" };
    const char first = length > 0 ? g_ascii_toupper((char)word[0]) : '\0';
    return (first == 'B' || first == 'W') && redis_is_one_of(word, length, names, G_N_ELEMENTS(names));
}
