/* stat-table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat-table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/plugin_if.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "../compat.h"
#include "packet-latency.h"

enum { NS_PER_MS = 1000000, BYTES_PER_MB = 1000000 };

struct stat_table {
    stat_tap_table_ui ui; /* first: Wireshark hands us this */
    const struct stat_definition *definition;
    void *rows; /* behind ui's table; NULL if there is none */
};

static GSList *stat_tables;

/* True in Wireshark, false in tshark and sharkd. */
static bool
is_graphical(void)
{
    ws_info_t *info = NULL;
    plugin_if_get_ws_info(&info);
    return info && info->ws_info_supported;
}

/* ---- Wireshark and sharkd ---- */

static stat_tap_table_item_type
stock_cell(enum stat_kind kind, union stat_cell cell)
{
    stat_tap_table_item_type item = { .type = TABLE_ITEM_FLOAT };
    switch (kind) {
    case STAT_TEXT:
        item.type = TABLE_ITEM_STRING;
        item.value.string_value = cell.text;
        break;
    case STAT_COUNT:
        item.type = TABLE_ITEM_UINT;
        item.value.uint_value = (unsigned)cell.number;
        break;
    case STAT_BYTES:
        item.value.float_value = cell.number / BYTES_PER_MB;
        break;
    case STAT_TIME:
        /* Wireshark's CSV would shift the columns after an absent cell, sharkd's JSON cannot say NaN. */
        item.value.float_value = cell.number / NS_PER_MS;
        if (isnan(cell.number) && !is_graphical())
            item.type = TABLE_ITEM_NONE;
        break;
    }
    return item;
}

static void
write_stock_row(struct stat_table *table, stat_tap_table *stock, unsigned row)
{
    const struct stat_definition *definition = table->definition;
    union stat_cell cells[definition->n_columns];
    stat_tap_table_item_type items[definition->n_columns];
    definition->fill(table->rows, row, cells);
    for (unsigned i = 0; i < definition->n_columns; i++)
        items[i] = stock_cell(definition->columns[i].kind, cells[i]);
    stat_tap_init_table_row(stock, row, definition->n_columns, items);
}

static tap_packet_status
take_stock(void *tapdata, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    struct stat_table *table = (struct stat_table *)((stat_data_t *)tapdata)->stat_tap_data;
    int row = table->definition->take(table->rows, data);
    if (row < 0)
        return TAP_PACKET_DONT_REDRAW;
    write_stock_row(table, g_array_index(table->ui.tables, stat_tap_table *, 0), (unsigned)row);
    return TAP_PACKET_REDRAW;
}

static void
close_rows(struct stat_table *table)
{
    if (table->rows)
        table->definition->close(table->rows);
    table->rows = NULL;
}

static struct stat_table *
table_behind(const stat_tap_table *stock)
{
    for (GSList *entry = stat_tables; entry; entry = entry->next) {
        struct stat_table *table = entry->data;
        if (table->ui.tables && table->ui.tables->len > 0 &&
            g_array_index(table->ui.tables, stat_tap_table *, 0) == stock)
            return table;
    }
    return NULL;
}

static void
reset_stock(stat_tap_table *stock)
{
    struct stat_table *table = table_behind(stock);
    for (unsigned i = 0; i < stock->num_elements; i++)
        g_free(stock->elements[i]);
    stock->num_elements = 0;
    close_rows(table);
    table->rows = table->definition->open();
}

static void
open_stock(stat_tap_table_ui *ui)
{
    struct stat_table *table = (struct stat_table *)ui;
    stat_tap_table *stock = stat_tap_find_table(ui, table->definition->title);
    if (stock) {
        reset_stock(stock);
        return;
    }
    close_rows(table);
    table->rows = table->definition->open();
    stat_tap_add_table(ui, stat_tap_init_table(table->definition->title, (int)table->definition->n_columns, 0, NULL));
}

static void
free_stock_cell(stat_tap_table *stock, unsigned row, unsigned column, stat_tap_table_item_type *cell _U_)
{
    if (row == 0 && column == 0)
        close_rows(table_behind(stock));
}

