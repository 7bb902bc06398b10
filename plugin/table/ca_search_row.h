/* ca_search_row.h
 * The columns of a name that was searched for, and a row of them: the tables of searches.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_SEARCH_ROW_H
#define LATENCY_CA_SEARCH_ROW_H

#include <glib.h>

#include "../core/stats/ca_searched.h"
#include "text_table.h"

/* The first, Client, is of pvAccess alone: Channel Access has those behind it. */
extern const struct table_column pva_search_columns[];

#define CA_SEARCHES_TITLE  "Channel Access: Searches"
#define PVA_SEARCHES_TITLE "pvAccess: Searches"
#define SEARCHES_HEADING   "from a client's first SEARCH for a name to the first reply"

/* How a server that answered is written. */
typedef const char *(*ca_search_row_endpoint)(const void *data, wmem_allocator_t *scope,
                                              const struct ca_answerer *server);

/* `client`: NULL where there is no such column. Texts stay the caller's. */
void ca_search_row_fill(union table_cell *cells, const char *client, const char *answered_by, const char *name,
                        const struct ca_searched *searched);

/* Servers that answered, in a cell. */
const char *ca_search_row_servers(wmem_allocator_t *scope, const struct ca_searched *searched,
                                  ca_search_row_endpoint endpoint, const void *data);

/* As struct text_table has it. */
double ca_search_row_weigh(const struct ca_searched *searched);

/* The line below the title; `names`: of struct ca_searched. */
void ca_search_row_summarize(GString *text, const struct groups *names);

#endif
