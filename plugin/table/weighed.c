/* weighed.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "weighed.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

struct named {
    char *name;
    unsigned row;
};

static int
compare_weights(const void *a, const void *b)
{
    const struct weighed *x = a;
    const struct weighed *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

static int
compare_names(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;
    int difference = strcmp(x->name, y->name);
    return difference ? difference : x->row < y->row ? -1 : 1;
}

static char *
name_of(const struct text_table *table, unsigned row, wmem_allocator_t *scope)
{
    union table_cell cells[TABLE_COLUMNS_MOST];
    GString *name = g_string_new(NULL);
    table->fill(table->rows, row, cells, scope);
    for (unsigned i = 0; table->columns[i].name; i++)
        if (table->columns[i].kind == CELL_TEXT)
            g_string_append_printf(name, "%s\n", cells[i].text);
    wmem_free_all(scope);
    return g_string_free(name, FALSE);
}

static void
order_by_name(const struct text_table *table, struct weighed *equal, unsigned n, wmem_allocator_t *scope)
{
    struct named *named = g_new(struct named, n);
    for (unsigned i = 0; i < n; i++)
        named[i] = (struct named){ name_of(table, equal[i].row, scope), equal[i].row };
    qsort(named, n, sizeof *named, compare_names);
    for (unsigned i = 0; i < n; i++) {
        equal[i].row = named[i].row;
        g_free(named[i].name);
    }
    g_free(named);
}

struct weighed *
weighed_rows(const struct text_table *table)
{
    const unsigned n = table->n_rows;
    struct weighed *order = g_new(struct weighed, n);
    for (unsigned row = 0; row < n; row++)
        order[row] = (struct weighed){ table->weight ? table->weight(table->rows, row) : 0, row };
    if (table->weight && n > 0)
        qsort(order, n, sizeof *order, compare_weights);
    if (!table->is_ranked)
        return order;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    for (unsigned from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && order[to].weight == order[from].weight;)
            to++;
        if (to - from > 1)
            order_by_name(table, order + from, to - from, scope);
    }
    wmem_destroy_allocator(scope);
    return order;
}
