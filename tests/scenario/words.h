/* words.h
 * The words of a scenario line and the values they stand for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_WORDS_H
#define SCENARIO_WORDS_H

#include "scenario.h"

/* Splits at blanks outside of "strings", up to a word that starts with `#`. Strings keep their quotes.
 * The result ends with NULL, free it with g_strfreev(); NULL if a string does not end. */
char **words_split(const char *line);

/* These return false if the word is not what it should be. */

/* Decimal, or hexadecimal after 0x. */
bool word_number(const char *word, uint64_t max, uint64_t *value);

/* Seconds: `0.25`, or `+0.25` after the previous time. */
bool word_time(const char *word, int64_t previous_ns, int64_t *time_ns);

/* `10.0.0.1:80`, `[::1]:80` */
bool word_endpoint(const char *word, struct scenario_endpoint *endpoint);

/* `PA`; `.` for none */
bool word_flags(const char *word, uint8_t *flags);

/* Appends `0d0a`. */
bool word_hex(const char *word, GByteArray *bytes);

/* Appends `"GET / HTTP/1.1\r\n\x00\"\\"`, without the quotes and with what its escapes mean. */
bool word_string(const char *word, GByteArray *bytes);

/* Index of the word in the list that ends with NULL; -1 if it is not there. */
int word_choice(const char *word, const char *const *choices);

/* What follows `key=`; NULL if the word does not start so. */
const char *word_value(const char *word, const char *key);

#endif
