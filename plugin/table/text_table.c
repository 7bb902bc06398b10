/* text_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_table.h"

#include "folded_rows.h"
#include "text_table_data.h"
#include "text_table_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };
enum { HEAD_LINES = 2 };

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

/* As printf() has it, for which it works with many digits: of tables with many rows that was the most. */
static char *
number_text(wmem_allocator_t *scope, double number, unsigned decimals)
{
    static const double scales[] = { 1, 10, 100, 1000 };
    static const char *const formats[] = { "%.0f", "%.1f", "%.2f", "%.3f" };
    const double most = 1e15, tie = 1e-3, scaled = number * scales[decimals], fraction = scaled - floor(scaled);
    char text[G_ASCII_DTOSTR_BUF_SIZE], *at = text + sizeof text;
    if (!(scaled >= 0 && scaled < most) || fabs(fraction - 0.5) < tie)
        return wmem_strdup(scope, g_ascii_formatd(text, sizeof text, formats[decimals], number));
    uint64_t rest = (uint64_t)scaled + (fraction > 0.5);
    *--at = '\0';
    for (unsigned i = 0; rest > 0 || i <= decimals; i++, rest /= 10) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + rest % 10);
    }
    return wmem_strdup(scope, at);
}

/* Five digits, down to a thousandth. */
static char *
time_text(wmem_allocator_t *scope, double time)
{
    if (isnan(time))
        return wmem_strdup(scope, "-");
    return number_text(scope, time, time < 99.9995 ? 3 : time < 999.995 ? 2 : time < 9999.95 ? 1 : 0);
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
    case CELL_SHARE:
        return isnan(cell.number) ? wmem_strdup(scope, "-") : number_text(scope, cell.number, 1);
    case CELL_TIMESTAMP:
        return table->timestamp(scope, cell.timestamp_ns, table->start_ns);
    case CELL_FRAME:
        return cell.number > 0 ? number_text(scope, cell.number, 0) : wmem_strdup(scope, "-");
    default:
        return number_text(scope, cell.number, 0);
    }
}

static void
row_texts(const struct text_table *table, unsigned row, const char **texts, wmem_allocator_t *scope)
{
    union table_cell cells[TABLE_COLUMNS_MOST];
    table->fill(table->rows, row, cells, scope);
    for (unsigned i = 0; table->columns[i].name; i++)
        texts[i] = cell_text(table, scope, table->columns[i].kind, cells[i]);
}

