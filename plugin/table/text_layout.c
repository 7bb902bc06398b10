/* text_layout.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_layout.h"

#include <math.h>
#include <string.h>

#include "text_number.h"
#include "text_shortened.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };

/* As much of a last column of text as is wanted before there is room for wide columns, and for bars; for decimals; and
 * as much as a terminal that is too narrow leaves. */
enum { LAST_TEXT = 24, LAST_TEXT_LEAST = 16, LAST_TEXT_CUT = 9 };

/* Where there is no terminal text is as wide as on one that is narrow. */
enum { COLUMNS_OF_A_FILE = 80 };

/* What goes on in the next line stands so far in. */
enum { INDENT = 2 };

/* The longest and the shortest bar of 100 %. */
enum { BAR_MOST = 10, BAR_LEAST = 4 };

enum { TIME_DECIMALS_MOST = 3, TIME_DECIMALS_LEAST = 1, SHARE_DECIMALS = 1, RATIO_DECIMALS = 2 };

#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

void
text_layout_begin(struct text_layout *layout, const struct text_table *table, struct terminal terminal)
{
    *layout = (struct text_layout){ .table = table, .terminal = terminal };
    for (unsigned i = 0; table->columns[i].name; i++) {
        layout->columns[i].is_shown = true;
        layout->columns[i].width = (int)g_utf8_strlen(table_column_head(&table->columns[i]), -1);
    }
}

static bool
has_decimals(enum cell_kind kind)
{
    return kind == CELL_TIME || kind == CELL_STAGE || kind == CELL_SHARE || kind == CELL_RATIO;
}

/* Returns whether nothing is known: no value, or a percentile of too few. */
static bool
is_absent(const struct table_column *column, const union table_cell *cell)
{
    if (column->kind == CELL_FRAME)
        return cell->number <= 0;
    return has_decimals(column->kind) && (isnan(cell->number) || (column->least > 0 && cell->of < column->least));
}

static double
in_unit(enum cell_kind kind, double number)
{
    return kind == CELL_TIME ? number / NS_PER_MS : kind == CELL_STAGE ? number / NS_PER_US : number;
}

/* Returns an operation with its server, if that has no column of its own. A separator in it would begin the next
 * column.
 */
static const char *
operation_text(const struct text_layout *layout, unsigned i, const union table_cell *cell, wmem_allocator_t *scope)
{
    const bool has_server = !layout->columns[i - 1].is_shown;
    char *text = wmem_strdup_printf(scope, "%s%s%s", *cell->text ? cell->text : "-", has_server ? TEXT_AT : "",
                                    has_server ? (cell - 1)->text : "");
    if (layout->table->columns[i + 1].name)
        for (char *at = text; (at = strchr(at, '|')) != NULL;)
            *at = '!';
    return text;
}

/* Returns a cell as text; of a number in its column's decimals. */
static const char *
cell_text(const struct text_layout *layout, unsigned i, const union table_cell *cell, wmem_allocator_t *scope)
{
    const struct table_column *column = &layout->table->columns[i];
    const double number = cell->number;
    if (column->shrinks)
        return operation_text(layout, i, cell, scope);
    if (column->kind == CELL_TEXT)
        return *cell->text ? cell->text : "-";
    if (column->kind == CELL_TIMESTAMP)
        return layout->table->timestamp(scope, cell->timestamp_ns, layout->table->start_ns);
    if (is_absent(column, cell))
        return "-";
    if (has_decimals(column->kind))
        return number_decimal(scope, in_unit(column->kind, number), layout->columns[i].decimals);
    if (column->kind == CELL_COUNT || column->kind == CELL_BYTES)
        return number_grouped(scope, number);
    return number_decimal(scope, number, 0);
}

static void
widen(struct column_layout *column, const char *text)
{
    column->width = MAX(column->width, (int)g_utf8_strlen(text, -1));
}

static void
widen_at(struct column_layout *column, const char *operation, const char *server)
{
    const int width = (int)(g_utf8_strlen(operation, -1) + g_utf8_strlen(TEXT_AT, -1) + g_utf8_strlen(server, -1));
    column->width_at = MAX(column->width_at, width);
}

void
text_layout_take(struct text_layout *layout, const union table_cell *cells, wmem_allocator_t *scope)
{
    for (unsigned i = 0; layout->table->columns[i].name; i++) {
        struct column_layout *column = &layout->columns[i];
        const enum cell_kind kind = layout->table->columns[i].kind;
        if (!has_decimals(kind)) {
            widen(column, cell_text(layout, i, &cells[i], scope));
            if (layout->table->columns[i].shrinks)
                widen_at(column, cells[i].text, cells[i - 1].text);
        } else if (!is_absent(&layout->table->columns[i], &cells[i])) {
            const double number = in_unit(kind, cells[i].number);
            column->largest = column->has_numbers ? MAX(column->largest, number) : number;
            if (number > 0)
                column->smallest = column->smallest > 0 ? MIN(column->smallest, number) : number;
            column->has_numbers = true;
        }
    }
}

