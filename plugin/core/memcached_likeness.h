/* memcached_likeness.h
 * Which of memcached's text and meta commands an answer can be to: doc/protocol.txt.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MEMCACHED_LIKENESS_H
#define LATENCY_MEMCACHED_LIKENESS_H

#include "memcached_words.h"

/* Whether it is the first line of an answer. */
bool memcached_is_answer(const struct memcached_words *words);

/* For reading_asks(), and for reading_compare(). */
uint64_t memcached_likeness_of_command(const struct memcached_words *words);
uint64_t memcached_likeness_of_answer(const struct memcached_words *words);

/* Of quiet gets, which have several answers. */
uint64_t memcached_likeness_of_groups(void);

#endif
