/* plaintext.h
 * What Wireshark has decrypted of one side's TLS records, until the stream has got to where these end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PLAINTEXT_H
#define LATENCY_PLAINTEXT_H

#include "reading.h"

/* A queue of records; all zero for none. */
struct plaintext {
    wmem_array_t *bytes, *lengths;
    uint32_t first, first_byte; /* what is before them has been read */
};

/* Adds copies of the records; they live in the scope until they are removed. */
void plaintext_add(struct plaintext *plaintext, wmem_allocator_t *scope, const struct decrypted *decrypted);

uint32_t plaintext_records(const struct plaintext *plaintext);

/* The first `n` records, in a row; borrowed until they are removed, or others added. */
struct decrypted plaintext_first(const struct plaintext *plaintext, uint32_t n);
void plaintext_remove(struct plaintext *plaintext, uint32_t n);

#endif
