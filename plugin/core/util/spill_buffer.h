/* spill_buffer.h
 * Many byte chains that grow at their ends, in bounded memory: when all together hold too much, they go to a file.
 *
 * What one call appends is read back at once. Errors of the file stay with it: see spill_buffer_error().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SPILL_BUFFER_H
#define LATENCY_SPILL_BUFFER_H

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

struct spill_buffer;

/* `file` is read and written, and stays the caller's. */
struct spill_buffer *spill_buffer_new(FILE *file);
void spill_buffer_free(struct spill_buffer *spill_buffer);

void chain_append(struct spill_buffer *spill_buffer, struct chain *chain, const void *bytes, uint32_t length);

/* Whether something was appended since the last chain_clear(). */
bool chain_is_empty(const struct chain *chain);

/* Hands over all bytes of the chain in order, part by part. */
void chain_read(struct spill_buffer *spill_buffer, const struct chain *chain,
                void (*take)(void *data, const uint8_t *bytes, size_t length), void *data);

/* Forgets the chain's bytes; to be called before its memory goes. */
void chain_clear(struct spill_buffer *spill_buffer, struct chain *chain);

/* The errno of the first failure; 0 if there was none. */
int spill_buffer_error(const struct spill_buffer *spill_buffer);

#endif
