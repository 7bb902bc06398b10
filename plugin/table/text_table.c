/* text_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_table.h"

#include "text_table_data.h"
#include "text_table_fit.h"
#include "weighed.h"

#include <math.h>
#include <string.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };
enum { HEAD_LINES = 2 };

const char *const table_format_names[TABLE_FORMATS] = {
    [TABLE_TEXT] = "text",
    [TABLE_CSV] = "csv",
    [TABLE_TSV] = "tsv",
    [TABLE_JSON] = "json",
};

double
time_cell(int64_t ns)
{
    return ns < 0 ? NAN : (double)ns;
}

/* Five digits, down to a thousandth. */
static char *
time_text(wmem_allocator_t *scope, double time)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (isnan(time))
        return wmem_strdup(scope, "-");
    const char *format = time < 99.9995 ? "%.3f" : time < 999.995 ? "%.2f" : time < 9999.95 ? "%.1f" : "%.0f";
    return wmem_strdup(scope, g_ascii_formatd(text, sizeof text, format, time));
}

static char *
cell_text(const struct text_table *table, wmem_allocator_t *scope, enum cell_kind kind, union table_cell cell)
{
    switch (kind) {
    case CELL_TEXT:
        return wmem_strdup(scope, *cell.text ? cell.text : "-");
    case CELL_TIME:
        return time_text(scope, cell.number / NS_PER_MS);
    case CELL_STAGE:
        return time_text(scope, cell.number / NS_PER_US);
    case CELL_TIMESTAMP:
        return table->timestamp(scope, cell.timestamp_ns, table->start_ns);
    case CELL_FRAME:
        return cell.number > 0 ? wmem_strdup_printf(scope, "%.0f", cell.number) : wmem_strdup(scope, "-");
    default:
        return wmem_strdup_printf(scope, "%.0f", cell.number);
    }
}

static void
row_texts(const struct text_table *table, unsigned row, const char **texts, wmem_allocator_t *scope)
{
    union table_cell cells[table->n_columns];
    table->fill(table->rows, row, cells, scope);
    for (unsigned i = 0; i < table->n_columns; i++)
        texts[i] = cell_text(table, scope, table->columns[i].kind, cells[i]);
}

static void
head_texts(const struct text_table *table, unsigned line, const char **texts, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < table->n_columns; i++) {
        const struct table_column *column = &table->columns[i];
        const char *head = column->head ? column->head : column->name;
        const char *second = strchr(head, '\n');
        const char *unit = column->kind == CELL_TIME ? "ms" : column->kind == CELL_STAGE ? "µs" : "";
        if (line == 0)
            texts[i] = wmem_strndup(scope, head, second ? (size_t)(second - head) : strlen(head));
        else
            texts[i] = wmem_strdup_printf(scope, "%s%s%s", second ? second + 1 : "", second && *unit ? " " : "", unit);
    }
}

static void
widen(const struct text_table *table, const char *const *texts, int *widths)
{
    for (unsigned i = 0; i < table->n_columns; i++)
        widths[i] = MAX(widths[i], (int)g_utf8_strlen(texts[i], -1));
}

/* Columns of width 0 are left out. The last may be cut, on a terminal. */
static void
print_line(const struct text_table *table, const char *const *texts, const int *widths, FILE *file)
{
    unsigned last = table->n_columns - 1;
    while (last > 0 && widths[last] == 0)
        last--;
    for (unsigned i = 0; i <= last; i++) {
        int padding = widths[i] - (int)g_utf8_strlen(texts[i], -1);
        bool left = table->columns[i].kind == CELL_TEXT;
        if (widths[i] == 0)
            continue;
        if (padding < 0)
            fprintf(file, "%.*s…", (int)(g_utf8_offset_to_pointer(texts[i], widths[i] - 1) - texts[i]), texts[i]);
        else
            fprintf(file, "%*s%s%*s", left ? 0 : padding, "", texts[i], left && i < last ? padding : 0, "");
        fputs(i < last ? "|" : "\n", file);
    }
}

/* What most cells of a kind need. */
static void
widen_as_usual(const struct text_table *table, wmem_allocator_t *scope, int *widths)
{
    static const int usual[] = {
        [CELL_TEXT] = 15, [CELL_COUNT] = 5,      [CELL_BYTES] = 8, [CELL_TIME] = 7,
        [CELL_STAGE] = 7, [CELL_TIMESTAMP] = 11, [CELL_FRAME] = 7, [CELL_REQUEST] = 7,
    };
    const char *texts[table->n_columns];
    for (unsigned i = 0; i < table->n_columns; i++)
        widths[i] = usual[table->columns[i].kind];
    for (unsigned line = 0; line < HEAD_LINES; line++) {
        head_texts(table, line, texts, scope);
        widen(table, texts, widths);
    }
}

void
text_table_print_head(const struct text_table *table, FILE *file)
{
    if (table->format != TABLE_TEXT) {
        text_table_data_head(table, file);
        return;
    }
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    const char *texts[table->n_columns];
    int widths[table->n_columns];
    widen_as_usual(table, scope, widths);
    fprintf(file, "\n%s: %s\n%s", table->title, table->heading, table->notes);
    for (unsigned line = 0; line < HEAD_LINES; line++) {
        head_texts(table, line, texts, scope);
        print_line(table, texts, widths, file);
    }
    wmem_destroy_allocator(scope);
}

void
text_table_print_row(const struct text_table *table, unsigned row, FILE *file)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    if (table->format != TABLE_TEXT) {
        text_table_data_row(table, row, scope, file);
    } else {
        const char *texts[table->n_columns];
        int widths[table->n_columns];
        widen_as_usual(table, scope, widths);
        row_texts(table, row, texts, scope);
        widen(table, texts, widths);
        print_line(table, texts, widths, file);
    }
    wmem_destroy_allocator(scope);
}

/* Lines are made twice, once for their widths: a million of them need not fit into memory. */
static void
print_aligned(const struct text_table *table, const struct weighed *order, wmem_allocator_t *scope, FILE *file)
{
    int widths[table->n_columns];
    memset(widths, 0, sizeof widths);
    fprintf(file, "\n%s: %s\n%s", table->title, table->heading, table->notes);
    for (unsigned print = 0; print <= 1; print++) {
        for (unsigned line = 0; line < HEAD_LINES + table->n_rows; line++) {
            const char *texts[table->n_columns];
            if (line < HEAD_LINES)
                head_texts(table, line, texts, scope);
            else
                row_texts(table, order[line - HEAD_LINES].row, texts, scope);
            if (print)
                print_line(table, texts, widths, file);
            else
                widen(table, texts, widths);
            wmem_free_all(scope);
        }
        if (!print)
            text_table_fit(table, widths, file);
    }
}

void
text_table_print(const struct text_table *table, FILE *file)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    struct weighed *order = weighed_rows(table->weight, table->rows, table->n_rows);
    if (table->format == TABLE_TEXT) {
        print_aligned(table, order, scope, file);
    } else {
        text_table_data_head(table, file);
        for (unsigned i = 0; i < table->n_rows; i++) {
            text_table_data_row(table, order[i].row, scope, file);
            wmem_free_all(scope);
        }
    }
    g_free(order);
    wmem_destroy_allocator(scope);
}
