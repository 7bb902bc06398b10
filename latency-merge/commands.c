/* commands.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "commands.h"

#include <string.h>

#include "core/ca/circuit_protocol.h"
#include "core/pva/pva_protocol.h"
#include "core/stats/statistic.h"
#include "table/table_rows.h"

/* Wireshark's own, and in its order. What adds up exactly: percentiles would not. */
#define COLUMNS(X)                                                                                                     \
    X(COMMAND, TEXT, "Command", "command")                                                                             \
    X(CALLS, COUNT, "Calls", "calls")                                                                                  \
    X(MIN_TIME, TIME, "Min", "min")                                                                                    \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(SUM, TIME, "Sum", "sum", .is_sum = true)

static TABLE_COLUMNS(columns, COLUMNS);

static void
clear(void *value)
{
    statistic_clear(value);
}

static const struct table_sums commands = { sizeof(struct statistic), clear, NULL };

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct groups *groups = ((const struct table_rows *)data)->groups;
    const struct moments *times = &((const struct statistic *)groups_value(groups, row))->moments;
    (void)scope;
    cells[COMMAND].text = groups_key(groups, row)->kind;
    cells[CALLS].number = (double)times->count;
    cells[MIN_TIME].number = (double)times->min;
    cells[MAX_TIME].number = (double)times->max;
    cells[MEAN].number = moments_mean(times);
    cells[SUM].number = wide_double(times->sum);
}

/* By its number; what nobody knows comes last. */
static double
weigh_row(void *data, unsigned row)
{
    const struct table_rows *rows = data;
    const char *command = groups_key(rows->groups, row)->kind, *name;
    int number = 0;
    for (; number < rows->definition->protocol->commands; number++) {
        name = rows->definition->protocol->command_name((unsigned)number);
        if (name && strcmp(name, command) == 0)
            break;
    }
    return -number;
}

static void
summarize(void *rows, GString *text)
{
    (void)rows;
    (void)text;
}

#define COMMANDS_TABLE                                                                                                 \
    .columns = columns, .is_ranked = true, .bytes = sizeof(struct table_rows), .sums = &commands, .fill = fill_row,    \
    .weight = weigh_row, .summarize = summarize

const struct table_definition ca_commands_table = {
    COMMANDS_TABLE,
    .title = "Channel Access: Commands",
    .heading = "Channel Access commands, from a request to its answer",
    .argument = "ca,srt",
    .protocol = &circuit_of_channel_access,
};

const struct table_definition pva_commands_table = {
    COMMANDS_TABLE,
    .title = "pvAccess: Commands",
    .heading = "pvAccess commands, from a request to its answer",
    .argument = "pva,srt",
    .protocol = &circuit_of_pvaccess,
};
