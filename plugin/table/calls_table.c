/* calls_table.c
 * -z latency,calls: which requests each operation causes, and how much of its time these take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

#include "../core/calls/calls.h"
#include "../core/stats/sample.h"
#include "../core/util/hashed.h"
#include "call_name.h"
#include "call_source.h"
#include "names.h"
#include "notes.h"
#include "passing_requests.h"
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

/* What the requests of an operation come to. */
struct caller {
    uint64_t requests;
    wide wait_ns; /* how long clients waited for them */
};

/* The calls of one operation by the requests of another. Both are numbers of the rows' operations. */
struct row {
    struct hashed hashed; /* by the pair */
    unsigned operation, called;
    uint64_t calls, errors, unanswered, retries;
    uint64_t by_rule[CALL_RULES];
    struct sample durations;
    wide time_ns;     /* of the requests' time, that when one of the calls was under way */
    uint32_t request; /* the latest, of which this has been counted until then: */
    int64_t counted_ns;
};

struct rows {
    struct table_rows table;
    struct passing_requests passing;
    struct groups *operations;   /* of struct caller */
    GPtrArray *rows;             /* of struct row */
    struct hashed_table by_pair; /* the same */
    uint64_t calling;            /* requests that have calls */
    uint64_t told[CALL_RULES];   /* calls in rows, by rule */
    struct untold_calls untold;
    /* While rows are made of a capture: */
    const struct calls *calls;
    const struct call *request;
    uint32_t number; /* its */
    unsigned operation;
};

static void take_rows(void *data);

static void
free_row(void *data)
{
    struct row *row = data;
    sample_clear(&row->durations);
    g_free(row);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    rows->operations = groups_new(sizeof(struct caller), NULL);
    rows->rows = g_ptr_array_new_with_free_func(free_row);
    hashed_init(&rows->by_pair, NULL);
    passing_requests_open(&rows->passing, &rows->table, take_rows);
    call_source_want(rows->table.source);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    passing_requests_close(&rows->passing);
    groups_free(rows->operations);
    hashed_clear(&rows->by_pair);
    g_ptr_array_free(rows->rows, TRUE);
}

static unsigned
operation_of(struct rows *rows, const struct call *call)
{
    const struct call_operation *operation = calls_operation(rows->calls, call->operation);
    const struct group_key key = { .server = operation->server, .kind = operation->kind, .ipv6 = operation->ipv6 };
    return groups_row(rows->operations, &key);
}

static struct row *
row_of(struct rows *rows, unsigned called)
{
    const uint64_t pair = (uint64_t)rows->operation << 32 | called;
    const uint32_t hash = (uint32_t)hashed_mix(pair ^ rows->by_pair.key, rows->by_pair.key);
    struct hashed *found = hashed_first(&rows->by_pair, hash);
    while (found && (((struct row *)found)->operation != rows->operation || ((struct row *)found)->called != called))
        found = hashed_next(found);
    if (found)
        return (struct row *)found;
    struct row *row = g_new0(struct row, 1);
    row->operation = rows->operation;
    row->called = called;
    g_ptr_array_add(rows->rows, row);
    hashed_add(&rows->by_pair, &row->hashed, hash);
    return row;
}

/* Adds the time of a call that no earlier one of the row and the same request has had: calls come in the order in which
 * they began. */
static void
add_time(const struct rows *rows, struct row *row, const struct call *call)
{
    if (row->request != rows->number)
        row->counted_ns = rows->request->begins_ns;
    row->request = rows->number;
    const int64_t from_ns = MAX(call->begins_ns, row->counted_ns);
    const int64_t until_ns = MIN(call_awaited_until(call), call_awaited_until(rows->request));
    if (until_ns <= from_ns)
        return;
    wide_add_int(&row->time_ns, until_ns - from_ns);
    row->counted_ns = until_ns;
}

