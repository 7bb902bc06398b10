/* text_table_data.h
 * A table for programs: CSV (RFC 4180), TSV, or a JSON object a row, with the columns' names for machines, which end in
 * their units (mean_ms, rx_us, time_s: since 1970), and values with all their digits. What there is not is an empty
 * cell, and no member.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXT_TABLE_DATA_H
#define LATENCY_TEXT_TABLE_DATA_H

#include "text_table.h"

/* The line of names; nothing in JSON, where each row has them, and the table's. */
void text_table_data_head(const struct text_table *table, FILE *file);

void text_table_data_row(const struct text_table *table, unsigned row, wmem_allocator_t *scope, FILE *file);

#endif
