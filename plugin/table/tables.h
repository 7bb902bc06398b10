/* tables.h
 * The statistics tables, each in a file of its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TABLES_H
#define LATENCY_TABLES_H

#include "table.h"

extern const struct table_definition servers_table, operations_table;
extern const struct table_definition connections_table, connects_table;
extern const struct table_definition hosts_table;
/* What requests_table is where it is shown once. */
extern const struct table_definition requests_streamed;

extern const struct table_definition requests_table, packets_table, intervals_table;
extern const struct table_definition stages_table, paths_table, kernel_table;
extern const struct table_definition ca_servers_table, ca_channels_table, ca_searches_table;
extern const struct table_definition pva_servers_table, pva_channels_table, pva_searches_table;
extern const struct table_definition pva_monitors_table;

#endif
