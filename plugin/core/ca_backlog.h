/* ca_backlog.h
 * Bytes of a stream that wait for others: captured after a gap, or the beginning of a message that is not all there.
 *
 * Wireshark by default does not hand over what fills a gap later, nor puts it in order. A backlog is small and
 * short-lived: it gives up when it holds too much. Positions are as in ca_stream.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_BACKLOG_H
#define LATENCY_CA_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

#include "ca_stream.h"

enum { CA_BACKLOG_BYTES = 1 << 18, CA_BACKLOG_CHUNKS = 512 };

struct ca_chunk {
    struct ca_chunk *next;
    uint32_t start;
    uint32_t end;
    uint8_t bytes[];
};

/* Zeroed: empty. */
struct ca_backlog {
    struct ca_chunk *first; /* by `start` */
    uint32_t bytes;
    uint32_t chunks;
};

/* Keeps a copy of `n` bytes. If that is too much, everything is dropped. */
void ca_backlog_add(struct ca_backlog *backlog, wmem_allocator_t *scope, uint32_t start, const uint8_t *bytes,
                    uint32_t n);

/* Looks where the stream misses messages whether one is all there by now, and gives up on what can be none. If so: `n`
 * bytes can be gathered from `start` on, of which `missed` have not been taken. */
bool ca_backlog_find(const struct ca_backlog *backlog, struct ca_stream *stream, uint32_t *start, uint32_t *n,
                     uint32_t *missed);

/* Whether bytes wait for others that come after those which follow `start` without a gap. */
bool ca_backlog_has_gap(const struct ca_backlog *backlog, uint32_t start);

/* Copies `n` bytes from `start` on, which are there without a gap. */
void ca_backlog_gather(const struct ca_backlog *backlog, uint32_t start, uint8_t *bytes, uint32_t n);

/* Drops what the stream does not miss. */
void ca_backlog_prune(struct ca_backlog *backlog, wmem_allocator_t *scope, const struct ca_stream *stream);

#endif
