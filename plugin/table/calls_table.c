/* calls_table.c
 * -z latency,calls: which requests each operation causes, and how much of its time these take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_table.h"

#include "../core/calls/calls.h"
#include "call_source.h"
#include "names.h"
#include "notes.h"
#include "passing_requests.h"
#include "table.h"
#include "table_rows.h"

#define COLUMNS(X)                                                                                                     \
    X(SERVER, TEXT, "Server", "server", .wide = true)                                                                  \
    X(OPERATION, TEXT, "Operation", "kind", .shrinks = true)                                                           \
    X(EACH, RATIO, "Calls per request", "calls_per_request", .head = "Calls")                                          \
    X(SHARE, SHARE, "Share of duration", "share_of_duration", .head = "Share")                                         \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(P95, TIME, "p95", "p95", .least = P95_LEAST)                                                                     \
    X(ERRORS, COUNT, "Errors", "errors", .head = "Err", .alarms = true)                                                \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true, .wide = true)                   \
    X(REQUESTS, NUMBER, "Requests", "requests", .head = "Reqs", .wide = true)                                          \
    X(COUNT, COUNT, "Number of calls", "calls", .head = "n", .wide = true)                                             \
    X(RETRIES, COUNT, "Retries", "retries", .wide = true)                                                              \
    X(TOTAL, TIME, "Total", "total", .is_sum = true, .wide = true)                                                     \
    X(BY_ID, COUNT, "id", "by_id", .wide = true)                                                                       \
    X(BY_SAME, COUNT, "same", "by_same", .wide = true)                                                                 \
    X(BY_THREAD, COUNT, "thread", "by_thread", .wide = true)                                                           \
    X(BY_ONLY, COUNT, "only", "by_only", .wide = true)                                                                 \
    X(BY_WORKER, COUNT, "worker", "by_worker", .wide = true)                                                           \
    X(BY_AFTER, COUNT, "after", "by_after", .wide = true)                                                              \
    X(CALLED, TEXT, "Called server", "called_server", .head = "Called", .wide = true)                                  \
    X(CALL, TEXT, "Call", "called_kind", .shrinks = true)

/* What is called is last, for it is without bounds, and may contain a "|". */
static TABLE_COLUMNS(columns, COLUMNS);

_Static_assert(BY_AFTER - BY_ID == CALL_AFTER - CALL_ID, "each rule has its column");

struct rows {
    struct table_rows table;
    struct passing_requests passing;
    struct call_pairs pairs;
    struct by_number operations; /* those of the pairs, plus one, by that of the capture's calls */
    const struct calls *calls;   /* while rows are made of a capture */
    char *remarks;               /* call_remarks_text() of the latest */
};

static void take_rows(void *data);

static void
open_rows(void *data)
{
    struct rows *rows = data;
    call_pairs_init(&rows->pairs);
    by_number_init(&rows->operations, rows->table.source, sizeof(unsigned));
    passing_requests_open(&rows->passing, &rows->table, take_rows);
    call_source_want(rows->table.source);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    call_source_leave(rows->table.source);
    passing_requests_close(&rows->passing);
    call_pairs_clear(&rows->pairs);
    by_number_clear(&rows->operations);
    g_free(rows->remarks);
}

struct call_pairs *
calls_table_pairs(void *rows)
{
    return &((struct rows *)rows)->pairs;
}

static unsigned
operation_of(struct rows *rows, const struct call *call)
{
    unsigned *known = by_number_at(&rows->operations, call->operation);
    if (*known == 0) {
        const struct call_operation *operation = calls_operation(rows->calls, call->operation);
        const struct group_key key = { .server = operation->server, .kind = operation->kind, .ipv6 = operation->ipv6 };
        *known = call_pairs_operation(&rows->pairs, &key) + 1;
    }
    return *known - 1;
}

static struct pair_request
pair_request_of(const struct call *call)
{
    return (struct pair_request){
        .begins_ns = call->begins_ns,
        .until_ns = call_awaited_until(call),
        .rule = call->rule,
        .outcome = call->outcome,
        .failed = call->failed,
        .is_retry = call->is_retry,
        .has_duration = call->end_frame != 0 && call->wait == WAIT_FOR_LAST_BYTE,
    };
}

