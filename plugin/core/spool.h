/* spool.h
 * Many byte chains that grow at their ends, in bounded memory: when all together hold too much, they go to a file.
 *
 * What one call appends is read back in one piece. Errors of the file stay with it: see spool_error().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SPOOL_H
#define LATENCY_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <glib.h>

/* All zero when empty. */
struct chain {
    uint8_t *bytes;
    uint32_t used, room;
    int64_t block; /* where the last block lies in the file, plus one; 0 for none */
    GList link;    /* among those with bytes in memory */
};

struct spool;

/* `file` is read and written, and stays the caller's. */
struct spool *spool_new(FILE *file);
void spool_free(struct spool *spool);

void chain_append(struct spool *spool, struct chain *chain, const void *bytes, uint32_t length);

/* Whether something was appended since the last chain_clear(). */
bool chain_is_empty(const struct chain *chain);

/* Hands over all bytes of the chain in order, in pieces. */
void chain_read(struct spool *spool, const struct chain *chain,
                void (*take)(void *data, const uint8_t *bytes, size_t length), void *data);

/* Forgets the chain's bytes; to be called before its memory goes. */
void chain_clear(struct spool *spool, struct chain *chain);

/* The errno of the first failure; 0 if there was none. */
int spool_error(const struct spool *spool);

#endif