static stat_tap_table_item
stock_column(const struct stat_column *column)
{
    static const char *const units[] = {
        [STAT_TEXT] = "", [STAT_COUNT] = "", [STAT_BYTES] = " (MB)", [STAT_TIME] = " (ms)"
    };
    static const stat_tap_table_item_enum types[] = { TABLE_ITEM_STRING, TABLE_ITEM_UINT, TABLE_ITEM_FLOAT,
                                                      TABLE_ITEM_FLOAT };
    static const char *const formats[] = { "%s", "%u", "%f", "%f" };
    return (stat_tap_table_item){
        .type = types[column->kind],
        .align = column->kind == STAT_TEXT ? TAP_ALIGN_LEFT : TAP_ALIGN_RIGHT,
        .column_name = wmem_strdup_printf(wmem_epan_scope(), "%s%s", column->name, units[column->kind]),
        .field_format = formats[column->kind],
    };
}

static void
register_stock(const struct stat_definition *definition, tap_param *parameters, size_t n_parameters)
{
    struct stat_table *table = wmem_new0(wmem_epan_scope(), struct stat_table);
    table->definition = definition;
    table->ui = (stat_tap_table_ui){
        .group = REGISTER_STAT_GROUP_RESPONSE_TIME,
        .title = definition->title,
        .tap_name = LATENCY_TAP,
        .cli_string = definition->argument,
        .stat_tap_init_cb = open_stock,
        .packet_func = take_stock,
        .stat_tap_reset_table_cb = reset_stock,
        .stat_tap_free_table_item_cb = free_stock_cell,
        .nfields = definition->n_columns,
        .fields = wmem_alloc_array(wmem_epan_scope(), stat_tap_table_item, definition->n_columns),
        .nparams = n_parameters,
        .params = parameters,
    };
    for (unsigned i = 0; i < definition->n_columns; i++)
        table->ui.fields[i] = stock_column(&definition->columns[i]);
    stat_tables = g_slist_prepend(stat_tables, table);
    register_stat_tap_table_ui(&table->ui);
}

/* ---- tshark ---- */

struct printed {
    const struct stat_definition *definition;
    void *rows;
    char *filter;
};

struct weighed_row {
    double weight;
    unsigned row;
};

