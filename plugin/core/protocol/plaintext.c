/* plaintext.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plaintext.h"

void
plaintext_add(struct plaintext *plaintext, wmem_allocator_t *scope, const struct decrypted *decrypted)
{
    if (decrypted->records == 0)
        return;
    if (!plaintext->bytes) {
        plaintext->bytes = wmem_array_sized_new(scope, 1, MAX((unsigned)decrypted->length, 1));
        plaintext->lengths = wmem_array_sized_new(scope, sizeof *decrypted->lengths, decrypted->records);
    }
    wmem_array_append(plaintext->bytes, decrypted->bytes, (unsigned)decrypted->length);
    wmem_array_append(plaintext->lengths, decrypted->lengths, decrypted->records);
}

uint32_t
plaintext_records(const struct plaintext *plaintext)
{
    return plaintext->bytes ? wmem_array_get_count(plaintext->lengths) - plaintext->first : 0;
}

struct decrypted
plaintext_first(const struct plaintext *plaintext, uint32_t n)
{
    struct decrypted first = { .records = n };
    if (n == 0)
        return first;
    first.bytes = (const uint8_t *)wmem_array_get_raw(plaintext->bytes) + plaintext->first_byte;
    first.lengths = (const uint32_t *)wmem_array_get_raw(plaintext->lengths) + plaintext->first;
    for (uint32_t i = 0; i < n; i++)
        first.length += first.lengths[i];
    return first;
}

void
plaintext_remove(struct plaintext *plaintext, uint32_t n)
{
    const struct decrypted first = plaintext_first(plaintext, n);
    plaintext->first += n;
    plaintext->first_byte += (uint32_t)first.length;
    if (plaintext_records(plaintext) > 0 || !plaintext->bytes)
        return;
    wmem_destroy_array(plaintext->bytes);
    wmem_destroy_array(plaintext->lengths);
    *plaintext = (struct plaintext){ 0 };
}