/* Returns the most decimals, or, for a narrow table, how many leave the largest number of a column five characters, but
 * one at least of milliseconds. */
static unsigned
decimals_for(enum cell_kind kind, double largest, bool narrow)
{
    if (kind == CELL_SHARE || kind == CELL_RATIO)
        return kind == CELL_SHARE ? SHARE_DECIMALS : RATIO_DECIMALS;
    if (!narrow)
        return TIME_DECIMALS_MOST;
    if (kind == CELL_STAGE && largest >= 9999.95)
        return 0;
    return largest < 9.9995 ? TIME_DECIMALS_MOST : largest < 99.995 ? 2 : TIME_DECIMALS_LEAST;
}

/* Sets the decimals of each column of times, and widens it to what they need. */
static void
settle_decimals(struct text_layout *layout, bool narrow)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    for (unsigned i = 0; layout->table->columns[i].name; i++) {
        struct column_layout *column = &layout->columns[i];
        if (!has_decimals(layout->table->columns[i].kind))
            continue;
        column->decimals = decimals_for(layout->table->columns[i].kind, column->largest, narrow);
        if (!column->has_numbers)
            continue;
        widen(column, number_decimal(scope, column->largest, column->decimals));
        widen(column, number_decimal(scope, column->smallest, column->decimals));
    }
    wmem_destroy_allocator(scope);
}

static unsigned
last_shown(const struct text_layout *layout)
{
    unsigned last = table_columns_count(layout->table->columns) - 1;
    while (last > 0 && !layout->columns[last].is_shown)
        last--;
    return last;
}

/* Returns how wide a line is, with a separator between columns, and a last text, and each that shrinks, no longer than
 * `last_text`. */
static int
line_width(const struct text_layout *layout, int last_text)
{
    const unsigned last = last_shown(layout);
    int width = -1;
    for (unsigned i = 0; i <= last; i++) {
        const struct table_column *column = &layout->table->columns[i];
        const bool is_bounded = (i == last && column->kind == CELL_TEXT) || column->shrinks;
        if (layout->columns[i].is_shown)
            width += 1 + (is_bounded ? MIN(layout->columns[i].width, last_text) : layout->columns[i].width);
    }
    return width;
}

static void
leave_wide_columns(struct text_layout *layout)
{
    for (unsigned i = 0; layout->table->columns[i].name; i++) {
        layout->columns[i].is_shown = !layout->table->columns[i].wide;
        layout->columns[i].width = MAX(layout->columns[i].width, layout->columns[i].width_at);
    }
}

/* Gives shares their bars, and the last text what room is left. */
static void
settle_terminal(struct text_layout *layout)
{
    const unsigned last = last_shown(layout);
    struct column_layout *column = &layout->columns[last];
    unsigned share = 0;
    while (layout->table->columns[share].name && layout->table->columns[share].kind != CELL_SHARE)
        share++;
    if (layout->table->columns[share].name && layout->columns[share].is_shown) {
        const int room = layout->terminal.columns - line_width(layout, LAST_TEXT) - 1;
        layout->bar = room < BAR_LEAST ? 0 : MIN(room, BAR_MOST);
        layout->columns[share].width += layout->bar > 0 ? 1 + layout->bar : 0;
    }
    if (layout->table->columns[last].kind == CELL_TEXT && !layout->table->columns[last].shrinks) {
        const int room = layout->terminal.columns - line_width(layout, 0);
        column->width = MIN(column->width, MAX(room, LAST_TEXT_CUT));
    }
}

/* Returns the narrowest of the texts that shrink and have no room yet; NULL if all have. */
static struct column_layout *
next_to_shrink(struct text_layout *layout, unsigned *n)
{
    struct column_layout *narrowest = NULL;
    *n = 0;
    for (unsigned i = 0; layout->table->columns[i].name; i++) {
        struct column_layout *column = &layout->columns[i];
        if (!layout->table->columns[i].shrinks || !column->is_shown || column->has_room)
            continue;
        ++*n;
        if (!narrowest || column->width < narrowest->width)
            narrowest = column;
    }
    return narrowest;
}

/* Shares what room is left among the texts that shrink: none has more than it needs, and what it does not need the
 * others have. */
