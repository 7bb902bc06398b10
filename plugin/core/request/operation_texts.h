/* operation_texts.h
 * What requests ask for, as text: each text once, for all requests that have it, as long as it was asked for lately.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OPERATION_TEXTS_H
#define LATENCY_OPERATION_TEXTS_H

#include <stdint.h>

#include <wsutil/wmem/wmem.h>

struct operation_texts {
    wmem_allocator_t *scope;
    uint64_t key;                    /* of the hashes, another one in each run */
    struct operation_recent *recent; /* by hash */
};

void operation_texts_init(struct operation_texts *texts, wmem_allocator_t *scope);

/* Returns a copy of the operation, or the one that others have; for operation_text_leave(). */
const char *operation_text_share(struct operation_texts *texts, const char *operation);

/* Gives back what operation_text_share() has returned. */
void operation_text_leave(struct operation_texts *texts, const char *shared);

#endif
