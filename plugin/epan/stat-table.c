/* stat-table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat-table.h"

#include <math.h>

#include <epan/plugin_if.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "packet-latency.h"
#include "stat-print.h"

enum { NS_PER_MS = 1000000, BYTES_PER_MB = 1000000 };

/* How Wireshark and sharkd take each kind of cell. */
static const struct {
    stat_tap_table_item_enum type;
    const char *unit;
    const char *format;
} stock_kinds[] = {
    [STAT_TEXT] = { TABLE_ITEM_STRING, "", "%s" },
    [STAT_COUNT] = { TABLE_ITEM_UINT, "", "%u" },
    [STAT_BYTES] = { TABLE_ITEM_FLOAT, " (MB)", "%f" },
    [STAT_TIME] = { TABLE_ITEM_FLOAT, " (ms)", "%f" },
};

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

static stat_tap_table_item_type
stock_cell(enum stat_kind kind, union stat_cell cell)
{
    stat_tap_table_item_type item = { .type = stock_kinds[kind].type };
    switch (kind) {
    case STAT_TEXT:
        item.value.string_value = cell.text;
        break;
    case STAT_COUNT:
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
    return (stat_tap_table_item){
        .type = stock_kinds[column->kind].type,
        .align = column->kind == STAT_TEXT ? TAP_ALIGN_LEFT : TAP_ALIGN_RIGHT,
        .column_name = wmem_strdup_printf(wmem_epan_scope(), "%s%s", column->name, stock_kinds[column->kind].unit),
        .field_format = stock_kinds[column->kind].format,
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

void
stat_table_register(const struct stat_definition *definition)
{
    static tap_param parameters[] = { { PARAM_FILTER, "filter", "Filter", NULL, TRUE } };
    register_stock(definition, parameters, G_N_ELEMENTS(parameters));
    if (is_graphical())
        return;
    /* tshark registers its own printer for the same argument next, in vain: the first one stays. */
    stat_print_register(definition, parameters, G_N_ELEMENTS(parameters));
}
