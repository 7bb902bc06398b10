/* srt.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "srt.h"

#include <inttypes.h>

#include "core/ca/ca_event.h"
#include "core/pva/pva_protocol.h"
#include "table/table_rows.h"

struct response_times {
    uint64_t count;
    int64_t min_ns, max_ns;
    uint64_t sum_ns;
};

struct commands {
    struct table_rows table;
    struct response_times *times; /* by command */
};

static void
open_commands(void *rows)
{
    struct commands *commands = rows;
    commands->times = g_new0(struct response_times, commands->table.definition->protocol->commands);
}

static void
close_commands(void *rows)
{
    g_free(((struct commands *)rows)->times);
}

static int
take_event(void *rows, const void *record)
{
    const struct commands *commands = rows;
    const struct ca_event *event = record;
    unsigned command;
    int64_t latency_ns =
        event->protocol == commands->table.definition->protocol ? ca_event_latency(event, &command) : -1;
    if (latency_ns < 0)
        return -1;
    struct response_times *times = &commands->times[command];
    times->min_ns = times->count ? MIN(times->min_ns, latency_ns) : latency_ns;
    times->max_ns = MAX(times->max_ns, latency_ns);
    times->sum_ns += (uint64_t)latency_ns;
    times->count++;
    return (int)command;
}

static unsigned
count_commands(void *rows)
{
    return (unsigned)((const struct table_rows *)rows)->definition->protocol->commands;
}

/* Microseconds are rounded after the seconds have been taken off, or before, as Wireshark does it. */
static void
print_exact(int64_t ns, FILE *file)
{
    enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };
    fprintf(file, " %3" PRId64 ".%06" PRId64, ns / NS_PER_S, (ns % NS_PER_S + NS_PER_US / 2) / NS_PER_US);
}

static void
print_rounded(uint64_t ns, FILE *file)
{
    enum { US_PER_S = 1000000, NS_PER_US = 1000 };
    uint64_t us = (ns + NS_PER_US / 2) / NS_PER_US;
    fprintf(file, " %3" PRIu64 ".%06" PRIu64, us / US_PER_S, us % US_PER_S);
}

static void
print(void *rows, const char *notes, FILE *file)
{
    static const char line[] = "==================================================================";
    const struct commands *commands = rows;
    const bool is_ca = commands->table.definition->protocol == &circuit_of_channel_access;
    fputs(notes, file);
    fprintf(file, "\n%s=\n%s SRT Statistics:\nFilter: %s\n", line, is_ca ? "CA" : "PVA", is_ca ? "ca.command" : "");
    fprintf(file, "Index  %-22s Calls    Min SRT    Max SRT    Avg SRT    Sum SRT\n", "Command");
    for (int i = 0; i < commands->table.definition->protocol->commands; i++) {
        const struct response_times *times = &commands->times[i];
        const char *name = commands->table.definition->protocol->command_name((unsigned)i);
        if (times->count == 0)
            continue;
        fprintf(file, "%5d  %-22s %6" PRIu64, i, name ? name : "", times->count);
        print_exact(times->min_ns, file);
        print_exact(times->max_ns, file);
        print_rounded(times->sum_ns / times->count, file);
        print_rounded(times->sum_ns, file);
        fputc('\n', file);
    }
    fprintf(file, "%s\n", line);
}

#define SRT_TABLE(name, command_line, of)                                                                              \
    {                                                                                                                  \
        .title = name " SRT Statistics", .argument = command_line, .takes_events = true, .protocol = &of,              \
        .bytes = sizeof(struct commands), .open = open_commands, .close = close_commands, .take = take_event,          \
        .count = count_commands, .print = print,                                                                       \
    }

const struct table_definition ca_srt_table = SRT_TABLE("CA", "ca,srt", circuit_of_channel_access);
const struct table_definition pva_srt_table = SRT_TABLE("PVA", "pva,srt", circuit_of_pvaccess);
