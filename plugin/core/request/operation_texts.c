/* operation_texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "operation_texts.h"

#include <stddef.h>
#include <string.h>

#include "../util/hashed.h"

/* Where all differ, a table of all texts that are alive costs more than reading them: each look into it is at memory
 * that no cache has. */
enum { RECENT = 2048 };

struct operation_text {
    uint32_t users; /* requests, and the slot in `recent` */
    char text[];
};

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

static void
leave(struct operation_texts *texts, struct operation_text *text)
{
    if (--text->users == 0)
        wmem_free(texts->scope, text);
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
        *recent = (struct operation_recent){ wmem_alloc(texts->scope, sizeof *recent->text + length + 1), hash };
        recent->text->users = 1;
        memcpy(recent->text->text, operation, length + 1);
    }
    recent->text->users++;
    return recent->text->text;
}

void
operation_text_leave(struct operation_texts *texts, const char *shared)
{
    leave(texts, (void *)(shared - offsetof(struct operation_text, text)));
}
