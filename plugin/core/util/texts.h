/* texts.h
 * Short texts that live until a scope ends, packed: an allocator's header is longer than most of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXTS_H
#define LATENCY_TEXTS_H

#include <stddef.h>

#include <wsutil/wmem/wmem.h>

struct texts {
    wmem_allocator_t *scope;
    char *room;
    size_t left; /* bytes of `room` */
};

void texts_init(struct texts *texts, wmem_allocator_t *scope);

/* A copy of `bytes` bytes, none of them NUL, with a NUL after them. */
const char *texts_add(struct texts *texts, const void *text, size_t bytes);

#endif
