/* text_table_fit.h
 * Which columns a terminal has room for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXT_TABLE_FIT_H
#define LATENCY_TEXT_TABLE_FIT_H

#include "text_table.h"

/* Sets the widths of the wide columns to 0. */
void text_table_leave_wide(const struct text_table *table, int *widths);

/* Leaves the wide columns, unless the user wants them or `file` is a terminal with room for all. If it is a terminal on
 * which the lines do not fit even so: sets the widths of columns to 0, from the least important on, until they do,
 * shortens a last column of text, and says which it has left out. */
void text_table_fit(const struct text_table *table, int *widths, FILE *file);

#endif
