/* stat_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_table.h"

#include <stdio.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "../../core/points/process.h"
#include "../../table/ca_events.h"
#include "../ca/packet-ca.h"
#include "../../table/held_frames.h"
#include "../intake/intake.h"
#include "../intake/retention.h"
#include "../protocols/protocol_pairs.h"
#include "../protocols/protocols_table.h"
#include "../show/packet-latency.h"
#include "stat_cells.h"
#include "stat_page.h"
#include "stat_print.h"
#include "stat_unknown.h"

/* More rows than this no window shows in reasonable time. Tables without a text, where the rest could be mentioned,
 * have rows by the second: they get no longer than captures do. */
enum { STOCK_ROWS = 100000 };

struct stat_table {
    stat_tap_table_ui ui; /* first: Wireshark hands us this */
    const struct table_definition *definition;
    void *rows; /* behind ui's table; NULL if there is none, as the next two */
    wmem_allocator_t *row_scope;
    struct stat_page *page;
    struct stat_page *old_pages;   /* the latest first */
    stat_tap_table_item *heads[2]; /* by whether late columns stand last */
    const void *listener;          /* whose packets count; NULL before the first. sharkd can have several */
    int64_t start_ns;              /* of the capture, once there is a listener */
    struct held_frames held;       /* of the listener's */
};

static GSList *stat_tables;

/* Whether the program is Wireshark: asked once. */
static bool graphical;

/* Whether the last frame of the capture is being visited again, as Wireshark does, and sharkd: what it changes is
 * settled at once. */
static bool at_end;

const char *
stat_table_tap(const struct table_definition *definition)
{
    if (definition == &protocols_table)
        return PROTOCOLS_TAP;
    return definition->takes_events ? CA_TAP : LATENCY_TAP;
}

static stat_tap_table_item_type *
stock_row(struct stat_table *table, stat_tap_table *stock, unsigned row)
{
    if (row < stock->num_elements)
        return stock->elements[row];
    stock->num_elements = row + 1;
    stock->elements = g_renew(stat_tap_table_item_type *, stock->elements, stock->num_elements);
    return stock->elements[row] = stat_page_row(table->page, table->definition, row);
}

/* The row that stands for those that are too many. Wireshark sorts it among the others. */
static bool
write_left_out(struct stat_table *table, stat_tap_table_item_type *items)
{
    snprintf(table->page->omitted, sizeof table->page->omitted, "+%u rows", table_count(table->rows) - STOCK_ROWS);
    return stat_cells_write_note(table->definition, items, table->page->omitted);
}

static bool
has_text(const struct table_definition *definition)
{
    for (unsigned i = 0; definition->columns[i].name; i++)
        if (definition->columns[i].kind == CELL_TEXT)
            return true;
    return false;
}

static void
write_stock_row(struct stat_table *table, stat_tap_table *stock, unsigned row)
{
    const struct table_definition *definition = table->definition;
    bool limited = has_text(definition);
    stat_tap_table_item_type *items = stock_row(table, stock, limited ? MIN(row, STOCK_ROWS) : row);
    if (limited && row >= STOCK_ROWS) {
        write_left_out(table, items);
        return;
    }
    union table_cell cells[TABLE_COLUMNS_MOST];
    definition->fill(table->rows, row, cells, table->row_scope);
    stat_cells_write(definition, items, cells, table->page->texts, table->start_ns);
    wmem_free_all(table->row_scope);
}

/* Writes the ranks of the first `n` rows, in the order in which a text shows them. */
static void
rank(const struct stat_table *table, const stat_tap_table *stock, unsigned n)
{
    const struct table_definition *definition = table->definition;
    const struct text_table text = {
        .columns = definition->columns,
        .n_rows = n,
        .fill = definition->fill,
        .weight = definition->weight,
        .is_ranked = true,
        .rows = table->rows,
    };
    struct weighed *order = text_table_order(&text);
    for (unsigned i = 0; i < n; i++)
        stat_cells_set_rank(definition, stock->elements[order[i].row], i + 1);
    g_free(order);
}

/* Has `sum` show the total of the first `n` rows: of what is counted, and of bytes. */
static void
add_up(const struct table_definition *definition, const stat_tap_table *stock, unsigned n,
       stat_tap_table_item_type *sum)
{
    stat_cells_write_note(definition, sum, "Total");
    stat_cells_set_rank(definition, sum, RANK_NONE);
    for (unsigned row = 0; row < n; row++)
        stat_cells_add(definition, sum, stock->elements[row]);
}

static void
write_shares(const struct stat_table *table, const stat_tap_table *stock, unsigned n)
{
    table_add_up_shares(table->rows);
    for (unsigned row = 0; row < n; row++)
        stat_cells_set_share(table->definition, stock->elements[row], table_share(table->rows, row));
}

