/* live_view.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_view.h"

#include <math.h>
#include <string.h>

#include "json/export_line.h"
#include "table/names.h"
#include "table/text_shortened.h"

const char *const live_sort_names[] = { "share", "requests", "errors", "open", "p50", "p95", "p99", "name" };
const char *const live_by_names[] = { "servers", "operations", "operations with {n}" };
const char *const live_window_names[] = { "last 10 s", "last minute", "all" };

/* "GET /product @ 10.77.0.2:80", to be freed with g_free(). */
static char *
name_of(const struct live_row *row)
{
    if (row->is_others)
        return g_strdup("others");
    char *server = endpoint_text(&row->key.server, row->key.ipv6);
    if (!*row->key.kind)
        return server;
    char *name = g_strconcat(row->key.kind, TEXT_AT, server, NULL);
    g_free(server);
    return name;
}

/* A row's series while it is made. */
struct summing {
    struct statistic series[LIVE_SERIES];
    unsigned places_each; /* so many of the window's places are a part of the series */
};

static void
take_counts(void *data, unsigned place G_GNUC_UNUSED, const struct live_sum *sum)
{
    live_sum_merge_counts(data, sum);
}

static void
take_all(void *data, unsigned place, const struct live_sum *sum)
{
    struct summing *summing = data;
    statistic_merge(&summing->series[place / summing->places_each], &sum->wait);
}

static unsigned
series_length(enum live_window window)
{
    return MIN(live_window_places(window), LIVE_SERIES);
}

/* Fills in the percentiles. */
static void
describe(struct live_shown *shown, const struct live_row *row, const struct live_question *question)
{
    struct summing summing = { .places_each = live_window_places(question->window) / series_length(question->window) };
    struct statistic all = { 0 };
    live_row_each(row, question->window, live_second_of(question->now_ns), take_all, &summing);
    for (unsigned i = 0; i < series_length(question->window); i++) {
        struct description part;
        statistic_describe(&summing.series[i], &part);
        shown->p95_ns[i] = part.p95;
        statistic_merge(&all, &summing.series[i]);
        statistic_clear(&summing.series[i]);
    }
    statistic_describe(&all, &shown->times);
    statistic_clear(&all);
    shown->is_described = true;
}

/* Whether the filter's text is in the name, in whatever case. */
static bool
passes(const char *name, const char *filter)
{
    if (!*filter)
        return true;
    char *folded_name = g_utf8_casefold(name, -1), *folded_filter = g_utf8_casefold(filter, -1);
    const bool passes = strstr(folded_name, folded_filter);
    g_free(folded_name);
    g_free(folded_filter);
    return passes;
}

/* How long the window is, as far as the capture has it. */
static int64_t
elapsed_ns(const struct live_question *question)
{
    const int64_t places = live_window_places(question->window);
    const int64_t begin_ns = (live_second_of(question->now_ns) - places + 1) * LIVE_NS_PER_S;
    return question->now_ns - (question->window == LIVE_WHOLE ? question->begin_ns : MAX(begin_ns, question->begin_ns));
}

static double
per_second(uint64_t requests, const struct live_question *question)
{
    const int64_t ns = elapsed_ns(question);
    return ns > 0 ? (double)requests * (double)LIVE_NS_PER_S / (double)ns : NAN;
}

/* For all rows: what they come to without percentiles. */
struct making {
    struct live_view *view;
    const struct live_question *question;
    wide wait_ns; /* of all */
};

static void
make_row(struct making *making, const struct live_row *row)
{
    const struct live_question *question = making->question;
    struct live_view *view = making->view;
    struct live_sum sum = { 0 };
    live_row_each(row, question->window, live_second_of(question->now_ns), take_counts, &sum);
    if (sum.requests == 0 && row->open == 0)
        return;
    view->requests += sum.requests;
    view->errors += sum.errors;
    view->unanswered += sum.unanswered;
    view->open += row->open;
    wide_add(&making->wait_ns, sum.wait.moments.sum);
    struct live_shown shown = {
        .key = row->key,
        .is_others = row->is_others,
        .name = name_of(row),
        .requests = sum.requests,
        .errors = sum.errors,
        .unanswered = sum.unanswered,
        .open = row->open,
        .wait_ns = sum.wait.moments.sum,
        .per_second = per_second(sum.requests, question),
    };
    shown.key.kind = g_strdup(row->key.kind);
    g_array_append_val(view->rows, shown);
}

static struct live_shown *
row_at(const struct live_view *view, unsigned i)
{
    return &g_array_index(view->rows, struct live_shown, i);
}

const struct live_shown *
live_view_row(const struct live_view *view, unsigned i)
{
    return row_at(view, g_array_index(view->order, unsigned, i));
}

static bool
needs_percentiles(enum live_sort sort)
{
    return sort >= LIVE_P50 && sort <= LIVE_P99;
}

