/* text_table.h
 * A table as text: aligned, columns separated by "|", for a terminal and for cut and awk alike; or as CSV, TSV or JSON
 * lines, for programs (text_table_data.h).
 *
 * Text has a title that says the units, notes, a line of headings, and rows. Its columns are those that one wants
 * first, and fit 80 columns; on a terminal with room for all, or if the user wants them, all. Decimals are the same in
 * a column, so that they stand below each other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXT_TABLE_H
#define LATENCY_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <wsutil/wmem/wmem.h>

#include "table_column.h"

/* What a table is written as; the names are those of table_format_names. */
enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_TSV, TABLE_JSON, TABLE_FORMATS };

/* "text", "csv", "tsv", "json" */
extern const char *const table_format_names[TABLE_FORMATS];

/* Which columns a table has as text; the names are those of table_columns_names. */
enum table_columns { TABLE_COLUMNS_DEFAULT, TABLE_COLUMNS_WIDE, TABLE_COLUMNS_CHOICES };

/* "default", "wide" */
extern const char *const table_columns_names[TABLE_COLUMNS_CHOICES];

/* A CELL_TIME of `ns`; of a negative one, that there is none. */
double time_cell(int64_t ns);

struct text_table {
    const char *argument; /* of -z */
    enum table_format format;
    bool shows_wide;       /* text has the wide columns, too, whatever room there is */
    bool follows;          /* another table, from which CSV and TSV are separated by an empty line */
    const char *heading;   /* text's title: what the rows are, and what was measured */
    const char *notes;     /* what was counted and what was left out: whole lines */
    const char *wide_note; /* a line on the wide columns, where they are shown; or NULL */
    const struct table_column *columns;
    unsigned n_rows;
    /* Fills a row's cells; texts may be allocated in `scope`, and live as long as they are looked at. */
    void (*fill)(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope);
    /* How much a row is what one looks for first; the highest comes first. NULL: in the order of rows. */
    double (*weight)(void *rows, unsigned row);
    bool is_ranked; /* equal ones stand by their texts */
    /* Instead, hands over the rows in their order, of which fill() is then asked; NULL: they can be asked for at will.
     */
    void (*each)(void *rows, void (*show)(void *data, unsigned row), void *data);
    /* How a timestamp reads, in a capture that starts at `start_ns`; needed for CELL_TIMESTAMP. */
    char *(*timestamp)(wmem_allocator_t *scope, int64_t ns, int64_t start_ns);
    int64_t start_ns;
    int64_t slow_ns; /* what takes so long, or longer, is coloured on a terminal; 0: nothing is */
    void *rows;
};

struct weighed {
    double weight;
    unsigned row;
};

/* The rows, the heaviest first; without a weight as they are. Those of the same weight: of ranked rows by their texts,
 * from the first column on, so that the order does not depend on which was counted first; else as they are. To be freed
 * with g_free(). */
struct weighed *text_table_order(const struct text_table *table);

/* Prints all; to a terminal with its colours, and as wide as that is. */
void text_table_print(const struct text_table *table, FILE *file);

/* Print row by row, as they come: the title with the headings, then rows. Columns are as wide as is usual. */
void text_table_print_head(const struct text_table *table, FILE *file);
void text_table_print_row(const struct text_table *table, unsigned row, FILE *file);

#endif
