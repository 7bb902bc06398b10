/* memcached_words.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "memcached_words.h"

#include <string.h>

void
memcached_split(const uint8_t *line, size_t length, struct memcached_words *words)
{
    words->count = 0;
    words->word[0] = words->last = (struct memcached_word){ line, 0 };
    for (size_t at = 0; at < length;) {
        size_t begin = at;
        while (at < length && line[at] != ' ')
            at++;
        if (at > begin) {
            words->last = (struct memcached_word){ line + begin, at - begin };
            if (words->count < MEMCACHED_WORDS)
                words->word[words->count++] = words->last;
        }
        at++;
    }
}

bool
memcached_is(const struct memcached_word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->at, text, word->length) == 0;
}

bool
memcached_is_one_of(const struct memcached_word *word, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcached_is(word, texts[i]))
            return true;
    return false;
}

bool
memcached_has(const struct memcached_words *words, unsigned first, const char *text)
{
    for (unsigned i = first; i < words->count; i++)
        if (memcached_is(&words->word[i], text))
            return true;
    return false;
}

bool
memcached_number(const struct memcached_words *words, unsigned i, uint64_t *number)
{
    *number = 0;
    if (i >= words->count || words->word[i].length > 18)
        return false;
    for (size_t at = 0; at < words->word[i].length; at++) {
        if (!g_ascii_isdigit(words->word[i].at[at]))
            return false;
        *number = *number * 10 + (uint64_t)(words->word[i].at[at] - '0');
    }
    return true;
}