static void
head_texts(const struct text_table *table, unsigned line, const char **texts, wmem_allocator_t *scope)
{
    for (unsigned i = 0; table->columns[i].name; i++) {
        const struct table_column *column = &table->columns[i];
        const char *head = table_column_head(column);
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
    for (unsigned i = 0; table->columns[i].name; i++)
        widths[i] = MAX(widths[i], (int)g_utf8_strlen(texts[i], -1));
}

static void
print_blanks(int count, FILE *file)
{
    while (count-- > 0)
        putc(' ', file);
}

/* Columns of width 0 are left out. The last may be cut, on a terminal. */
static void
print_line(const struct text_table *table, const char *const *texts, const int *widths, FILE *file)
{
    unsigned last = table_columns_count(table->columns) - 1;
    while (last > 0 && widths[last] == 0)
        last--;
    for (unsigned i = 0; i <= last; i++) {
        int padding = widths[i] - (int)g_utf8_strlen(texts[i], -1);
        bool left = table->columns[i].kind == CELL_TEXT;
        if (widths[i] == 0)
            continue;
        if (padding < 0) {
            fprintf(file, "%.*s…", (int)(g_utf8_offset_to_pointer(texts[i], widths[i] - 1) - texts[i]), texts[i]);
        } else {
            print_blanks(left ? 0 : padding, file);
            fputs(texts[i], file);
            print_blanks(left && i < last ? padding : 0, file);
        }
        fputs(i < last ? "|" : "\n", file);
    }
}

/* What most cells of a kind need. */
static void
widen_as_usual(const struct text_table *table, wmem_allocator_t *scope, int *widths)
{
    static const int usual[] = {
        [CELL_TEXT] = 15, [CELL_COUNT] = 5,      [CELL_NUMBER] = 5, [CELL_BYTES] = 8,   [CELL_TIME] = 7,
        [CELL_STAGE] = 7, [CELL_SHARE] = 5, [CELL_TIMESTAMP] = 11, [CELL_FRAME] = 7,  [CELL_REQUEST] = 7,
    };
    const char *texts[TABLE_COLUMNS_MOST];
    for (unsigned i = 0; table->columns[i].name; i++)
        widths[i] = usual[table->columns[i].kind];
    for (unsigned line = 0; line < HEAD_LINES; line++) {
        head_texts(table, line, texts, scope);
        widen(table, texts, widths);
    }
    if (!table->shows_wide)
        text_table_leave_wide(table, widths);
}

void
text_table_print_head(const struct text_table *table, FILE *file)
{
    if (table->format != TABLE_TEXT) {
        text_table_data_head(table, file);
        return;
    }
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    const char *texts[TABLE_COLUMNS_MOST];
    int widths[TABLE_COLUMNS_MOST];
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
        const char *texts[TABLE_COLUMNS_MOST];
        int widths[TABLE_COLUMNS_MOST];
        widen_as_usual(table, scope, widths);
        row_texts(table, row, texts, scope);
        for (unsigned i = 0; table->columns[i].name; i++)
            if (widths[i] > 0)
                widths[i] = MAX(widths[i], (int)g_utf8_strlen(texts[i], -1));
        print_line(table, texts, widths, file);
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
    FILE *file; /* NULL: for their widths */
    int *widths;
};

static void
show_texts(const struct printing *printing, const char *const *texts)
{
    if (printing->file)
        print_line(printing->table, texts, printing->widths, printing->file);
    else
        widen(printing->table, texts, printing->widths);
    wmem_free_all(printing->scope);
}

static void
show_aligned(void *data, unsigned row)
{
    const struct printing *printing = data;
    const char *texts[TABLE_COLUMNS_MOST];
    row_texts(printing->table, row, texts, printing->scope);
    show_texts(printing, texts);
}

static void
show_data(void *data, unsigned row)
{
    const struct printing *printing = data;
    text_table_data_row(printing->table, row, printing->scope, printing->file);
    wmem_free_all(printing->scope);
}

static void
show_lines(const struct printing *printing)
{
    const char *texts[TABLE_COLUMNS_MOST];
    for (unsigned line = 0; line < HEAD_LINES; line++) {
        head_texts(printing->table, line, texts, printing->scope);
        show_texts(printing, texts);
    }
    each_row(printing->table, show_aligned, (void *)printing);
}

/* Lines are made twice, once for their widths: a million of them need not fit into memory. */
static void
print_aligned(const struct text_table *table, wmem_allocator_t *scope, FILE *file)
{
    int widths[TABLE_COLUMNS_MOST] = { 0 };
    struct printing printing = { table, scope, NULL, widths };
    fprintf(file, "\n%s: %s\n%s", table->title, table->heading, table->notes);
    show_lines(&printing);
    text_table_fit(table, widths, file);
    printing.file = file;
    show_lines(&printing);
}

static void
print_rows(const struct text_table *table, FILE *file)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    struct printing printing = { table, scope, file, NULL };
    if (table->format == TABLE_TEXT) {
        print_aligned(table, scope, file);
    } else {
        text_table_data_head(table, file);
        each_row(table, show_data, &printing);
    }
    wmem_destroy_allocator(scope);
}

void
text_table_print(const struct text_table *table, FILE *file)
{
    struct folded_rows folded;
    const bool folds = folded_rows_begin(&folded, table);
    print_rows(folds ? &folded.table : table, file);
    if (folds)
        folded_rows_end(&folded);
}
