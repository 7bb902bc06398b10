/* folded_rows.h
 * Rows of a printed table that are alike but for their names, as one: twelve channels that the end of a circuit took.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FOLDED_ROWS_H
#define LATENCY_FOLDED_ROWS_H

#include "text_table.h"

struct folded_rows {
    struct text_table table;     /* to be printed, of the rows below */
    const struct text_table *of; /* borrowed, as all that it borrows */
    GArray *rows;                /* of struct folded_row */
    GString *notes;
};

/* Folds the rows of which three or more have the same texts and counts, and times that are the same in whole
 * milliseconds: all but the last column, which names them, and the numbers of frames, of which the first row's stays. A
 * folded row stands where its first one would. Returns false, with nothing to end, if none are, or if there are so many
 * rows that nobody reads them. */
bool folded_rows_begin(struct folded_rows *folded, const struct text_table *table);
void folded_rows_end(struct folded_rows *folded);

#endif
