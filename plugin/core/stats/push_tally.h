/* push_tally.h
 * What the frames come to that servers sent unasked: how many, and how far apart those of a connection are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PUSH_TALLY_H
#define LATENCY_PUSH_TALLY_H

#include "../tcp/item.h"
#include "statistic.h"

/* All zero for none. Call push_tally_clear() when done with it. */
struct push_tally {
    uint64_t frames;
    struct statistic spacing; /* from each to the next of the same connection */
};

/* Takes an ITEM_UNSOLICITED. */
void push_tally_take(struct push_tally *tally, const struct item *item);

/* Takes what the other has, too: of other frames. */
void push_tally_merge(struct push_tally *tally, const struct push_tally *other);

/* Frees what the tally has allocated: it is empty then. */
void push_tally_clear(struct push_tally *tally);

/* Returns a table of tallies by connection, which are freed with it. */
GHashTable *push_tallies_new(void);

/* Returns the connection's tally; NULL if there is none. */
const struct push_tally *push_tallies_find(GHashTable *tallies, const struct connection *connection);

/* Takes an ITEM_UNSOLICITED for its connection. */
void push_tallies_take(GHashTable *tallies, const struct item *item);

#endif
