/* text_table_fit.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_table_fit.h"

#include <string.h>
#include <unistd.h>

#include <sys/ioctl.h>

/* As much of a last column of text as is wanted before other columns are kept. */
enum { LAST_TEXT = 24 };

/* What goes first, where a table has it; then all but texts, from the right, and then texts. A row's first text, which
 * says whose it is, and its last stay. */
static const char *const least_important[] = {
    "Std",   "Min",          "p25",       "p75",         "SYN retries", "Short", "IDs missing",
    "Flags", "Frame",        "Response",  "Request",     "IP",          "p95",   "Service",
    "Bytes", "Server times", "Last byte", "Unreachable", "Refused",     "PID",
};

/* 0 if it is none. */
static int
terminal_columns(FILE *file)
{
    struct winsize size;
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static unsigned
first_text(const struct text_table *table)
{
    unsigned column = 0;
    while (column + 1 < table->n_columns && table->columns[column].kind != CELL_TEXT)
        column++;
    return column;
}

/* With a separator after each column. */
static int
line_width(const struct text_table *table, const int *widths)
{
    unsigned last = table->n_columns - 1;
    int width = -1;
    for (unsigned i = 0; i < table->n_columns; i++)
        if (widths[i] > 0)
            width += 1 + (i == last && table->columns[i].kind == CELL_TEXT ? MIN(widths[i], LAST_TEXT) : widths[i]);
    return width;
}

/* The next column to go; n_columns if none may. */
static unsigned
least(const struct text_table *table, const int *widths)
{
    unsigned kept = first_text(table), last = table->n_columns - 1;
    for (unsigned name = 0; name < G_N_ELEMENTS(least_important); name++)
        for (unsigned i = 0; i < last; i++)
            if (i != kept && widths[i] > 0 && strcmp(table->columns[i].name, least_important[name]) == 0)
                return i;
    for (unsigned texts = 0; texts <= 1; texts++)
        for (unsigned i = last; i-- > 0;)
            if (i != kept && widths[i] > 0 && (table->columns[i].kind == CELL_TEXT) == (texts == 1))
                return i;
    return table->n_columns;
}

void
text_table_fit(const struct text_table *table, int *widths, FILE *file)
{
    unsigned last = table->n_columns - 1, column;
    int columns = terminal_columns(file);
    if (columns == 0)
        return;
    GString *names = g_string_new(NULL);
    while (line_width(table, widths) > columns && (column = least(table, widths)) < table->n_columns) {
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", table->columns[column].name);
        widths[column] = 0;
    }
    if (names->len)
        fprintf(file, "Not shown on %d columns: %s.\n", columns, names->str);
    if (table->columns[last].kind == CELL_TEXT) {
        int room = columns - line_width(table, widths) + MIN(widths[last], LAST_TEXT);
        widths[last] = MIN(widths[last], MAX(room, 1));
    }
    g_string_free(names, TRUE);
}
