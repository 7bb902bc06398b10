/* folded_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "folded_rows.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

/* Of more than so many, what makes them alike would need much memory. */
enum { ROWS_MOST = 100000, ALIKE_LEAST = 3, NS_PER_MS = 1000000 };

struct folded_row {
    unsigned first, count; /* of the table's rows */
};

/* Which rows are alike, while that is found out. */
struct alike {
    GHashTable *classes; /* by what their rows have in common: the number of the class, plus one */
    GArray *counts;      /* of unsigned: the rows of each class */
    GString *common;     /* of the row that is looked at */
    wmem_allocator_t *scope;
};

static void
append_time(GString *common, double ns)
{
    if (isnan(ns))
        g_string_append(common, "-");
    else
        g_string_append_printf(common, "%.0f", floor(ns / NS_PER_MS));
}

/* Appends what a cell of a row has in common with those of rows that are alike. */
static void
append_cell(GString *common, enum cell_kind kind, union table_cell cell)
{
    switch (kind) {
    case CELL_TEXT:
        g_string_append(common, cell.text);
        break;
    case CELL_TIME:
    case CELL_STAGE:
        append_time(common, cell.number);
        break;
    case CELL_TIMESTAMP:
        g_string_append_printf(common, "%" PRId64, cell.timestamp_ns / NS_PER_MS);
        break;
    case CELL_NUMBER:
    case CELL_FRAME:
    case CELL_REQUEST:
        break;
    default:
        g_string_append_printf(common, "%.17g", cell.number);
    }
    g_string_append_c(common, '\n');
}

/* Returns the class of a row, which it is counted in. */
static unsigned
class_of(struct alike *alike, const struct text_table *table, unsigned row)
{
    const unsigned last = table_columns_count(table->columns) - 1;
    union table_cell cells[TABLE_COLUMNS_MOST];
    const bool may_fold = !table->may_fold || table->may_fold(table->rows, row);
    unsigned number = alike->counts->len;
    if (may_fold) {
        table->fill(table->rows, row, cells, alike->scope);
        g_string_truncate(alike->common, 0);
        for (unsigned i = 0; i < last; i++)
            append_cell(alike->common, table->columns[i].kind, cells[i]);
        wmem_free_all(alike->scope);
        const unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(alike->classes, alike->common->str));
        if (known)
            number = known - 1;
        else
            g_hash_table_insert(alike->classes, g_strdup(alike->common->str), GUINT_TO_POINTER(number + 1));
    }
    if (number == alike->counts->len)
        g_array_set_size(alike->counts, number + 1);
    g_array_index(alike->counts, unsigned, number)++;
    return number;
}

/* Appends the rows that are printed; returns how many of the table's rows they fold. */
static unsigned
fold(GArray *rows, const struct text_table *table)
{
    const unsigned n = table->n_rows;
    struct weighed *order = text_table_order(table);
    unsigned *classes = g_new(unsigned, n), folds = 0;
    struct alike alike = {
        .classes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .counts = g_array_new(FALSE, TRUE, sizeof(unsigned)),
        .common = g_string_new(NULL),
        .scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST),
    };
    for (unsigned i = 0; i < n; i++)
        classes[i] = class_of(&alike, table, order[i].row);
    for (unsigned i = 0; i < n; i++) {
        unsigned *count = &g_array_index(alike.counts, unsigned, classes[i]);
        const struct folded_row row = { order[i].row, *count < ALIKE_LEAST ? 1 : *count };
        if (*count > 0)
            g_array_append_val(rows, row);
        folds += *count < ALIKE_LEAST ? 0 : *count;
        if (*count >= ALIKE_LEAST)
            *count = 0;
    }
    wmem_destroy_allocator(alike.scope);
    g_string_free(alike.common, TRUE);
    g_array_free(alike.counts, TRUE);
    g_hash_table_destroy(alike.classes);
    g_free(classes);
    g_free(order);
    return folds;
}

static void
fill_folded(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct folded_rows *folded = data;
    const struct folded_row *of = &g_array_index(folded->rows, struct folded_row, row);
    const unsigned last = table_columns_count(folded->of->columns) - 1;
    folded->of->fill(folded->of->rows, of->first, cells, scope);
    if (of->count > 1)
        cells[last].text = wmem_strdup_printf(scope, "%u %s: %s, …", of->count, folded->of->folded, cells[last].text);
}

bool
folded_rows_begin(struct folded_rows *folded, const struct text_table *table)
{
    if (!table->folded || table->format != TABLE_TEXT || table->shows_wide || table->n_rows < ALIKE_LEAST ||
        table->n_rows > ROWS_MOST)
        return false;
    *folded = (struct folded_rows){ .table = *table, .of = table };
    folded->rows = g_array_new(FALSE, FALSE, sizeof(struct folded_row));
    const unsigned folds = fold(folded->rows, table);
    if (folds == 0) {
        g_array_free(folded->rows, TRUE);
        return false;
    }
    folded->notes = g_string_new(table->notes);
    const unsigned lines = folds + folded->rows->len - table->n_rows;
    g_string_append_printf(folded->notes, "Alike: %u %s share %u row%s; with all columns, each has a row.\n", folds,
                           table->folded, lines, plurality(lines, "", "s"));
    folded->table.notes = folded->notes->str;
    folded->table.n_rows = folded->rows->len;
    folded->table.fill = fill_folded;
    folded->table.weight = NULL;
    folded->table.is_ranked = false;
    folded->table.each = NULL;
    folded->table.rows = folded;
    return true;
}

void
folded_rows_end(struct folded_rows *folded)
{
    g_array_free(folded->rows, TRUE);
    g_string_free(folded->notes, TRUE);
}