/* Has a window without rows say what `text` does, which is borrowed. */
static void
say(struct stat_table *table, stat_tap_table *stock, const char *text)
{
    stat_cells_write_absence(table->definition, stock_row(table, stock, 0), text);
}

/* Has a window without rows say why it has none. */
static void
explain(struct stat_table *table, stat_tap_table *stock)
{
    GString *text = g_string_new(NULL);
    table->definition->absence(intake_source(), text);
    g_strstrip(text->str);
    g_strdelimit(text->str, "\n", ' ');
    say(table, stock, g_string_chunk_insert(table->page->texts, *text->str ? text->str : "no rows"));
    g_string_free(text, TRUE);
}

/* Writes the rows of a table that makes them of all that it has taken. */
static void
write_made_rows(struct stat_table *table, stat_tap_table *stock)
{
    const unsigned n = MIN(table_count(table->rows), STOCK_ROWS + 1);
    for (unsigned row = 0; row < n; row++)
        write_stock_row(table, stock, row);
}

/* What depends on all rows. */
static void
settle(struct stat_table *table)
{
    if (!table->rows)
        return;
    stat_tap_table *stock = g_array_index(table->ui.tables, stat_tap_table *, 0);
    if (table_count(table->rows) == 0) {
        if (graphical)
            explain(table, stock);
        return;
    }
    if (table->definition->made_at_end)
        write_made_rows(table, stock);
    unsigned n = MIN(stock->num_elements, MIN(table_count(table->rows), STOCK_ROWS));
    if (table->definition->amount)
        write_shares(table, stock, n);
    if (!graphical)
        return;
    if (n > 0 && table->definition->is_ranked)
        rank(table, stock, n);
    /* Behind all others; without a rank it is sorted before them. */
    if (n > 1 && table->definition->adds_up)
        add_up(table->definition, stock, n, stock_row(table, stock, table_count(table->rows) > n ? n + 1 : n));
}

/* Wireshark reads a table's heads when it opens a window: those of open ones stay as they are. */
static void
place_late(struct stat_table *table, bool late)
{
    if (table->definition->n_late == 0 || table->ui.refcount > 0 || table->ui.fields == table->heads[late])
        return;
    stat_cells_set_late(late);
    table->ui.fields = table->heads[late];
}

/* At the capture's end, what depends on all rows, ranks and totals, is written. */
static void
visit(bool is_end)
{
    const bool late = graphical && process_table_is_empty(intake_analysis()->processes);
    for (GSList *entry = stat_tables; graphical && entry; entry = entry->next)
        place_late(entry->data, late);
    at_end = is_end;
    for (GSList *entry = stat_tables; at_end && entry; entry = entry->next)
        settle(entry->data);
}

static bool
take_stock_item(struct stat_table *table, const void *item)
{
    int row = table->definition->take(table->rows, item);
    if (row < 0)
        return false;
    write_stock_row(table, g_array_index(table->ui.tables, stat_tap_table *, 0), (unsigned)row);
    return true;
}

/* What the tap was told of a frame, and what waited for it. */
static bool
take_stock_data(struct stat_table *table, const packet_info *pinfo, const void *data)
{
    unsigned count = 0;
    const struct late_item *late = latency_tap_late(data, &count);
    for (unsigned i = 0; i < count; i++)
        take_stock_item(table, &late[i].item);
    if (late)
        return true;
    if (table->definition->takes_events)
        held_frames_note_event(&table->held, data, pinfo->num);
    else if (table->definition != &protocols_table)
        held_frames_note(&table->held, data, pinfo->num);
    return take_stock_item(table, data);
}

