/* memcached_words.h
 * A line of memcached's text and meta protocols: its words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MEMCACHED_WORDS_H
#define LATENCY_MEMCACHED_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

enum { MEMCACHED_WORDS = 24 };

struct memcached_word {
    const uint8_t *at;
    size_t length;
};

/* Of a long line the first ones, and the last; of an empty one the first has no bytes. */
struct memcached_words {
    struct memcached_word word[MEMCACHED_WORDS];
    unsigned count;
    struct memcached_word last;
};

/* Borrows the line. */
void memcached_split(const uint8_t *line, size_t length, struct memcached_words *words);

bool memcached_is(const struct memcached_word *word, const char *text);
bool memcached_is_one_of(const struct memcached_word *word, const char *const *texts, size_t count);

#define MEMCACHED_IS_ONE_OF(word, texts) memcached_is_one_of(word, texts, G_N_ELEMENTS(texts))

/* Whether one from `first` on is the text. */
bool memcached_has(const struct memcached_words *words, unsigned first, const char *text);

/* False if word `i` is no number. */
bool memcached_number(const struct memcached_words *words, unsigned i, uint64_t *number);

#endif
