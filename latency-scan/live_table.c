/* live_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_table.h"

#include <math.h>

#include "preferences.h"
#include "table/text_table.h"

#define COLUMNS(X)                                                                                                     \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(REQUESTS, COUNT, "Requests", "requests")                                                                         \
    X(ERRORS, COUNT, "Errors", "errors", .alarms = true)                                                               \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .alarms = true)                                                   \
    X(OPEN, COUNT, "Waiting", "waiting", .wide = true)                                                                 \
    X(SHARE, SHARE, "Share", "share")                                                                                  \
    X(WAIT, TIME, "Waited", "wait", .is_sum = true)                                                                    \
    X(P50, TIME, "p50", "p50")                                                                                         \
    X(P95, TIME, "p95", "p95", .least = P95_LEAST)                                                                     \
    X(P99, TIME, "p99", "p99", .least = P99_LEAST)                                                                     \
    X(MOST, TIME, "Max", "max")

static TABLE_COLUMNS(columns, COLUMNS);

static void
fill(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope G_GNUC_UNUSED)
{
    const struct live_shown *shown = live_view_row(data, row);
    const struct description *times = &shown->times;
    cells[SERVER].text = shown->name;
    cells[REQUESTS].number = (double)shown->requests;
    cells[ERRORS].number = (double)shown->errors;
    cells[UNANSWERED].number = (double)shown->unanswered;
    cells[OPEN].number = (double)shown->open;
    cells[SHARE].number = shown->share * 100;
    cells[WAIT].number = wide_double(shown->wait_ns);
    cells[P50].number = times->p50;
    cells[P95].number = times->p95;
    cells[P99].number = times->p99;
    cells[MOST].number = times->max;
    cells[P95].of = cells[P99].of = times->count;
}

void
live_table_print(const struct live_view *view, struct table_source *source)
{
    const struct text_table table = {
        .argument = "--live",
        .format = preferences_table_format(),
        .shows_wide = preferences_show_wide(),
        .follows = source->has_printed,
        .heading = "Servers, as the live view has them: waits for responses",
        .notes = "",
        .columns = columns,
        .n_rows = view->order->len,
        .fill = fill,
        .timestamp = source->texts->timestamp,
        .start_ns = source->start_ns,
        .slow_ns = source->settings->slow_ns,
        .rows = (void *)view,
    };
    text_table_print(&table, stdout);
    source->has_printed = true;
}