static void
shrink_texts(struct text_layout *layout, int room)
{
    int left = room - line_width(layout, 0);
    struct column_layout *column;
    unsigned n;
    while ((column = next_to_shrink(layout, &n))) {
        column->width = MIN(column->width, MAX(left / (int)n, LAST_TEXT_CUT));
        column->has_room = true;
        left -= column->width;
    }
}

void
text_layout_settle(struct text_layout *layout)
{
    const int room = layout->terminal.columns > 0 ? layout->terminal.columns : COLUMNS_OF_A_FILE;
    struct text_layout exact = *layout;
    settle_decimals(&exact, false);
    if (!layout->table->shows_wide && line_width(&exact, LAST_TEXT) > layout->terminal.columns) {
        leave_wide_columns(layout);
        leave_wide_columns(&exact);
    }
    if (layout->table->shows_wide || line_width(&exact, LAST_TEXT_LEAST) <= room)
        *layout = exact;
    else
        settle_decimals(layout, true);
    if (layout->terminal.columns > 0)
        settle_terminal(layout);
    if (!layout->table->shows_wide)
        shrink_texts(layout, room);
}

void
text_layout_settle_usual(struct text_layout *layout)
{
    static const int usual[] = {
        [CELL_TEXT] = 15,      [CELL_COUNT] = 5, [CELL_NUMBER] = 5,  [CELL_RATIO] = 5,
        [CELL_BYTES] = 8,      [CELL_TIME] = 7,  [CELL_STAGE] = 7,   [CELL_SHARE] = 5,
        [CELL_TIMESTAMP] = 11, [CELL_FRAME] = 7, [CELL_REQUEST] = 7,
    };
    for (unsigned i = 0; layout->table->columns[i].name; i++) {
        struct column_layout *column = &layout->columns[i];
        const enum cell_kind kind = layout->table->columns[i].kind;
        column->width =
            MAX(column->width, layout->table->columns[i].usual ? layout->table->columns[i].usual : usual[kind]);
        column->decimals = decimals_for(kind, 0, false);
    }
    if (!layout->table->shows_wide)
        leave_wide_columns(layout);
    const unsigned last = last_shown(layout);
    if (layout->terminal.columns > 0 && layout->table->columns[last].kind == CELL_TEXT) {
        layout->columns[last].width = MAX(layout->terminal.columns - line_width(layout, 0), LAST_TEXT_CUT);
        layout->columns[last].has_room = layout->table->columns[last].shrinks;
    }
}

static void
print_blanks(int count, FILE *file)
{
    while (count-- > 0)
        putc(' ', file);
}

/* Prints a text in its column: cut where it is too long, or filled up; a number to the right. */
static void
print_text(const struct text_layout *layout, unsigned i, const char *text, int width, FILE *file)
{
    const int padding = width - (int)g_utf8_strlen(text, -1);
    const bool is_left = layout->table->columns[i].kind == CELL_TEXT, is_last = i == last_shown(layout);
    if (padding < 0 && is_last && layout->terminal.columns > 0) {
        fprintf(file, "%.*s%s", (int)(g_utf8_offset_to_pointer(text, width - 1) - text), text,
                layout->terminal.has_unicode ? "…" : "~");
        return;
    }
    print_blanks(is_left ? 0 : padding, file);
    fputs(text, file);
    print_blanks(is_left && !is_last ? padding : 0, file);
}

/* Prints what a bar of this share is, and blanks behind it. */
static void
print_bar(const struct text_layout *layout, double percent, FILE *file)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    const int parts = layout->terminal.has_unicode ? 8 : 1;
    const int length = percent > 0 ? (int)lround(MIN(percent, 100) / 100 * layout->bar * parts) : 0;
    for (int i = 0; i < length / parts; i++)
        fputs(parts > 1 ? "█" : "#", file);
    fputs(eighths[length % parts], file);
    print_blanks(layout->bar - (length + parts - 1) / parts, file);
}

/* Returns the colour of a cell, or NULL: red for what went wrong, yellow for what took long. */
static const char *
colour_of(const struct text_layout *layout, unsigned i, const union table_cell *cell)
{
    const struct table_column *column = &layout->table->columns[i];
    const double slow_ns = (double)layout->table->slow_ns;
    if (!layout->terminal.has_colours)
        return NULL;
    if (column->alarms && (column->kind == CELL_TEXT ? cell->is_bad : cell->number > 0))
        return RED;
    const bool may_be_slow = column->kind == CELL_TIME && !column->is_sum && (!column->is_wait || cell->is_awaited);
    return may_be_slow && slow_ns > 0 && cell->number >= slow_ns && !is_absent(column, cell) ? YELLOW : NULL;
}

