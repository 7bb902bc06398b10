/* text_layout.h
 * How a table stands in text: which columns, how wide, with how many decimals; on a terminal also the bars of shares,
 * and the colours of what is slow or failed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXT_LAYOUT_H
#define LATENCY_TEXT_LAYOUT_H

#include "terminal.h"
#include "text_table.h"

struct column_layout {
    bool is_shown, has_numbers;
    int width;
    int width_at;  /* of an operation: with its server */
    bool has_room; /* a text that shrinks: it is shortened to its width */
    unsigned decimals;
    double largest;  /* of its numbers with decimals, in its unit */
    double smallest; /* of those above 0; 0 if there is none */
};

struct text_layout {
    const struct text_table *table;
    struct terminal terminal;
    struct column_layout columns[TABLE_COLUMNS_MOST];
    int bar; /* how long that of 100 % is, behind a share; 0: there are none */
};

/* Begins a layout for what is printed to a terminal, or, if that is all zero, elsewhere. */
void text_layout_begin(struct text_layout *layout, const struct text_table *table, struct terminal terminal);

/* Takes a row that is to be printed. */
void text_layout_take(struct text_layout *layout, const union table_cell *cells, wmem_allocator_t *scope);

/* Decides, when all rows have been taken, how they are printed. */
void text_layout_settle(struct text_layout *layout);

/* Instead of both, decides by what rows usually need: for rows that are printed as they come. */
void text_layout_settle_usual(struct text_layout *layout);

/* Print the title with the notes, the line of headings, and a row. */
void text_layout_print_title(const struct text_layout *layout, FILE *file);
void text_layout_print_headings(const struct text_layout *layout, FILE *file);
void text_layout_print_row(const struct text_layout *layout, const union table_cell *cells, wmem_allocator_t *scope,
                           FILE *file);

#endif