/* What a row is sorted by. */
static double
weight_of(const struct live_shown *shown, enum live_sort sort)
{
    const double weights[LIVE_SORTS] = {
        [LIVE_SHARE] = shown->share,
        [LIVE_RATE] = (double)shown->requests,
        [LIVE_ERRORS] = (double)(shown->errors + shown->unanswered),
        [LIVE_OPEN] = (double)shown->open,
        [LIVE_P50] = shown->times.p50,
        [LIVE_P95] = shown->times.p95,
        [LIVE_P99] = shown->times.p99,
    };
    return isnan(weights[sort]) ? -1 : weights[sort];
}

/* For what sorts. */
struct sorting {
    const struct live_view *view;
    enum live_sort sort;
};

static int
compare(const void *a, const void *b, void *data)
{
    const struct sorting *sorting = data;
    const struct live_shown *x = row_at(sorting->view, *(const unsigned *)a),
                            *y = row_at(sorting->view, *(const unsigned *)b);
    const double first = weight_of(x, sorting->sort), second = weight_of(y, sorting->sort);
    return first == second ? strcmp(x->name, y->name) : first < second ? 1 : -1;
}

void
live_view_arrange(struct live_view *view, const struct live_question *question)
{
    struct sorting sorting = { view, question->sort };
    g_array_set_size(view->order, 0);
    for (unsigned i = 0; i < view->rows->len; i++)
        if (passes(row_at(view, i)->name, question->filter))
            g_array_append_val(view->order, i);
    g_array_sort_with_data(view->order, compare, &sorting);
}

/* The parts of the window whose percentile at 95 % is shown. */
static void
set_series(struct live_view *view, const struct live_rows *rows, const struct live_question *question)
{
    const int64_t second_ns = LIVE_NS_PER_S, places = live_window_places(question->window);
    const bool is_whole = question->window == LIVE_WHOLE;
    view->n_series = series_length(question->window);
    view->series_ns = (is_whole ? rows->part_ns : second_ns) * (places / view->n_series);
    view->series_begin_ns = is_whole ? rows->begin_ns : (live_second_of(question->now_ns) - places + 1) * second_ns;
}

static const struct live_row *
find_row(const struct live_rows *rows, enum live_by by, const struct group_key *key, bool is_others)
{
    return is_others ? rows->others[by] : g_hash_table_lookup(rows->rows[by], key);
}

static void
describe_row(const struct live_view *view, unsigned i, const struct live_rows *rows,
             const struct live_question *question)
{
    struct live_shown *shown = row_at(view, i);
    describe(shown, find_row(rows, question->by, &shown->key, shown->is_others), question);
}

void
live_view_make(struct live_view *view, const struct live_rows *rows, const struct live_question *question)
{
    struct making making = { view, question, wide_of(0) };
    GHashTableIter each;
    void *row;
    *view = (struct live_view){
        .rows = g_array_new(FALSE, FALSE, sizeof(struct live_shown)),
        .order = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .now_ns = question->now_ns,
    };
    g_hash_table_iter_init(&each, rows->rows[question->by]);
    while (g_hash_table_iter_next(&each, NULL, &row))
        make_row(&making, row);
    make_row(&making, rows->others[question->by]);
    view->per_second = per_second(view->requests, question);
    const double all_ns = wide_double(making.wait_ns);
    for (unsigned i = 0; i < view->rows->len; i++) {
        struct live_shown *shown = row_at(view, i);
        shown->share = all_ns > 0 ? wide_double(shown->wait_ns) / all_ns : NAN;
        if (needs_percentiles(question->sort))
            describe_row(view, i, rows, question);
    }
    set_series(view, rows, question);
    live_view_arrange(view, question);
    for (unsigned i = question->from; i < view->order->len && i - question->from < question->n; i++)
        if (!live_view_row(view, i)->is_described)
            describe_row(view, g_array_index(view->order, unsigned, i), rows, question);
}

void
live_view_clear(struct live_view *view)
{
    for (unsigned i = 0; view->rows && i < view->rows->len; i++) {
        g_free(row_at(view, i)->name);
        g_free((char *)row_at(view, i)->key.kind);
    }
    if (view->rows) {
        g_array_free(view->rows, TRUE);
        g_array_free(view->order, TRUE);
    }
    *view = (struct live_view){ .rows = NULL };
}

static void
write_number(struct line *line, const char *name, double number)
{
    if (isnan(number))
        return;
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_value_double(&line->dumper, number);
}

static void
write_ns(struct line *line, const char *name, double ns)
{
    if (!isnan(ns))
        line_int(line, name, (int64_t)ns);
}

