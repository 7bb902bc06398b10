/* every_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "every_table.h"

#include <stdio.h>
#include <stdlib.h>

#include <wsutil/wmem/wmem.h>

#include "lazy_wiretap.h"
#include "preferences.h"
#include "table/call_source.h"
#include "table/table.h"

struct shown {
    const struct table_definition *definition;
    void *rows;
};

static void
take_item(void *data, const struct item *item, uint32_t frame G_GNUC_UNUSED)
{
    const struct shown *shown = data;
    shown->definition->take(shown->rows, item);
}

static void
take_event(void *data, const struct ca_event *event)
{
    const struct shown *shown = data;
    shown->definition->take(shown->rows, event);
}

/* No time is negative. */
static void
check_row(const struct shown *shown, unsigned row, wmem_allocator_t *scope)
{
    const struct table_definition *definition = shown->definition;
    union table_cell cells[TABLE_COLUMNS_MOST];
    definition->fill(shown->rows, row, cells, scope);
    for (unsigned i = 0; definition->columns[i].name; i++) {
        enum cell_kind kind = definition->columns[i].kind;
        if ((kind == CELL_TIME || kind == CELL_STAGE) && cells[i].number < 0)
            abort();
    }
}

/* Prints what is no row after row, for nobody. */
static void
print(const struct shown *shown, const char *notes)
{
    FILE *file = fopen("/dev/null", "w");
    if (!file)
        abort();
    shown->definition->print(shown->rows, notes, file);
    fclose(file);
}

static void
finish_table(struct shown *shown, const struct scan *scan, const struct table_source *source)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    GString *notes = table_notes(shown->definition, shown->rows, source, NULL);
    scan_describe(scan, notes);
    if (shown->definition->print)
        print(shown, notes->str);
    g_string_free(notes, TRUE);
    for (unsigned row = 0; !shown->definition->print && row < table_count(shown->rows); row++) {
        check_row(shown, row, scope);
        wmem_free_all(scope);
    }
    table_close(shown->rows);
    wmem_destroy_allocator(scope);
}

const struct settings *
every_table_settings(void)
{
    static const struct settings *settings;
    if (!settings) {
        wmem_init();
        wiretap();
        preferences_begin();
        settings = preferences_settings();
    }
    return settings;
}

GArray *
every_table_open(struct scan *scan)
{
    GArray *tables = g_array_new(FALSE, FALSE, sizeof(struct shown));
    for (const struct table_definition *const *each = table_definitions; *each; each++) {
        struct shown shown = { *each, table_open(*each, scan_source(scan)) };
        g_array_append_val(tables, shown);
    }
    const struct shown trees = { &trees_table, table_open(&trees_table, scan_source(scan)) };
    g_array_append_val(tables, trees);
    for (unsigned i = 0; i < tables->len; i++) {
        struct shown *shown = &g_array_index(tables, struct shown, i);
        bool events = shown->definition->takes_events;
        scan_listen(scan, &(struct listener){ shown, events ? NULL : take_item, events ? take_event : NULL, false });
    }
    call_source_want(scan_source(scan));
    return tables;
}

void
every_table_close(GArray *tables, struct scan *scan)
{
    call_source_told(scan_source(scan));
    for (unsigned i = 0; i < tables->len; i++)
        finish_table(&g_array_index(tables, struct shown, i), scan, scan_source(scan));
    g_array_free(tables, TRUE);
}
