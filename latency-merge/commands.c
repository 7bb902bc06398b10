/* commands.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "commands.h"

#include <string.h>

#include "core/pva/pva_protocol.h"

/* Wireshark's own, and in its order. What adds up exactly: percentiles would not. */
#define COLUMNS(X)                                                                                                     \
    X(COMMAND, TEXT, "Command", "command", .leaves = 39)                                                               \
    X(CALLS, COUNT, "Calls", "calls")                                                                                  \
    X(MIN_TIME, TIME, "Min", "min", .leaves = 2)                                                                       \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(SUM, TIME, "Sum", "sum")

static TABLE_COLUMNS(columns, COLUMNS);

static void
clear(void *value)
{
    statistic_clear(value);
}

struct groups *
commands_new(void)
{
    return groups_new(sizeof(struct statistic), clear);
}

void
commands_take(struct groups *commands, struct record *record)
{
    const struct group_key key = { .kind = record_printed_text(record, "command") };
    struct statistic times = record_statistic(record, "response_time");
    if ((!*key.kind || times.moments.count == 0) && !record->wrong)
        record->wrong = *key.kind ? "response_time" : "command";
    if (!record->wrong)
        statistic_merge(groups_at(commands, &key), &times);
    statistic_clear(&times);
}

struct printing {
    const struct groups *commands;
    const struct circuit_protocol *protocol;
};

static void
fill(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct groups *commands = ((const struct printing *)rows)->commands;
    const struct moments *times = &((const struct statistic *)groups_value(commands, row))->moments;
    (void)scope;
    cells[COMMAND].text = groups_key(commands, row)->kind;
    cells[CALLS].number = (double)times->count;
    cells[MIN_TIME].number = (double)times->min;
    cells[MAX_TIME].number = (double)times->max;
    cells[MEAN].number = moments_mean(times);
    cells[SUM].number = (double)times->sum;
}

/* By its number; what nobody knows comes last. */
static double
weigh(void *rows, unsigned row)
{
    const struct printing *printing = rows;
    const char *command = groups_key(printing->commands, row)->kind, *name;
    int number = 0;
    for (; number < printing->protocol->commands; number++) {
        name = printing->protocol->command_name((unsigned)number);
        if (name && strcmp(name, command) == 0)
            break;
    }
    return -number;
}

void
commands_print(const struct groups *commands, bool is_pvaccess, const char *made_of, enum table_format format,
               FILE *file)
{
    struct printing printing = { commands, is_pvaccess ? &circuit_of_pvaccess : &circuit_of_channel_access };
    const struct text_table table = {
        .title = is_pvaccess ? "pvAccess: Commands" : "Channel Access: Commands",
        .argument = is_pvaccess ? "pva,srt" : "ca,srt",
        .format = format,
        .follows = true,
        .heading = "from a request to its answer",
        .notes = made_of,
        .columns = columns,
        .n_rows = groups_count(commands),
        .fill = fill,
        .weight = weigh,
        .is_ranked = true,
        .rows = &printing,
    };
    if (table.n_rows > 0)
        text_table_print(&table, file);
}
