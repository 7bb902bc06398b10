/* stat-print.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat-print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "../compat.h"
#include "packet-latency.h"

enum { NS_PER_MS = 1000000 };

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
stat_print_register(const struct stat_definition *definition, tap_param *parameters, size_t n_parameters)
{
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_RESPONSE_TIME,
        .title = definition->title,
        .cli_string = definition->argument,
        .tap_init_cb = begin_printed,
        .nparams = n_parameters,
        .params = parameters,
    };
    register_stat_tap_ui(&ui, (void *)definition);
}
