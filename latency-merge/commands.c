/* commands.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "commands.h"

#include <string.h>

#include "core/ca/circuit_protocol.h"
#include "core/pva/pva_protocol.h"
#include "core/stats/groups.h"
#include "core/stats/statistic.h"

/* Wireshark's own, and in its order. What adds up exactly: percentiles would not. */
#define COLUMNS(X)                                                                                                     \
    X(COMMAND, TEXT, "Command", "command", .leaves = 39)                                                               \
    X(CALLS, COUNT, "Calls", "calls")                                                                                  \
    X(MIN_TIME, TIME, "Min", "min", .leaves = 2)                                                                       \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(SUM, TIME, "Sum", "sum")

static TABLE_COLUMNS(columns, COLUMNS);

struct rows {
    const struct circuit_protocol *protocol;
    struct groups *commands; /* of struct statistic */
};

static void
clear(void *value)
{
    statistic_clear(value);
}

static void *
open_rows_of(const struct circuit_protocol *protocol)
{
    struct rows *rows = g_new(struct rows, 1);
    *rows = (struct rows){ protocol, groups_new(sizeof(struct statistic), clear) };
    return rows;
}

static void *
open_ca_rows(struct table_source *source)
{
    (void)source;
    return open_rows_of(&circuit_of_channel_access);
}

static void *
open_pva_rows(struct table_source *source)
{
    (void)source;
    return open_rows_of(&circuit_of_pvaccess);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    groups_free(rows->commands);
    g_free(rows);
}

static void *
row_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct rows *)rows)->commands, key);
}

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->commands);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct groups *commands = ((const struct rows *)data)->commands;
    const struct moments *times = &((const struct statistic *)groups_value(commands, row))->moments;
    (void)scope;
    cells[COMMAND].text = groups_key(commands, row)->kind;
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
    const struct rows *rows = data;
    const char *command = groups_key(rows->commands, row)->kind, *name;
    int number = 0;
    for (; number < rows->protocol->commands; number++) {
        name = rows->protocol->command_name((unsigned)number);
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
    .heading = "from a request to its answer", .columns = columns, .is_ranked = true, .close = close_rows,             \
    .at = row_at, .count = count_rows, .fill = fill_row, .weight = weigh_row, .summarize = summarize

const struct table_definition ca_commands_table = {
    COMMANDS_TABLE,
    .title = "Channel Access: Commands",
    .argument = "ca,srt",
    .open = open_ca_rows,
};

const struct table_definition pva_commands_table = {
    COMMANDS_TABLE,
    .title = "pvAccess: Commands",
    .argument = "pva,srt",
    .open = open_pva_rows,
};
