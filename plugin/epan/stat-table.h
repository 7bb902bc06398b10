/* stat-table.h
 * A statistics table: one definition serves tshark's -z, Wireshark's Statistics menu and sharkd.
 *
 * Wireshark and sharkd read cells whenever they like, so there a row is written again each time a packet changes it.
 * tshark prints once, at the end: there the rows are sorted and aligned.
 * Not for tables that need several taps, or more than one open at a time in one program (Wireshark shares them too).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_TABLE_H
#define LATENCY_STAT_TABLE_H

#include <glib.h>

#include <stdbool.h>
#include <stdint.h>

struct item;
struct stat_table;

enum stat_kind {
    STAT_TEXT,
    STAT_COUNT,
    STAT_BYTES,
    STAT_TIME /* shown in milliseconds */
};

struct stat_column {
    const char *name;
    enum stat_kind kind;
};

union stat_cell {
    const char *text; /* owned by the rows, until they are closed */
    double number;    /* STAT_TIME: in nanoseconds; NAN if there is none */
};

/* What a table is made of. `rows` is what open() returned. */
struct stat_definition {
    const char *title;    /* of the menu entry, and of the window */
    const char *argument; /* of -z */
    const char *heading;  /* of tshark's table: what was measured, in a sentence */
    const struct stat_column *columns;
    unsigned n_columns;
    void *(*open)(void);
    void (*close)(void *rows);
    /* Takes an item of the tap; returns the row it changed, or -1. Rows are numbered from 0 without gaps. */
    int (*take)(void *rows, const struct item *item);
    unsigned (*count)(void *rows);
    void (*fill)(void *rows, unsigned row, union stat_cell *cells);
    /* How much a row is what one looks for first; the highest comes first in tshark. NULL: in the order of rows. */
    double (*weight)(void *rows, unsigned row);
    /* A sentence or two below tshark's table: what was counted and what was left out. */
    void (*summarize)(void *rows, GString *text);
};

/* To be called while protocols are registered. `definition` stays with the caller for ever. */
void stat_table_register(const struct stat_definition *definition);

#endif
