/* values.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "values.h"

#include <stdio.h>

#include <glib.h>

struct value {
    int64_t ns;
    uint32_t row;
};

struct values {
    FILE *file;
};

struct values *
values_new(void)
{
    FILE *file = tmpfile();
    if (!file)
        return NULL;
    struct values *values = g_new(struct values, 1);
    values->file = file;
    return values;
}

void
values_free(struct values *values)
{
    fclose(values->file);
    g_free(values);
}

void
values_add(struct values *values, uint32_t row, int64_t value_ns)
{
    const struct value value = { .ns = value_ns, .row = row };
    fwrite(&value, sizeof value, 1, values->file);
}

bool
values_each(struct values *values, void (*take)(void *data, uint32_t row, int64_t value_ns), void *data)
{
    struct value value;
    if (ferror(values->file) || fflush(values->file) != 0)
        return false;
    rewind(values->file);
    while (fread(&value, sizeof value, 1, values->file) == 1)
        take(data, value.row, value.ns);
    return !ferror(values->file);
}
