/* commands.h
 * Response times by command, of Channel Access or of pvAccess: objects `ca_command` and `pva_command`, and their table.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_COMMANDS_H
#define LATENCY_MERGE_COMMANDS_H

#include "core/stats/groups.h"
#include "record.h"
#include "table/text_table.h"

/* Rows, of struct statistic. */
struct groups *commands_new(void);

/* Adds an object to its row. */
void commands_take(struct groups *commands, struct record *record);

/* Nothing if there are none. `made_of`: a line of the notes. */
void commands_print(const struct groups *commands, bool is_pvaccess, const char *made_of, enum table_format format,
                    FILE *file);

#endif