static void
print_cell(const struct text_layout *layout, unsigned i, const union table_cell *cell, wmem_allocator_t *scope,
           FILE *file)
{
    const char *colour = colour_of(layout, i, cell);
    const bool has_bar = layout->bar > 0 && layout->table->columns[i].kind == CELL_SHARE;
    fputs(colour ? colour : "", file);
    const int width = layout->columns[i].width - (has_bar ? 1 + layout->bar : 0);
    const char *text = cell_text(layout, i, cell, scope);
    if (layout->columns[i].has_room)
        text = text_shortened(scope, text, width, layout->terminal.columns == 0 || layout->terminal.has_unicode);
    print_text(layout, i, text, width, file);
    fputs(colour ? PLAIN : "", file);
    if (has_bar) {
        putc(' ', file);
        print_bar(layout, cell->number, file);
    }
}

void
text_layout_print_row(const struct text_layout *layout, const union table_cell *cells, wmem_allocator_t *scope,
                      FILE *file)
{
    const unsigned last = last_shown(layout);
    for (unsigned i = 0; i <= last; i++) {
        if (!layout->columns[i].is_shown)
            continue;
        print_cell(layout, i, &cells[i], scope, file);
        putc(i < last ? '|' : '\n', file);
    }
}

void
text_layout_print_headings(const struct text_layout *layout, FILE *file)
{
    const unsigned last = last_shown(layout);
    for (unsigned i = 0; i <= last; i++) {
        if (!layout->columns[i].is_shown)
            continue;
        print_text(layout, i, table_column_head(&layout->table->columns[i]), layout->columns[i].width, file);
        putc(i < last ? '|' : '\n', file);
    }
}

static bool
shows_wide(const struct text_layout *layout)
{
    for (unsigned i = 0; layout->table->columns[i].name; i++)
        if (layout->columns[i].is_shown && layout->table->columns[i].wide)
            return true;
    return false;
}

static bool
shows_kind(const struct text_layout *layout, enum cell_kind kind)
{
    for (unsigned i = 0; layout->table->columns[i].name; i++)
        if (layout->columns[i].is_shown && layout->table->columns[i].kind == kind)
            return true;
    return false;
}

static void
print_wrapped(const char *line, int room, FILE *file)
{
    char **words = g_strsplit(line, " ", -1);
    int width = 0;
    for (unsigned i = 0; words[i]; i++) {
        const int letters = (int)g_utf8_strlen(words[i], -1);
        if (i > 0 && width + 1 + letters > room) {
            fprintf(file, "\n%*s", INDENT, "");
            width = INDENT;
        } else if (i > 0) {
            putc(' ', file);
            width++;
        }
        fputs(words[i], file);
        width += letters;
    }
    putc('\n', file);
    g_strfreev(words);
}

/* Prints whole lines, wrapped where they are longer than there is room. What the user has typed is not, so that it can
 * be copied; nor is anything in a file whose table has all columns, which may be as wide as it likes. */
static void
print_notes(const struct text_layout *layout, const char *notes, FILE *file)
{
    const bool is_bounded = layout->terminal.columns > 0 || !layout->table->shows_wide;
    const int room = layout->terminal.columns > 0 ? layout->terminal.columns : COLUMNS_OF_A_FILE;
    char **lines = g_strsplit(notes, "\n", -1);
    for (unsigned i = 0; lines[i] && (*lines[i] || lines[i + 1]); i++) {
        if (is_bounded && !g_str_has_prefix(lines[i], "Filter: "))
            print_wrapped(lines[i], room, file);
        else
            fprintf(file, "%s\n", lines[i]);
    }
    g_strfreev(lines);
}

void
text_layout_print_title(const struct text_layout *layout, FILE *file)
{
    static const struct {
        enum cell_kind kind;
        const char *unit;
    } units[] = { { CELL_TIME, "times in ms" }, { CELL_STAGE, "times in µs" }, { CELL_SHARE, "shares in %" } };
    const char *before = " (";
    fprintf(file, "\n%s", layout->table->heading);
    for (unsigned i = 0; i < G_N_ELEMENTS(units); i++) {
        if (!shows_kind(layout, units[i].kind))
            continue;
        fprintf(file, "%s%s", before, units[i].unit);
        before = ", ";
    }
    fprintf(file, "%s\n", *before == ',' ? ")" : "");
    print_notes(layout, layout->table->notes, file);
    if (layout->table->wide_note && shows_wide(layout))
        print_notes(layout, layout->table->wide_note, file);
}
