/* operation_texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "operation_texts.h"

#include <stddef.h>
#include <string.h>

#include "../util/hashed.h"
#include "operation.h"

/* Where all differ, a table of all texts that are alive costs more than reading them: each look into it is at memory
 * that no cache has. */
enum { RECENT = 2048 };

enum { STEP_BYTES = 32 }; /* from one size to the next */

struct operation_text {
    uint32_t users; /* requests, and the place in `recent` */
    uint32_t size;  /* its room's, in steps */
    union {
        struct operation_text *next; /* of those that are spare */
        char text[sizeof(void *)];   /* and more */
    };
};

_Static_assert(offsetof(struct operation_text, text) + OPERATION_ROOM <= (OPERATION_SIZES - 1) * STEP_BYTES,
               "The longest operation has a size");

struct operation_recent {
    struct operation_text *text; /* NULL for none */
    uint32_t hash;
};

void
operation_texts_init(struct operation_texts *texts, wmem_allocator_t *scope)
{
    *texts = (struct operation_texts){
        .scope = scope,
        .key = hashed_new_key(),
        .recent = wmem_alloc0_array(scope, struct operation_recent, RECENT),
    };
}

static struct operation_text *
new_text(struct operation_texts *texts, const char *operation, size_t length)
{
    const size_t bytes = offsetof(struct operation_text, text) + length + 1;
    const uint32_t size = (uint32_t)((bytes + STEP_BYTES - 1) / STEP_BYTES);
    struct operation_text *text = texts->spare[size];
    if (text)
        texts->spare[size] = text->next;
    else
        text = wmem_alloc(texts->scope, (size_t)size * STEP_BYTES);
    text->users = 0;
    text->size = size;
    memcpy(text->text, operation, length + 1);
    return text;
}

static void
leave(struct operation_texts *texts, struct operation_text *text)
{
    if (--text->users > 0)
        return;
    text->next = texts->spare[text->size];
    texts->spare[text->size] = text;
}

const char *
operation_text_share(struct operation_texts *texts, const char *operation)
{
    const size_t length = strlen(operation);
    const uint32_t hash = (uint32_t)hashed_bytes(texts->key, operation, length);
    struct operation_recent *recent = &texts->recent[hash % RECENT];
    if (!recent->text || recent->hash != hash || strcmp(recent->text->text, operation) != 0) {
        if (recent->text)
            leave(texts, recent->text);
        *recent = (struct operation_recent){ new_text(texts, operation, length), hash };
        recent->text->users++;
    }
    recent->text->users++;
    return recent->text->text;
}

void
operation_text_leave(struct operation_texts *texts, const char *shared)
{
    leave(texts, (void *)(shared - offsetof(struct operation_text, text)));
}