static void
write_head(struct line *line, const struct live_view *view, const struct live_question *question)
{
    line_begin(line, "view");
    line_text(line, "by", live_by_names[question->by]);
    line_text(line, "window", live_window_names[question->window]);
    line_text(line, "sort", live_sort_names[question->sort]);
    if (*question->filter)
        line_text(line, "filter", question->filter);
    line_int(line, "time", question->now_ns);
    line_uint(line, "requests", view->requests);
    write_number(line, "per_second", view->per_second);
    line_uint(line, "errors", view->errors);
    line_uint(line, "unanswered", view->unanswered);
    line_uint(line, "open", view->open);
    line_end(line);
}

static void
write_series(struct line *line, const struct live_view *view, const struct live_shown *shown)
{
    line_array(line, "p95_series");
    for (unsigned i = 0; i < view->n_series; i++) {
        if (isnan(shown->p95_ns[i]))
            continue;
        json_dumper_begin_object(&line->dumper);
        line_int(line, "time", view->series_begin_ns + i * view->series_ns);
        write_ns(line, "p95", shown->p95_ns[i]);
        json_dumper_end_object(&line->dumper);
    }
    line_end_array(line);
}

static void
write_row(struct line *line, const struct live_view *view, const struct live_shown *shown)
{
    line_begin(line, "row");
    if (shown->is_others)
        line_true(line, "others");
    else
        line_endpoint(line, "server", "server_port", &shown->key.server, shown->key.ipv6);
    if (*shown->key.kind)
        line_text(line, "kind", shown->key.kind);
    write_number(line, "share", shown->share);
    line_uint(line, "requests", shown->requests);
    write_number(line, "per_second", shown->per_second);
    line_uint(line, "errors", shown->errors);
    line_uint(line, "unanswered", shown->unanswered);
    line_uint(line, "open", shown->open);
    line_sum(line, "wait", shown->wait_ns);
    write_ns(line, "p50", shown->times.p50);
    write_ns(line, "p95", shown->times.p95);
    write_ns(line, "p99", shown->times.p99);
    write_series(line, view, shown);
    line_end(line);
}

void
live_view_write(const struct live_view *view, const struct live_question *question, FILE *file)
{
    struct line line = { .dumper = { .output_file = file } };
    write_head(&line, view, question);
    for (unsigned i = 0; i < view->order->len; i++)
        write_row(&line, view, live_view_row(view, i));
}

/* Appends the text as a display filter's string. */
static void
put_quoted(GString *filter, const char *text, size_t length)
{
    g_string_append_c(filter, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            g_string_append_c(filter, '\\');
        g_string_append_c(filter, text[i]);
    }
    g_string_append_c(filter, '"');
}

static char *
filter_of(const struct live_row *row)
{
    static const char folded[] = "{n}", ellipsis[] = "…";
    const struct endpoint *server = &row->key.server;
    if (row->is_others)
        return g_strdup("");
    char *address = address_text(NULL, server, row->key.ipv6);
    GString *filter = g_string_new(NULL);
    g_string_append_printf(filter, "latency.request && %s.addr == %s && (tcp.port == %u || udp.port == %u)",
                           row->key.ipv6 ? "ipv6" : "ip", address, server->port, server->port);
    wmem_free(NULL, address);
    /* up to what has been folded, or cut */
    const char *kind = row->key.kind, *number = strstr(kind, folded), *more = strstr(kind, ellipsis);
    const size_t length =
        MIN(number ? (size_t)(number - kind) : strlen(kind), more ? (size_t)(more - kind) : strlen(kind));
    if (length > 0) {
        g_string_append(filter, " && latency.operation contains ");
        put_quoted(filter, kind, length);
    }
    return g_string_free(filter, FALSE);
}

static void
take_opened(void *data, unsigned place G_GNUC_UNUSED, const struct live_sum *sum)
{
    live_sum_merge(data, sum);
}

static int
compare_connections(const void *a, const void *b)
{
    const struct live_connection *x = a, *y = b;
    const double first = wide_double(x->wait_ns), second = wide_double(y->wait_ns);
    return first < second ? 1 : first > second ? -1 : (x->number > y->number) - (x->number < y->number);
}

bool
live_opened_make(struct live_opened *opened, const struct live_rows *rows, const struct live_question *question,
                 const struct group_key *key, bool is_others)
{
    const struct live_row *row = find_row(rows, question->by, key, is_others);
    *opened = (struct live_opened){ .n_connections = 0 };
    if (!row)
        return false;
    live_row_each(row, question->window, live_second_of(question->now_ns), take_opened, &opened->sum);
    opened->n_connections = row->n_connections;
    if (row->n_connections > 0)
        memcpy(opened->connections, row->connections, row->n_connections * sizeof *row->connections);
    qsort(opened->connections, opened->n_connections, sizeof *opened->connections, compare_connections);
    opened->name = name_of(row);
    opened->filter = filter_of(row);
    return true;
}

void
live_opened_clear(struct live_opened *opened)
{
    live_sum_clear(&opened->sum);
    g_free(opened->name);
    g_free(opened->filter);
    *opened = (struct live_opened){ .n_connections = 0 };
}
