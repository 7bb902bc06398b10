/* texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "texts.h"

#include <string.h>

enum { BLOCK = 8192 };

void
texts_init(struct texts *texts, wmem_allocator_t *scope)
{
    *texts = (struct texts){ .scope = scope };
}

const char *
texts_add(struct texts *texts, const void *text, size_t bytes)
{
    if (texts->left < bytes + 1) {
        texts->left = MAX(bytes + 1, BLOCK);
        texts->room = wmem_alloc(texts->scope, texts->left);
    }
    char *copy = texts->room;
    if (bytes > 0) /* else there may be no text */
        memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    texts->room += bytes + 1;
    texts->left -= bytes + 1;
    return copy;
}