static void
take_call(void *data, uint32_t number)
{
    struct rows *rows = data;
    const struct call *call = calls_find(rows->calls, number);
    struct row *row = row_of(rows, operation_of(rows, call));
    row->calls++;
    row->errors += call->failed;
    row->unanswered += (outcome_says(call->outcome) & OUTCOME_IS_UNANSWERED) != 0;
    row->retries += call->is_retry;
    row->by_rule[call->rule]++;
    rows->told[call->rule]++;
    if (call->end_frame != 0 && call->wait == WAIT_FOR_LAST_BYTE)
        sample_add(&row->durations, call_wait_ns(call));
    add_time(rows, row, call);
}

static void
take_request(void *data, uint32_t number)
{
    struct rows *rows = data;
    const struct call *request = calls_find(rows->calls, number);
    if (!request)
        return;
    untold_calls_take(&rows->untold, request);
    rows->request = request;
    rows->number = number;
    rows->operation = operation_of(rows, request);
    struct caller *caller = groups_value(rows->operations, rows->operation);
    caller->requests++;
    wide_add_int(&caller->wait_ns, call_wait_ns(request));
    rows->calling += calls_times(rows->calls, number).calls > 0;
    calls_each(rows->calls, number, take_call, rows);
}

/* Makes rows of what has passed of the capture, with all that is known of it by now. */
static void
take_rows(void *data)
{
    struct rows *rows = data;
    rows->calls = call_source_told(rows->table.source);
    for (unsigned i = 0; i < rows->rows->len; i++)
        ((struct row *)g_ptr_array_index(rows->rows, i))->request = 0;
    passing_requests_each_new(&rows->passing, take_request);
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
    return rows->rows->len;
}

static double
share_of(const struct row *row, const struct caller *caller)
{
    const double wait_ns = wide_double(caller->wait_ns);
    return wait_ns > 0 ? wide_double(row->time_ns) / wait_ns * 100 : NAN;
}

static void
fill_names(const struct rows *rows, const struct row *row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct group_key *operation = groups_key(rows->operations, row->operation);
    const struct group_key *called = groups_key(rows->operations, row->called);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &operation->server, operation->ipv6);
    cells[CALLED].text = endpoint_name(scope, rows->table.source, &called->server, called->ipv6);
    cells[OPERATION].text = *operation->kind ? operation->kind : CALL_UNKNOWN;
    cells[CALL].text = *called->kind ? called->kind : CALL_UNKNOWN;
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    struct row *row = g_ptr_array_index(rows->rows, number);
    const struct caller *caller = groups_value(rows->operations, row->operation);
    struct description duration;
    sample_describe(&row->durations, &duration);
    cells[EACH].number = (double)row->calls / (double)caller->requests;
    cells[SHARE].number = share_of(row, caller);
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
    const struct row *row = g_ptr_array_index(((struct rows *)data)->rows, number);
    return wide_double(row->time_ns);
}

/* Writes by which rules the causes were told: "63 only, 7 worker". */
static uint64_t
write_rules(const struct rows *rows, GString *text)
{
    uint64_t sum = 0;
    for (unsigned rule = CALL_ID; rule <= CALL_AFTER; rule++) {
        if (rows->told[rule] == 0)
            continue;
        g_string_append_printf(text, "%s%" PRIu64 " %s", sum > 0 ? ", " : "", rows->told[rule], call_rule_name(rule));
        sum += rows->told[rule];
    }
    return sum;
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    count_rows(rows);
    GString *rules = g_string_new(NULL);
    const uint64_t told = write_rules(rows, rules);
    g_string_append_printf(text, "%" PRIu64 " request%s, of which %" PRIu64 " call%s others; %" PRIu64 " call%s",
                           rows->passing.passed, plurality(rows->passing.passed, "", "s"), rows->calling,
                           plurality(rows->calling, "s", ""), told, plurality(told, "", "s"));
    g_string_append_printf(text, told > 0 ? ": %s (docs/calls.md).\n" : ".\n", rules->str);
    untold_calls_write(&rows->untold, told, "row", text);
    if (told > 0)
        g_string_append(text, "Calls: for each request of the operation. Share: of the time of these requests.\n");
    omitted_write(&rows->table.omitted, rows->table.source, text);
    g_string_free(rules, TRUE);
}

const struct table_definition calls_table = {
    .shows_operations = true,
    .title = "Latency: Calls",
    .argument = "latency,calls",
    .heading = "Calls that operations cause, by their time in all",
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
