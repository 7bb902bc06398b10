/* by_number.h
 * What a listener remembers of each request, or attempt, by its number in the capture. tshark can go on to another
 * capture (-b, -M), where numbers begin anew, while its tables count on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_BY_NUMBER_H
#define LATENCY_BY_NUMBER_H

#include "table_source.h"

struct by_number {
    const struct table_source *source;
    GArray *entries;
    unsigned bytes; /* of an entry */
    uint32_t capture;
};

/* Entries of `bytes`; the source is borrowed. Call by_number_clear() when done with it. */
void by_number_init(struct by_number *by_number, const struct table_source *source, unsigned bytes);
void by_number_clear(struct by_number *by_number);

/* How many entries there are, the first of which has number 0; and away with them. */
uint32_t by_number_count(const struct by_number *by_number);
void by_number_forget(struct by_number *by_number);

/* The entry, zeroed at first; valid until the next call. */
void *by_number_at(struct by_number *by_number, uint32_t number);

#endif
