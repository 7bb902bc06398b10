/* stat_table.h
 * A statistics table: one definition serves tshark's -z, Wireshark's Statistics menu and sharkd.
 *
 * Wireshark and sharkd read cells whenever they like, so there a row is written again each time a packet changes it.
 * tshark prints once, at the end: there the rows are sorted and aligned.
 * Not for tables that need several taps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_TABLE_H
#define LATENCY_STAT_TABLE_H

#include <stdbool.h>

#include <glib.h>

#include "../../table/text_table.h"

struct one_sided;

/* What a table is made of. `rows` is what open() returned; the other functions are those of struct text_table. */
struct stat_definition {
    const char *title;    /* of the menu entry, of the window, and of tshark's table */
    const char *argument; /* of -z */
    const char *tap;
    const char *heading; /* what was measured, in a sentence */
    const struct table_column *columns;
    unsigned n_columns;
    unsigned last_at; /* in Wireshark's narrow window the last column, the widest, stands here; 0: last as elsewhere */
    void *(*open)(void);
    void (*close)(void *rows);
    /* Takes what the tap delivers; returns the row it changed, or -1. Rows are numbered from 0 without gaps. */
    int (*take)(void *rows, const void *record);
    unsigned (*count)(void *rows);
    void (*fill)(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope);
    double (*weight)(void *rows, unsigned row);
    /* Whole lines: what was counted and what was left out. */
    void (*summarize)(void *rows, GString *text);
    /* Lines that say why there are no rows, if that lies in the capture. */
    void (*absence)(GString *text);
    /* Of requests and attempts, of which a filter may pass one side; NULL where that cannot be. */
    const struct one_sided *(*one_sided)(const void *rows);
};

/* To be called while protocols are registered. `definition` stays with the caller for ever. */
void stat_table_register(const struct stat_definition *definition);

/* True in Wireshark, false in tshark and sharkd. */
bool stat_table_is_graphical(void);

#endif
