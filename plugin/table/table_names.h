/* table_names.h
 * The tables by the names that -z takes, with what a row of each is: what is listed where somebody names none that
 * there is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TABLE_NAMES_H
#define LATENCY_TABLE_NAMES_H

#include <glib.h>

/* Who prints a table. */
enum table_printer { BY_TSHARK = 1, BY_SCAN = 2, BY_MERGE = 4 };

struct table_name {
    const char *argument;
    const char *row;   /* what one is */
    unsigned printers; /* of enum table_printer */
};

/* All of them, in the order in which they are listed; ends with one without argument. */
extern const struct table_name table_names[];

/* Returns what `argument` of -z has behind the name, empty or with a comma first, or NULL if it is not for this table.
 */
const char *table_name_after(const char *argument, const char *name);

/* Returns `argument` with its table's whole name, "latency,operations" of "operations", or a copy if it begins with
 * none. To be freed with g_free(). */
char *table_name_complete(const char *argument);

/* Returns a sentence that says that there is no such table, and a question if one is near that `printer` prints; below,
 * with what a row is, the list of these. Its lines end without a newline. To be freed with g_free(). */
char *table_name_refuse(const char *argument, enum table_printer printer);

/* Appends the list of what `printer` prints, a line each. */
void table_names_list(GString *text, enum table_printer printer);

#endif
