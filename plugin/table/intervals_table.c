/* intervals_table.c
 * -z latency,intervals: how fast requests were answered, second by second.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/stats/tally.h"
#include "request_shares.h"
#include "table_rows.h"

enum { NS_PER_S = 1000000000 };

#define COLUMNS(X)                                                                                                     \
    X(TIME, TIMESTAMP, "Time", "time")                                                                                 \
    X(REQUESTS, COUNT, "Requests", "requests", .head = "Reqs")                                                         \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(TOTAL, TIME, "Total", "total", .wide = true, .is_sum = true)                                                     \
    X(SHARE, SHARE, "Share", "share")                                                                                  \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(P50, TIME, "p50", "p50")                                                                                         \
    X(P99, TIME, "p99", "p99", .least = P99_LEAST)                                                                     \
    X(LONGEST, TIME, "Max", "max")                                                                                     \
    X(TTFB, TIME, "TTFB", "ttfb_mean", .wide = true)                                                                   \
    X(TTFB_P50, TIME, "TTFB p50", "ttfb_p50", .wide = true)                                                            \
    X(TTFB_P99, TIME, "TTFB p99", "ttfb_p99", .wide = true, .least = P99_LEAST)                                        \
    X(TTFB_MAX, TIME, "TTFB Max", "ttfb_max", .wide = true)

static TABLE_COLUMNS(columns, COLUMNS);

struct interval {
    int64_t begin_ns;
    unsigned row;
    struct tally tally;
};

struct intervals {
    struct table_rows table;
    GHashTable *by_begin;
    GPtrArray *rows; /* of struct interval */
    struct request_shares shares;
    bool begun;
    int64_t start_ns; /* of the capture; of the first, if tshark goes on to another */
};

static void
free_interval(void *data)
{
    struct interval *interval = data;
    tally_clear(&interval->tally);
    g_free(interval);
}

static struct tally *
tally_at(void *rows, unsigned row)
{
    struct interval *interval = g_ptr_array_index(((struct intervals *)rows)->rows, row);
    return &interval->tally;
}

static struct interval *
interval_at(struct intervals *intervals, int64_t begin_ns)
{
    struct interval *interval = g_hash_table_lookup(intervals->by_begin, &begin_ns);
    if (!interval) {
        interval = g_new0(struct interval, 1);
        interval->begin_ns = begin_ns;
        interval->row = intervals->rows->len;
        g_hash_table_insert(intervals->by_begin, &interval->begin_ns, interval);
        g_ptr_array_add(intervals->rows, interval);
    }
    return interval;
}

static unsigned
row_of(void *rows, const struct request *request)
{
    struct intervals *intervals = rows;
    int64_t since = request->first_ns - intervals->start_ns;
    int64_t begin_ns = request->first_ns - (since % NS_PER_S + NS_PER_S) % NS_PER_S;
    return interval_at(intervals, begin_ns)->row;
}

static void
open_intervals(void *rows)
{
    struct intervals *intervals = rows;
    intervals->by_begin = g_hash_table_new(g_int64_hash, g_int64_equal);
    intervals->rows = g_ptr_array_new_with_free_func(free_interval);
    request_shares_open(&intervals->shares, &intervals->table, tally_at, row_of);
}

static void
close_intervals(void *rows)
{
    struct intervals *intervals = rows;
    request_shares_close(&intervals->shares);
    g_hash_table_destroy(intervals->by_begin);
    g_ptr_array_free(intervals->rows, TRUE);
}

static int
take_item(void *rows, const void *record)
{
    struct intervals *intervals = rows;
    omitted_take(&intervals->table.omitted, record);
    if (!intervals->begun)
        intervals->start_ns = intervals->table.source->start_ns;
    intervals->begun = true;
    return item_request(record) ? request_shares_take(&intervals->shares, record) : -1;
}

/* Rows are printed in the order of their times. */
static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct intervals *intervals = data;
    for (unsigned i = 0; i < n; i++) {
        const struct intervals *other = others[i];
        omitted_merge(&intervals->table.omitted, &other->table.omitted);
        for (unsigned row = 0; row < other->rows->len; row++) {
            const struct interval *interval = g_ptr_array_index(other->rows, row);
            tally_merge(&interval_at(intervals, interval->begin_ns)->tally, &interval->tally);
        }
    }
}

static unsigned
count_rows(void *rows)
{
    return ((struct intervals *)rows)->rows->len;
}

static double
wait_of_row(void *rows, unsigned row)
{
    return wide_double(tally_wait_ns(tally_at(rows, row)));
}

static void
fill_row(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope _U_)
{
    struct interval *interval = g_ptr_array_index(((struct intervals *)rows)->rows, row);
    struct tally_summary summary;
    tally_summarize(&interval->tally, &summary);
    cells[TIME].timestamp_ns = interval->begin_ns;
    cells[REQUESTS].number = (double)summary.requests;
    cells[UNANSWERED].number = (double)summary.unanswered;
    cells[TOTAL].number = summary.wait;
    cells[SHARE].number = table_share(rows, row);
    cells[MEAN].number = summary.duration.mean;
    cells[P50].number = summary.duration.p50;
    cells[P99].number = summary.duration.p99;
    cells[P99].of = summary.duration.count;
    cells[LONGEST].number = summary.duration.max;
    cells[TTFB].number = summary.first_byte.mean;
    cells[TTFB_P50].number = summary.first_byte.p50;
    cells[TTFB_P99].number = summary.first_byte.p99;
    cells[TTFB_P99].of = summary.first_byte.count;
    cells[TTFB_MAX].number = summary.first_byte.max;
}

/* The earliest first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct interval *interval = g_ptr_array_index(((struct intervals *)rows)->rows, row);
    return -(double)interval->begin_ns;
}

static void
summarize(void *rows, GString *text)
{
    struct intervals *intervals = rows;
    uint64_t requests = 0, unanswered = 0;
    struct tally sum = { 0 }; /* of streams and long polls */
    request_shares_settle(&intervals->shares);
    for (unsigned i = 0; i < intervals->rows->len; i++) {
        const struct interval *interval = g_ptr_array_index(intervals->rows, i);
        requests += interval->tally.requests;
        unanswered += tally_unanswered(&interval->tally);
        sum.streams += interval->tally.streams;
        sum.long_polls += interval->tally.long_polls;
    }
    g_string_append_printf(text, "%" PRIu64 " request%s, %" PRIu64 " unanswered, in %u second%s with requests.\n",
                           requests, plurality(requests, "", "s"), unanswered, intervals->rows->len,
                           plurality(intervals->rows->len, "", "s"));
    tally_waits_write(&sum, text);
    omitted_write(&intervals->table.omitted, intervals->table.source, text);
}

const struct table_definition intervals_table = {
    .title = "Latency: Intervals",
    .argument = "latency,intervals",
    .heading = "Intervals: requests by the second in which they began",
    .columns = columns,
    .bytes = sizeof(struct intervals),
    .open = open_intervals,
    .close = close_intervals,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .amount = wait_of_row,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_requests,
};
