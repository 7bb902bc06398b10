/* searched_names.h
 * Names that were searched for, of Channel Access or of pvAccess: objects `search` and `pva_search`, and their table.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_SEARCHED_NAMES_H
#define LATENCY_MERGE_SEARCHED_NAMES_H

#include "core/stats/ca_searched.h"
#include "record.h"
#include "table/text_table.h"

/* Rows, of struct ca_searched. */
struct groups *searched_names_new(void);

/* Adds an object to its row. */
void searched_names_take(struct groups *names, struct record *record);

/* Nothing if there are none. `made_of`: a line of the notes. */
void searched_names_print(const struct groups *names, bool is_pvaccess, const char *made_of, enum table_format format,
                          FILE *file);

#endif