static tap_packet_status
take_stock(void *tapdata, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    struct stat_table *table = (struct stat_table *)((stat_data_t *)tapdata)->stat_tap_data;
    if (!table->listener) {
        table->listener = tapdata;
        table->start_ns = intake_source()->start_ns;
    }
    if (table->listener != tapdata)
        return TAP_PACKET_DONT_REDRAW;
    const bool is_changed = take_stock_data(table, pinfo, data);
    if (at_end)
        settle(table);
    return is_changed ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

static void
take_last_event(void *data, const struct ca_event *event)
{
    take_stock_item(data, event);
}

static void
take_last(void *data, const struct item *item, uint32_t frame _U_)
{
    const struct stat_table *table = data;
    if (!table->definition->takes_events)
        take_stock_item(data, item);
    else
        ca_events_each(intake_analysis()->channels, item, take_last_event, data);
}

static void
open_rows(struct stat_table *table)
{
    table->rows = table_open(table->definition, intake_source());
    table->row_scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    table->listener = NULL;
    table->page = stat_page_new();
}

/* Has a window that is open before its rows can be made say so. */
static void
say_when_made(struct stat_table *table, stat_tap_table *stock)
{
    if (graphical && table->definition->made_at_end)
        say(table, stock, table->definition->made_at_end);
}

static void
close_rows(struct stat_table *table)
{
    table_close(table->rows);
    wmem_destroy_allocator(table->row_scope);
    held_frames_clear(&table->held);
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
    close_rows(table);
    /* Of a single window only the last page can still be shown: while it is filled anew. */
    if (table->ui.refcount <= 1)
        stat_page_free_all(&table->old_pages);
    stat_page_keep(&table->old_pages, table->page);
    stock->num_elements = 0;
    open_rows(table);
    say_when_made(table, stock);
}

/* The table is gone, `taken` of its rows with it. */
static void
close_stock(struct stat_table *table, unsigned taken)
{
    if (!table->rows)
        return;
    close_rows(table);
    stat_page_free(table->page, taken);
    stat_page_free_all(&table->old_pages);
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
    /* Nobody told us, if the last table had no rows. */
    close_stock(table, 0);
    open_rows(table);
    stat_tap_table *opened =
        stat_tap_init_table(table->definition->title, (int)stat_cells_count(table->definition), 0, NULL);
    stat_tap_add_table(ui, opened);
    say_when_made(table, opened);
}

static void
free_stock_cell(stat_tap_table *stock, unsigned row, unsigned column, stat_tap_table_item_type *cell _U_)
{
    if (row == 0 && column == 0)
        close_stock(table_behind(stock), stock->num_elements);
}

/* Whether the table is of EPICS, whose tables have a menu of their own. */
static bool
is_of_epics(const struct table_definition *definition)
{
    return definition->takes_events;
}

/* Returns a title with which a window's entry stands in a menu of ours. Wireshark makes menus of what stands before "/"
 * in its menu Tools alone, in every version, and sorts entries by their titles: "\u2060" is nothing to be seen, and
 * stands behind all letters. It remembers a window's size by the title, unless that has a colon. */
static const char *
menu_title(const struct table_definition *definition)
{
    if (!graphical)
        return definition->title;
    char **words = g_strsplit(definition->title, ": ", 2);
    const char *title = is_of_epics(definition)
                            ? wmem_strdup_printf(wmem_epan_scope(), "Latency/\u2060EPICS/%s %s", words[0], words[1])
                            : wmem_strdup_printf(wmem_epan_scope(), "Latency/%s", words[1]);
    g_strfreev(words);
    return title;
}

static void
register_stock(const struct table_definition *definition, tap_param *parameters, size_t n_parameters)
{
    struct stat_table *table = wmem_new0(wmem_epan_scope(), struct stat_table);
    table->definition = definition;
    table->heads[false] = stat_cells_heads(definition, false);
    table->heads[true] = stat_cells_heads(definition, true);
    table->ui = (stat_tap_table_ui){
        .group = graphical ? REGISTER_TOOLS_GROUP_UNSORTED : REGISTER_STAT_GROUP_RESPONSE_TIME,
        .title = menu_title(definition),
        .tap_name = stat_table_tap(definition),
        .cli_string = definition->argument,
        .stat_tap_init_cb = open_stock,
        .packet_func = take_stock,
        .stat_tap_reset_table_cb = reset_stock,
        .stat_tap_free_table_item_cb = free_stock_cell,
        .nfields = stat_cells_count(definition),
        .fields = table->heads[true],
        .nparams = n_parameters,
        .params = parameters,
    };
    held_frames_open(&table->held, intake_source(), take_last, table);
    stat_tables = g_slist_prepend(stat_tables, table);
    register_stat_tap_table_ui(&table->ui);
}

static tap_param parameters[] = { { PARAM_FILTER, "filter", "Filter", NULL, TRUE } };

static void
register_table(const struct table_definition *definition)
{
    if (!definition->is_of_whole)
        register_stock(definition, parameters, G_N_ELEMENTS(parameters));
    /* tshark registers its own printer for the same argument next, in vain: the first one stays. */
    if (!graphical)
        stat_print_register(definition, parameters, G_N_ELEMENTS(parameters));
}

void
stat_tables_register(void)
{
    graphical = retention_has_window();
    stat_cells_set_graphical(graphical);
    latency_on_frame(visit);
    for (const struct table_definition *const *definition = table_definitions; *definition; definition++)
        register_table(*definition);
    register_table(&protocols_table);
    if (graphical)
        return;
    stat_print_register(&trees_table, parameters, G_N_ELEMENTS(parameters));
    stat_unknown_register();
}
