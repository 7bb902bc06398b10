/* sql_names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sql.h"

#include <string.h>

#include <glib.h>

struct sql_name {
    uint8_t bytes;
    uint8_t name[SQL_NAME_BYTES];
    char operation[]; /* ends with a NUL */
};

/* `count` if it is not there. */
static uint32_t
index_of(const struct sql_names *names, const void *name, size_t bytes)
{
    uint32_t i = 0;
    while (i < names->count && (names->names[i]->bytes != bytes || memcmp(names->names[i]->name, name, bytes) != 0))
        i++;
    return i;
}

static uint32_t
index_for(wmem_allocator_t *scope, struct sql_names *names)
{
    enum { ROOM_FIRST = 4 };
    if (names->count == SQL_NAMES_MOST) {
        const uint32_t index = names->oldest++ % SQL_NAMES_MOST;
        wmem_free(scope, names->names[index]);
        return index;
    }
    if (names->count == names->room) {
        names->room = names->room ? 2 * names->room : ROOM_FIRST;
        names->names = wmem_realloc(scope, names->names, names->room * sizeof *names->names);
    }
    return names->count++;
}

void
sql_names_put(wmem_allocator_t *scope, struct sql_names *names, const void *name, size_t bytes, const char *operation)
{
    const size_t length = strlen(operation) + 1;
    if (bytes > SQL_NAME_BYTES)
        return;
    uint32_t index = index_of(names, name, bytes);
    if (index < names->count)
        wmem_free(scope, names->names[index]);
    else
        index = index_for(scope, names);
    struct sql_name *put = names->names[index] = wmem_alloc(scope, sizeof(struct sql_name) + length);
    put->bytes = (uint8_t)bytes;
    memcpy(put->name, name, bytes);
    memcpy(put->operation, operation, length);
}

const char *
sql_names_find(const struct sql_names *names, const void *name, size_t bytes)
{
    const uint32_t index = bytes <= SQL_NAME_BYTES ? index_of(names, name, bytes) : names->count;
    return index < names->count ? names->names[index]->operation : NULL;
}

void
sql_names_drop(wmem_allocator_t *scope, struct sql_names *names, const void *name, size_t bytes)
{
    const uint32_t index = bytes <= SQL_NAME_BYTES ? index_of(names, name, bytes) : names->count;
    if (index == names->count)
        return;
    wmem_free(scope, names->names[index]);
    names->names[index] = names->names[--names->count];
}

void
sql_names_free(wmem_allocator_t *scope, struct sql_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        wmem_free(scope, names->names[i]);
    wmem_free(scope, names->names);
    *names = (struct sql_names){ 0 };
}
