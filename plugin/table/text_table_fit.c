/* text_table_fit.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_table_fit.h"

#include <string.h>

#include <glib.h>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

/* As much of a last column of text as is wanted before other columns are kept. */
enum { LAST_TEXT = 24 };

/* The column that stays, however narrow it is. */
static unsigned
kept(const struct text_table *table)
{
    unsigned last = table_columns_count(table->columns) - 1, column = 0;
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
    unsigned last = table_columns_count(table->columns) - 1;
    int width = -1;
    for (unsigned i = 0; table->columns[i].name; i++)
        if (widths[i] > 0)
            width += 1 + (i == last && table->columns[i].kind == CELL_TEXT ? MIN(widths[i], LAST_TEXT) : widths[i]);
    return width;
}

/* Whether column `i` goes before column `other`, which stands to its left. */
static bool
goes_before(const struct table_column *columns, unsigned i, unsigned other)
{
    const bool is_text = columns[i].kind == CELL_TEXT, is_other_text = columns[other].kind == CELL_TEXT;
    if (columns[i].leaves > 0 || columns[other].leaves > 0)
        return columns[i].leaves > 0 && (columns[other].leaves == 0 || columns[i].leaves < columns[other].leaves);
    return !is_text || is_other_text;
}

/* The next column to go: what has a number in `leaves`, then all but texts, from the right, and then texts. So what is
 * left of a row says how long it took, and of whom. TABLE_COLUMNS_MOST if none may go. */
static unsigned
least(const struct text_table *table, const int *widths)
{
    unsigned stays = kept(table), column = TABLE_COLUMNS_MOST;
    for (unsigned i = 0; table->columns[i].name; i++)
        if (i != stays && widths[i] > 0 && (column == TABLE_COLUMNS_MOST || goes_before(table->columns, i, column)))
            column = i;
    return column;
}

/* Drops what does not fit, and then takes back what does, the most important first; returns how many are
 * dropped. */
static unsigned
drop(const struct text_table *table, int *widths, int columns, unsigned *dropped)
{
    int whole[TABLE_COLUMNS_MOST];
    unsigned n = 0, column, left = 0;
    memcpy(whole, widths, sizeof whole);
    while (line_width(table, widths) > columns && (column = least(table, widths)) < TABLE_COLUMNS_MOST) {
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
    return left;
}

/* The column as it is headed, in one line. */
static void
print_heading(const struct table_column *column, FILE *file)
{
    for (const char *at = table_column_head(column); *at; at++)
        putc(*at == '\n' ? ' ' : *at, file);
}

/* Returns how many columns the terminal has that a file is; 0 if it is none, or the system does not say. */
static int
terminal_columns(FILE *file)
{
#ifdef _WIN32
    CONSOLE_SCREEN_BUFFER_INFO info;
    HANDLE console = (HANDLE)_get_osfhandle(_fileno(file));
    return GetConsoleScreenBufferInfo(console, &info) ? info.srWindow.Right - info.srWindow.Left + 1 : 0;
#else
    struct winsize size;
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#endif
}

void
text_table_leave_wide(const struct text_table *table, int *widths)
{
    for (unsigned i = 0; table->columns[i].name; i++)
        if (table->columns[i].wide)
            widths[i] = 0;
}

void
text_table_fit(const struct text_table *table, int *widths, FILE *file)
{
    unsigned last = table_columns_count(table->columns) - 1, dropped[TABLE_COLUMNS_MOST];
    int columns = terminal_columns(file);
    if (!table->shows_wide && (columns == 0 || line_width(table, widths) > columns))
        text_table_leave_wide(table, widths);
    if (columns == 0)
        return;
    const unsigned n = drop(table, widths, columns, dropped);
    for (unsigned i = 0; i < n; i++) {
        if (i == 0)
            fprintf(file, "Not shown on %d columns: ", columns);
        else
            fputs(", ", file);
        print_heading(&table->columns[dropped[i]], file);
    }
    fputs(n > 0 ? ".\n" : "", file);
    if (table->columns[last].kind == CELL_TEXT) {
        int room = columns - line_width(table, widths) + MIN(widths[last], LAST_TEXT);
        widths[last] = MIN(widths[last], MAX(room, 1));
    }
}