static void
take_call(void *data, uint32_t number)
{
    struct rows *rows = data;
    const struct call *call = calls_find(rows->calls, number);
    const struct pair_request taken = pair_request_of(call);
    call_pairs_take_call(&rows->pairs, operation_of(rows, call), &taken);
}

static void
take_request(void *data, uint32_t number)
{
    struct rows *rows = data;
    const struct call *request = calls_find(rows->calls, number);
    if (!request)
        return;
    const struct pair_request taken = pair_request_of(request);
    untold_calls_take(&rows->pairs.untold, request);
    call_pairs_take_request(&rows->pairs, operation_of(rows, request), &taken);
    calls_each(rows->calls, number, take_call, rows);
}

/* Makes rows of what has passed of the capture, with all that is known of it by now. */
static void
take_rows(void *data)
{
    struct rows *rows = data;
    rows->calls = call_source_told(rows->table.source);
    passing_requests_each_new(&rows->passing, take_request);
    g_free(rows->remarks);
    rows->remarks = call_remarks_text(rows->table.source);
}

static int
take_item(void *data, const void *record)
{
    passing_requests_take(&((struct rows *)data)->passing, record);
    return -1;
}

static unsigned
count_rows(void *data)
{
    const struct rows *rows = data;
    if (passing_requests_has_new(&rows->passing))
        take_rows(data);
    return rows->pairs.rows->len;
}

static void
fill_names(const struct rows *rows, const struct call_pair *row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct group_key *operation = groups_key(rows->pairs.operations, row->operation);
    const struct group_key *called = groups_key(rows->pairs.operations, row->called);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &operation->server, operation->ipv6);
    cells[CALLED].text = endpoint_name(scope, rows->table.source, &called->server, called->ipv6);
    cells[OPERATION].text = *operation->kind ? operation->kind : CALL_UNKNOWN;
    cells[CALL].text = *called->kind ? called->kind : CALL_UNKNOWN;
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    struct call_pair *row = g_ptr_array_index(rows->pairs.rows, number);
    const struct caller *caller = groups_value(rows->pairs.operations, row->operation);
    struct description duration;
    sample_describe(&row->durations, &duration);
    cells[EACH].number = (double)row->calls / (double)caller->requests;
    cells[SHARE].number = call_pairs_share(&rows->pairs, row);
    cells[MEAN].number = duration.mean;
    cells[P95].number = duration.p95;
    cells[P95].of = duration.count;
    cells[ERRORS].number = (double)row->errors;
    cells[UNANSWERED].number = (double)row->unanswered;
    cells[REQUESTS].number = (double)caller->requests;
    cells[COUNT].number = (double)row->calls;
    cells[RETRIES].number = (double)row->retries;
    cells[TOTAL].number = wide_double(row->time_ns);
    for (unsigned rule = CALL_ID; rule <= CALL_AFTER; rule++)
        cells[BY_ID + rule - CALL_ID].number = (double)row->by_rule[rule];
    fill_names(rows, row, cells, scope);
}

/* What takes most of all requests' time, all in all, comes first. */
static double
weigh_row(void *data, unsigned number)
{
    const struct call_pair *row = g_ptr_array_index(((struct rows *)data)->pairs.rows, number);
    return wide_double(row->time_ns);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    count_rows(rows);
    call_pairs_write(&rows->pairs, text);
    g_string_append(text, rows->remarks ? rows->remarks : "");
    omitted_write(&rows->table.omitted, rows->table.source, text);
}

const struct table_definition calls_table = {
    .shows_operations = true,
    .title = "Latency: Calls",
    .argument = "latency,calls",
    .heading = "Calls that operations make, by their total time",
    .columns = columns,
    .last_at = EACH,
    .bytes = sizeof(struct rows),
    .made_at_end = "Which request caused which is known when all frames have been read: open this window again.",
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .is_ranked = true,
    .summarize = summarize,
    .absence = absence_of_calls,
};
