/* table.h
 * A statistics table: what it is made of, for tshark's -z, Wireshark's Statistics menu, sharkd and latency-scan.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TABLE_H
#define LATENCY_TABLE_H

#include <stdbool.h>

#include <glib.h>

#include "table_source.h"
#include "text_table.h"

struct circuit_protocol;
struct group_key;
struct table_sums;

/* `rows` is what table_open() returned; functions without a comment are those of struct text_table. */
struct table_definition {
    const char *title;     /* of the menu entry and of the window */
    const char *argument;  /* of -z */
    bool takes_events;     /* of Channel Access (struct ca_event); else items (struct item) */
    bool shows_operations; /* what requests ask for is in its rows */
    bool shows_sightings;  /* it takes items of them */
    const char *heading;   /* of text: what the rows are, and what was measured, without its unit */
    const char *wide_note; /* of text: a line on its wide columns; NULL: they need none */
    const struct table_column *columns;
    unsigned last_at; /* in Wireshark's narrow window the last column, the widest, stands here; 0: last as elsewhere */
    unsigned late_at, n_late; /* there, without last_at, so many columns from this on stand last, unless the capture
                               * names processes; 0: none do */
    unsigned most;            /* a number can stand behind the argument: of what is shown; this without. 0: none can */
    bool is_ranked;           /* weight() says how bad a row is: a window has the ranks, and shows the worst first */
    bool adds_up;             /* counts and bytes of all rows have totals, in a window's first row */
    size_t bytes;             /* of `rows`, which begin with a struct table_rows (table_rows.h) */
    const struct table_sums *sums;           /* rows are groups with these; NULL: they are none */
    size_t row_bytes;                        /* rows stand in a list, with so many each; 0: they do not */
    const struct circuit_protocol *protocol; /* whose events they are of, if of one */
    /* What is to be done once rows are made, all zero but for what they begin with, and before they are freed; NULL:
     * nothing. */
    void (*open)(void *rows);
    void (*close)(void *rows);
    /* Takes an item, or an event; returns the row it changed, or -1. Rows are numbered from 0 without gaps. */
    int (*take)(void *rows, const void *record);
    unsigned (*count)(void *rows); /* NULL: there are as many as groups, or in the list */
    void (*fill)(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope);
    double (*weight)(void *rows, unsigned row);
    /* What the row's share is of, where a column is a CELL_SHARE; NULL: none is. */
    double (*amount)(void *rows, unsigned row);
    /* Whether what the row is about has come to its end; NULL: rows are sums. */
    bool (*is_settled)(void *rows, unsigned row);
    /* Rows are made when all frames have been read, as count() is called: what a window says that is open before; NULL:
     * rows are made as records are taken. */
    const char *made_at_end;
    /* What rows are called that are alike and so stand as one in text without wide columns, "channels"; NULL: they
     * never do. may_fold(): whether a row can be one of these; NULL: each can. */
    const char *folded;
    bool (*may_fold)(void *rows, unsigned row);
    /* Takes what `n` tables of other connections have: it is empty before. NULL: that cannot be. */
    void (*merge)(void *rows, void *const *others, unsigned n);
    /* Prints all as text, with notes, which are whole lines, where that is no struct text_table; NULL: it is one. */
    void (*print)(void *rows, const char *notes, FILE *file);
    bool is_of_whole; /* rows are known when all has been taken: no window shows them, and --every has none */
    /* Hands over the rows one by one, in the order in which they are shown, once no more items come; fill() with any
     * number is then of that row. For tables that do not keep their rows; NULL: by weight(). */
    void (*each)(void *rows, void (*show)(void *data, unsigned row), void *data);
    /* The errno of what made rows be lost; 0 if nothing did. NULL: nothing can. */
    int (*error)(void *rows);
    /* The same table for who shows it only when all has been taken: it keeps rows of what is open alone. NULL: this. */
    const struct table_definition *streamed;
    /* Whole lines: what was counted and what was left out. NULL, of what has print(): there are no notes. */
    void (*summarize)(void *rows, GString *text);
    /* Lines that say why there are no rows, if that lies in the capture. */
    void (*absence)(const struct table_source *source, GString *text);
};

/* Each in a file of its own. */
extern const struct table_definition servers_table, operations_table;
extern const struct table_definition connections_table, connects_table, quic_table;
extern const struct table_definition hosts_table;
extern const struct table_definition calls_table, summary_table;
extern const struct table_definition requests_table, packets_table, intervals_table;
extern const struct table_definition stages_table, paths_table, kernel_table;
extern const struct table_definition ca_servers_table, ca_channels_table, ca_searches_table;
extern const struct table_definition pva_servers_table, pva_channels_table, pva_searches_table;
extern const struct table_definition pva_monitors_table;

/* Printed only, in no window. */
extern const struct table_definition trees_table;

/* All of them that windows show, in the order of menus; ends with NULL. */
extern const struct table_definition *const table_definitions[];

/* Reads the number that can stand behind a table's argument, in ",3" or ",3,FILTER", and moves `rest` behind it.
 * Returns NULL, or a sentence, to be freed with g_free(), about what is wrong with it. */
char *table_read_most(const struct table_definition *definition, const char **rest, unsigned *most);

/* Sets how much the rows show, before they take something; 0: as much as without a number. */
void table_set_most(void *rows, unsigned most);

/* Returns rows without any. The source is borrowed until table_close(). */
void *table_open(const struct table_definition *definition, struct table_source *source);
void table_close(void *rows);
unsigned table_count(void *rows);

/* For who has no items, but what they come to: returns the sums, of core/stats, of the row with that key, which are all
 * zero before the first call. */
void *table_at(void *rows, const struct group_key *key);

/* Prints the table in the source's format, with `notes` below the title of text. */
void table_print(const struct table_definition *definition, void *rows, struct table_source *source, const char *notes,
                 int64_t start_ns);

/* Adds up what shares are of, which fill() shows from then on: to be called when the rows are to be shown. */
void table_add_up_shares(void *rows);

/* Returns the row's share of all rows, in percent; NAN before table_add_up_shares(), or if there is nothing to share.
 */
double table_share(void *rows, unsigned row);

/* What stands below the title, in whole lines; `filter` NULL if there is none. Free it with g_string_free(). */
GString *table_notes(const struct table_definition *definition, void *rows, const struct table_source *source,
                     const char *filter);

/* The table as text, below whose title `notes` stand. `start_ns`: when the capture starts, of several the first. All is
 * borrowed. */
struct text_table table_as_text(const struct table_definition *definition, void *rows,
                                const struct table_source *source, const char *notes, int64_t start_ns);

#endif
