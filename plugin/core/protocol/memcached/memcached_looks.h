/* memcached_looks.h
 * Which of memcached's text and meta commands an answer can be to: doc/protocol.txt.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MEMCACHED_LOOKS_H
#define LATENCY_MEMCACHED_LOOKS_H

#include "memcached_words.h"

/* Whether it is the first line of an answer. */
bool memcached_is_answer(const struct memcached_words *words);

/* For reading_asks(), and for reading_sees(). */
uint64_t memcached_looks_of_command(const struct memcached_words *words);
uint64_t memcached_looks_of_answer(const struct memcached_words *words);

#endif
