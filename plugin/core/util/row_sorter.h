/* row_sorter.h
 * Rows that come in any order and are read in that of their keys, in bounded memory: what is too much goes to a file
 * without a name, in sorted runs, which are merged when they are read.
 *
 * Errors of the file stay with it: see row_sorter_error().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ROW_SORTER_H
#define LATENCY_ROW_SORTER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct row_key {
    uint64_t major, minor;
};

/* As memcmp() has it. */
int row_key_compare(const struct row_key *a, const struct row_key *b);

struct row_sorter;

/* `file` is written and read, and stays the caller's; NULL: one in the folder for temporary files, when it is needed.
 */
struct row_sorter *row_sorter_new(FILE *file);
void row_sorter_free(struct row_sorter *sorter);

/* Not to be called once rows have been read. */
void row_sorter_add(struct row_sorter *sorter, struct row_key key, const void *bytes, uint32_t length);

/* Hands over all rows in the order of their keys, equal ones as they came; can be called again. */
void row_sorter_read(struct row_sorter *sorter,
                     void (*take)(void *data, struct row_key key, const uint8_t *bytes, uint32_t length), void *data);

/* Away with all rows. */
void row_sorter_clear(struct row_sorter *sorter);

/* The errno of the first failure; 0 if there was none. */
int row_sorter_error(const struct row_sorter *sorter);

#endif