static int
compare_weights(const void *a, const void *b)
{
    const struct weighed_row *x = a;
    const struct weighed_row *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

static char *
cell_text(enum stat_kind kind, union stat_cell cell)
{
    if (kind == STAT_TEXT)
        return g_strdup(cell.text);
    if (isnan(cell.number))
        return g_strdup("-");
    return kind == STAT_TIME ? g_strdup_printf("%.3f", cell.number / NS_PER_MS) : g_strdup_printf("%.0f", cell.number);
}

static void
print_line(const struct stat_definition *definition, char *const *texts, const int *widths)
{
    for (unsigned i = 0; i < definition->n_columns; i++) {
        bool left = definition->columns[i].kind == STAT_TEXT;
        if (left && i + 1 == definition->n_columns)
            printf("%s", texts[i]);
        else
            printf("%*s%s", left ? -widths[i] : widths[i], texts[i], i + 1 < definition->n_columns ? "|" : "");
    }
    printf("\n");
}

/* The rows in order; the first line is the column heads, the second their units. */
static GPtrArray *
lines_of(const struct printed *table)
{
    static const char *const units[] = { [STAT_TEXT] = "", [STAT_COUNT] = "", [STAT_BYTES] = "", [STAT_TIME] = "ms" };
    const struct stat_definition *definition = table->definition;
    unsigned n_rows = definition->count(table->rows);
    GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    char **heads = g_new0(char *, definition->n_columns + 1);
    char **unit_line = g_new0(char *, definition->n_columns + 1);
    for (unsigned i = 0; i < definition->n_columns; i++) {
        heads[i] = g_strdup(definition->columns[i].name);
        unit_line[i] = g_strdup(units[definition->columns[i].kind]);
    }
    g_ptr_array_add(lines, heads);
    g_ptr_array_add(lines, unit_line);

    struct weighed_row *order = g_new(struct weighed_row, n_rows + 1);
    for (unsigned row = 0; row < n_rows; row++)
        order[row] = (struct weighed_row){ definition->weight ? definition->weight(table->rows, row) : 0, row };
    qsort(order, n_rows, sizeof *order, compare_weights);
    for (unsigned row = 0; row < n_rows; row++) {
        union stat_cell cells[definition->n_columns];
        char **texts = g_new0(char *, definition->n_columns + 1);
        definition->fill(table->rows, order[row].row, cells);
        for (unsigned i = 0; i < definition->n_columns; i++)
            texts[i] = cell_text(definition->columns[i].kind, cells[i]);
        g_ptr_array_add(lines, texts);
    }
    g_free(order);
    return lines;
}

static void
print_table(void *tapdata)
{
    struct printed *table = tapdata;
    const struct stat_definition *definition = table->definition;
    GPtrArray *lines = lines_of(table);
    int widths[definition->n_columns];
    memset(widths, 0, sizeof widths);
    for (unsigned line = 0; line < lines->len; line++) {
        char **texts = g_ptr_array_index(lines, line);
        for (unsigned i = 0; i < definition->n_columns; i++)
            widths[i] = MAX(widths[i], (int)g_utf8_strlen(texts[i], -1));
    }
    GString *summary = g_string_new(NULL);
    definition->summarize(table->rows, summary);
    printf("\n%s: %s\n", definition->title, definition->heading);
    printf("Filter: %s\n", table->filter ? table->filter : "none");
    for (unsigned line = 0; line < lines->len; line++)
        print_line(definition, g_ptr_array_index(lines, line), widths);
    printf("%s\n", summary->str);
    g_string_free(summary, TRUE);
    g_ptr_array_free(lines, TRUE);
}

static void
reset_printed(void *tapdata)
{
    struct printed *table = tapdata;
    table->definition->close(table->rows);
    table->rows = table->definition->open();
}

static tap_packet_status
take_printed(void *tapdata, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    struct printed *table = tapdata;
    return table->definition->take(table->rows, data) < 0 ? TAP_PACKET_DONT_REDRAW : TAP_PACKET_REDRAW;
}

static void
finish_printed(void *tapdata)
{
    struct printed *table = tapdata;
    table->definition->close(table->rows);
    g_free(table->filter);
    g_free(table);
}

/* tshark takes any -z argument that begins like ours for ours. */
static stat_init_result
begin_printed(const char *argument, void *userdata)
{
    const struct stat_definition *definition = userdata;
    const char *filter = argument + strlen(definition->argument);
    if (*filter != '\0' && *filter != ',') {
        report_failure("Invalid -z argument \"%s\"; did you mean \"%s[,filter]\"?", argument, definition->argument);
        exit(1);
    }
    struct printed *table = g_new(struct printed, 1);
    *table = (struct printed){ definition, definition->open(), *filter && filter[1] ? g_strdup(filter + 1) : NULL };
    GString *error = register_tap_listener(LATENCY_TAP, table, table->filter, TL_REQUIRES_NOTHING, reset_printed,
                                           take_printed, print_table, finish_printed);
    if (error) {
        report_failure("Invalid filter in -z %s: %s", argument, error->str);
        exit(1);
    }
    STAT_INIT_DONE;
}

void
stat_table_register(const struct stat_definition *definition)
{
    static tap_param parameters[] = { { PARAM_FILTER, "filter", "Filter", NULL, TRUE } };
    register_stock(definition, parameters, G_N_ELEMENTS(parameters));
    if (is_graphical())
        return;
    /* tshark registers its own printer for the same argument next, in vain: the first one stays. */
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_RESPONSE_TIME,
        .title = definition->title,
        .cli_string = definition->argument,
        .tap_init_cb = begin_printed,
        .nparams = G_N_ELEMENTS(parameters),
        .params = parameters,
    };
    register_stat_tap_ui(&ui, (void *)definition);
}
