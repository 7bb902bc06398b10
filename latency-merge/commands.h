/* commands.h
 * Response times by command, of Channel Access or of pvAccess: Wireshark's own tables, as far as their rows add up.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_COMMANDS_H
#define LATENCY_MERGE_COMMANDS_H

#include "table/table.h"

/* Rows, of struct statistic, are known by the key's kind. */
extern const struct table_definition ca_commands_table, pva_commands_table;

#endif
