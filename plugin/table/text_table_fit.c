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

/* What goes first, where a table has it; then all but texts, from the right, and then texts. What is left of a row says
 * how long it took, and of whom: the last text, or else the first. */
static const char *const least_important[] = {
    "Std",          "Min",         "p25",
    "p75",          "SYN retries", "Short",
    "IDs missing",  "Flags",       "Frame",
    "Response",     "Request",     "IP",
    "p95",          "Service",     "Bytes",
    "Server times", "Last byte",   "Server time",
    "Unreachable",  "PID",         "Spacings",
    "Hello",        "Create",      "TCP connect",
    "First value",  "Search",      "TCP p99",
    "TLS p99",      "TCP p95",     "TLS p95",
    "TTFB p95",     "Connects",    "Sightings lost",
    "Not whole",    "Count",       "rx",
    "Client",       "Source",      "Command",
    "First update", "TLS",         "TLS not complete",
    "Time",         "Outcome",
};

/* 0 if it is none. */
static int
terminal_columns(FILE *file)
{
    struct winsize size;
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* The column that stays, however narrow it is. */
static unsigned
kept(const struct text_table *table)
{
    unsigned last = table->n_columns - 1, column = 0;
    if (table->columns[last].kind == CELL_TEXT)
        return last;
    while (column < last && table->columns[column].kind != CELL_TEXT)
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
    unsigned stays = kept(table);
    for (unsigned name = 0; name < G_N_ELEMENTS(least_important); name++)
        for (unsigned i = 0; i < table->n_columns; i++)
            if (i != stays && widths[i] > 0 && strcmp(table->columns[i].name, least_important[name]) == 0)
                return i;
    for (unsigned texts = 0; texts <= 1; texts++)
        for (unsigned i = table->n_columns; i-- > 0;)
            if (i != stays && widths[i] > 0 && (table->columns[i].kind == CELL_TEXT) == (texts == 1))
                return i;
    return table->n_columns;
}

/* Drops what does not fit, and then takes back what does, the most important first; `dropped` ends with n_columns. */
static void
drop(const struct text_table *table, int *widths, int columns, unsigned *dropped)
{
    int whole[table->n_columns];
    unsigned n = 0, column, left = 0;
    memcpy(whole, widths, sizeof whole);
    while (line_width(table, widths) > columns && (column = least(table, widths)) < table->n_columns) {
        dropped[n++] = column;
        widths[column] = 0;
    }
    for (unsigned i = n; i-- > 0;) {
        widths[dropped[i]] = whole[dropped[i]];
        if (line_width(table, widths) > columns)
            widths[dropped[i]] = 0;
    }
    for (unsigned i = 0; i < n; i++)
        if (widths[dropped[i]] == 0)
            dropped[left++] = dropped[i];
    dropped[left] = table->n_columns;
}

/* The column as it is headed, in one line. */
static void
print_heading(const struct table_column *column, FILE *file)
{
    for (const char *at = column->head ? column->head : column->name; *at; at++)
        putc(*at == '\n' ? ' ' : *at, file);
}

void
text_table_fit(const struct text_table *table, int *widths, FILE *file)
{
    unsigned last = table->n_columns - 1, dropped[table->n_columns];
    int columns = terminal_columns(file);
    if (columns == 0)
        return;
    drop(table, widths, columns, dropped);
    for (unsigned i = 0; dropped[i] < table->n_columns; i++) {
        if (i == 0)
            fprintf(file, "Not shown on %d columns: ", columns);
        else
            fputs(", ", file);
        print_heading(&table->columns[dropped[i]], file);
    }
    fputs(dropped[0] < table->n_columns ? ".\n" : "", file);
    if (table->columns[last].kind == CELL_TEXT) {
        int room = columns - line_width(table, widths) + MIN(widths[last], LAST_TEXT);
        widths[last] = MIN(widths[last], MAX(room, 1));
    }
}
