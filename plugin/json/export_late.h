/* export_late.h
 * Rows of -z latency,json that stand in the order of numbers, behind those that are written when they are complete:
 * made when nothing more comes of what they are about, and kept in a file until their capture ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_LATE_H
#define LATENCY_EXPORT_LATE_H

#include "../core/util/row_sorter.h"
#include "export_line.h"

/* In this order. */
enum late_kind { LATE_REQUEST, LATE_ATTEMPT, LATE_HANDSHAKE, LATE_UNMATCHED };

/* By what these rows, and sums of what they are about, stand; those that are written at once have a lower one: this
 * with `major` & ~7, numbered on. */
struct row_key late_rows_key(uint32_t capture, enum late_kind kind, uint64_t order);

struct late_rows;

/* Rows are kept in `file`, and counted in `counts` (struct line); both are borrowed. */
struct late_rows *late_rows_new(FILE *file, uint64_t *counts);
void late_rows_free(struct late_rows *late);

/* Where the next row is to be written, of one line or several; late_rows_add() then takes it. */
struct line *late_rows_begin(struct late_rows *late);
void late_rows_add(struct late_rows *late, enum late_kind kind, uint64_t order);

/* Writes all, and begins anew. */
void late_rows_write(struct late_rows *late, FILE *out);

/* The errno of the first failure to keep rows; 0 if there was none. */
int late_rows_error(const struct late_rows *late);

#endif
