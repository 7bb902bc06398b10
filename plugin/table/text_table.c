/* text_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_table.h"

#include "terminal.h"
#include "text_layout.h"
#include "text_table_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const table_format_names[TABLE_FORMATS] = {
    [TABLE_TEXT] = "text",
    [TABLE_CSV] = "csv",
    [TABLE_TSV] = "tsv",
    [TABLE_JSON] = "json",
};

const char *const table_columns_names[TABLE_COLUMNS_CHOICES] = {
    [TABLE_COLUMNS_DEFAULT] = "default",
    [TABLE_COLUMNS_WIDE] = "wide",
};

double
time_cell(int64_t ns)
{
    return ns < 0 ? NAN : (double)ns;
}

void
text_table_print_head(const struct text_table *table, FILE *file)
{
    if (table->format != TABLE_TEXT) {
        text_table_data_head(table, file);
        return;
    }
    struct text_layout layout;
    text_layout_begin(&layout, table, terminal_of(file));
    text_layout_settle_usual(&layout);
    text_layout_print_title(&layout, file);
    text_layout_print_headings(&layout, file);
}

void
text_table_print_row(const struct text_table *table, unsigned row, FILE *file)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    if (table->format != TABLE_TEXT) {
        text_table_data_row(table, row, scope, file);
    } else {
        union table_cell cells[TABLE_COLUMNS_MOST];
        struct text_layout layout;
        text_layout_begin(&layout, table, terminal_of(file));
        text_layout_settle_usual(&layout);
        table->fill(table->rows, row, cells, scope);
        text_layout_print_row(&layout, cells, scope, file);
    }
    wmem_destroy_allocator(scope);
}

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
text_table_order(const struct text_table *table)
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

static void
each_row(const struct text_table *table, void (*show)(void *data, unsigned row), void *data)
{
    if (table->each) {
        table->each(table->rows, show, data);
        return;
    }
    struct weighed *order = text_table_order(table);
    for (unsigned i = 0; i < table->n_rows; i++)
        show(data, order[i].row);
    g_free(order);
}

/* For each_row(). */
struct printing {
    const struct text_table *table;
    wmem_allocator_t *scope;
    FILE *file;
    struct text_layout layout; /* of text */
};

static void
take_row(void *data, unsigned row)
{
    struct printing *printing = data;
    union table_cell cells[TABLE_COLUMNS_MOST];
    printing->table->fill(printing->table->rows, row, cells, printing->scope);
    text_layout_take(&printing->layout, cells, printing->scope);
    wmem_free_all(printing->scope);
}

static void
print_row(void *data, unsigned row)
{
    const struct printing *printing = data;
    union table_cell cells[TABLE_COLUMNS_MOST];
    printing->table->fill(printing->table->rows, row, cells, printing->scope);
    text_layout_print_row(&printing->layout, cells, printing->scope, printing->file);
    wmem_free_all(printing->scope);
}

static void
print_data(void *data, unsigned row)
{
    const struct printing *printing = data;
    text_table_data_row(printing->table, row, printing->scope, printing->file);
    wmem_free_all(printing->scope);
}

/* Rows are made twice, once for their widths: a million of them need not fit into memory. */
static void
print_text(struct printing *printing)
{
    struct text_layout *layout = &printing->layout;
    text_layout_begin(layout, printing->table, terminal_of(printing->file));
    each_row(printing->table, take_row, printing);
    text_layout_settle(layout);
    text_layout_print_title(layout, printing->file);
    text_layout_print_headings(layout, printing->file);
    each_row(printing->table, print_row, printing);
}

void
text_table_print(const struct text_table *table, FILE *file)
{
    struct printing printing = { .table = table, .scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST), .file = file };
    if (table->format == TABLE_TEXT) {
        print_text(&printing);
    } else {
        text_table_data_head(table, file);
        each_row(table, print_data, &printing);
    }
    wmem_destroy_allocator(printing.scope);
}
