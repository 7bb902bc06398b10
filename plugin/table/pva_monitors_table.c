/* pva_monitors_table.c
 * -z pva,monitors: each monitor of pvAccess, when its first update came, and how far apart the others are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/pva/pva_monitor.h"
#include "../core/pva/pva_protocol.h"
#include "../core/stats/sample.h"
#include "../core/util/printable.h"
#include "by_number.h"
#include "names.h"
#include "table_rows.h"

/* The last is the one without bounds, and the one that may contain a "|". */
#define COLUMNS(X)                                                                                                     \
    X(FRAME, FRAME, "Frame", "request_frame")                                                                          \
    X(TIME, TIMESTAMP, "Time", "request_time")                                                                         \
    X(CLIENT, TEXT, "Client", "client", .wide = true)                                                                  \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(FIRST, TIME, "First update", "first_update", .head = "First")                                                    \
    X(UPDATES, COUNT, "Updates", "updates")                                                                            \
    X(SPACINGS, COUNT, "Spacings", "spacings", .head = "n", .wide = true)                                              \
    X(MIN_TIME, TIME, "Min", "min", .wide = true)                                                                      \
    X(P50, TIME, "p50", "p50")                                                                                         \
    X(P95, TIME, "p95", "p95", .least = P95_LEAST)                                                                     \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(CHANNEL, TEXT, "Channel", "pv")

static TABLE_COLUMNS(columns, COLUMNS);

struct row {
    const char *pv;
    struct endpoint client, server;
    int64_t start_ns;
    int64_t first_ns; /* from the start to the first update; -1 while there is none, or without a start */
    uint64_t updates;
    struct sample spacing;
    uint32_t frame; /* of the start; 0 if the capture does not have it */
    bool ipv6;
};

struct rows {
    struct table_rows table;  /* a list of struct row */
    struct by_number numbers; /* of uint32_t: a monitor's row plus one, or 0 */
};

static void
clear_row(void *data)
{
    sample_clear(&((struct row *)data)->spacing);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    g_array_set_clear_func(rows->table.list, clear_row);
    by_number_init(&rows->numbers, rows->table.source, sizeof(uint32_t));
}

static void
close_rows(void *data)
{
    by_number_clear(&((struct rows *)data)->numbers);
}

static void
begin_row(const struct rows *rows, struct row *row, const struct ca_event *event)
{
    const struct ca_request *start = &event->subject.exchange->request;
    const char *pv = ca_subject_pv(&event->subject);
    *row = (struct row){
        .pv = pv ? g_string_chunk_insert_const(rows->table.texts, pv) : "",
        .client = start->circuit->client,
        .server = start->circuit->server,
        .start_ns = start->request_ns,
        .first_ns = -1,
        .frame = start->request_frame,
        .ipv6 = start->circuit->ipv6,
    };
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    if (!pva_monitor_concerns(event))
        return -1;
    uint32_t *number = by_number_at(&rows->numbers, event->subject.number);
    const bool is_new = *number == 0;
    struct row *row = table_row_numbered(rows, number);
    if (is_new)
        begin_row(rows, row, event);
    if (event->kind == CA_REQUEST_ANSWERED)
        row->first_ns = ca_request_latency(&event->subject.exchange->request);
    row->updates += event->kind != CA_REQUEST_ASKED;
    int64_t spacing_ns =
        event->subject.update ? ca_update_spacing(rows->table.source->analysis->channels, event->subject.update) : -1;
    if (spacing_ns >= 0)
        sample_add(&row->spacing, spacing_ns);
    return (int)*number - 1;
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    struct row *row = table_row(rows, number);
    struct description spacing;
    sample_describe(&row->spacing, &spacing);
    cells[FRAME].number = row->frame;
    cells[TIME].timestamp_ns = row->start_ns;
    cells[CLIENT].text = endpoint_name(scope, rows->table.source, &row->client, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &row->server, row->ipv6);
    cells[FIRST].number = time_cell(row->first_ns);
    cells[UPDATES].number = (double)row->updates;
    cells[SPACINGS].number = (double)spacing.count;
    cells[MIN_TIME].number = spacing.min;
    cells[P50].number = spacing.p50;
    cells[P95].number = spacing.p95;
    cells[P95].of = spacing.count;
    cells[MAX_TIME].number = spacing.max;
    cells[CHANNEL].text = printable_text(scope, row->pv);
}

/* Those without an update come first; then those that were quiet longest. */
static double
weigh_row(void *data, unsigned number)
{
    const struct row *row = table_row(data, number);
    return row->updates == 0 ? (double)INT64_MAX : (double)row->spacing.moments.max;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    unsigned silent = 0;
    uint64_t updates = 0;
    for (unsigned i = 0; i < table_count(data); i++) {
        const struct row *row = table_row(rows, i);
        silent += row->updates == 0;
        updates += row->updates;
    }
    g_string_append_printf(text, "%u monitor%s with %" PRIu64 " update%s: %u without any.\n", table_count(data),
                           plurality(table_count(data), "", "s"), updates, plurality(updates, "", "s"), silent);
}

const struct table_definition pva_monitors_table = {
    .title = "pvAccess: Monitors",
    .argument = "pva,monitors",
    .takes_events = true,
    .heading = "pvAccess monitors: the first update, and from each to the next",
    .columns = columns,
    .last_at = FIRST,
    .is_ranked = true,
    .bytes = sizeof(struct rows),
    .row_bytes = sizeof(struct row),
    .open = open_rows,
    .close = close_rows,
    .take = take_event,
    .fill = fill_row,
    .weight = weigh_row,
    .summarize = summarize,
    .absence = absence_of_pvaccess,
};
