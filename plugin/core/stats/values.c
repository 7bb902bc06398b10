/* values.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "values.h"

#include <stdio.h>

#include <glib.h>

struct value {
    int64_t ns;
    uint32_t number;
};

struct values {
    FILE *file;
    GPtrArray *owners; /* by number */
};

struct values *
values_new(void)
{
    FILE *file = tmpfile();
    if (!file)
        return NULL;
    struct values *values = g_new(struct values, 1);
    *values = (struct values){ file, g_ptr_array_new() };
    return values;
}

void
values_free(struct values *values)
{
    fclose(values->file);
    g_ptr_array_free(values->owners, TRUE);
    g_free(values);
}

uint32_t
values_begin(struct values *values, void *owner)
{
    g_ptr_array_add(values->owners, owner);
    return values->owners->len - 1;
}

void
values_add(struct values *values, uint32_t number, int64_t value_ns)
{
    const struct value value = { .ns = value_ns, .number = number };
    fwrite(&value, sizeof value, 1, values->file);
}

bool
values_each(struct values *values, void (*take)(void *owner, int64_t value_ns))
{
    struct value value;
    if (ferror(values->file) || fflush(values->file) != 0)
        return false;
    rewind(values->file);
    while (fread(&value, sizeof value, 1, values->file) == 1)
        take(g_ptr_array_index(values->owners, value.number), value.ns);
    return !ferror(values->file);
}
