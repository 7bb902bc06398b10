/* live_page.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "core/util/printable.h"
#include "json/export_line.h"
#include "table/table_column.h"
#include "table/text_number.h"
#include "table/text_shortened.h"

enum { HEAD_LINES = 3, FOOT_LINES = 1, SERIES_WIDTH = 10, SERIES_WIDE = 20 };

/* Widths of the screen from which on a table has its usual columns, that of open requests, and a wider trend. */
enum { COLUMNS_USUAL = 66, COLUMNS_OPEN = 90, COLUMNS_WIDE = 110 };

enum { NS_PER_MS = 1000000 };

static void
clear_line(void *data)
{
    GArray *line = data;
    for (unsigned i = 0; i < line->len; i++)
        g_free(g_array_index(line, struct page_piece, i).text);
    g_array_free(line, TRUE);
}

struct page *
page_new(int lines, int columns, bool has_unicode)
{
    struct page *page = g_new0(struct page, 1);
    page->scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    page->lines = MAX(lines, 1);
    page->columns = MAX(columns, 1);
    page->has_unicode = has_unicode;
    page->all = g_ptr_array_new_with_free_func(clear_line);
    return page;
}

void
page_free(struct page *page)
{
    g_ptr_array_free(page->all, TRUE);
    wmem_destroy_allocator(page->scope);
    g_free(page);
}

unsigned
page_rows(int lines)
{
    return (unsigned)MAX(lines - HEAD_LINES - FOOT_LINES, 1);
}

static void
begin_line(struct page *page)
{
    g_ptr_array_add(page->all, g_array_new(FALSE, FALSE, sizeof(struct page_piece)));
    page->used = 0;
}

static int
width_of(gunichar character)
{
    return g_unichar_iszerowidth(character) ? 0 : g_unichar_iswide(character) ? 2 : 1;
}

/* Appends a text to the last line, as much of it as there is room for, without what a terminal would obey. */
static void
put(struct page *page, enum page_style style, const char *text)
{
    char *printable = printable_text(page->scope, text), *end = printable;
    for (; *end && g_utf8_validate(end, -1, NULL); end = g_utf8_next_char(end)) {
        const int width = width_of(g_utf8_get_char(end));
        if (page->used + width > page->columns)
            break;
        page->used += width;
    }
    const struct page_piece piece = { style, g_strndup(printable, (gsize)(end - printable)) };
    g_array_append_val((GArray *)g_ptr_array_index(page->all, page->all->len - 1), piece);
}

static void put_format(struct page *page, enum page_style style, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void
put_format(struct page *page, enum page_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    put(page, style, text);
    g_free(text);
}

/* Fills the line to its end. */
static void
fill_line(struct page *page, enum page_style style)
{
    put_format(page, style, "%*s", page->columns - page->used, "");
}

/* Returns a number with three digits, or as many as stand before its point; "-" if it is not known. */
static const char *
number_text(const struct page *page, double number)
{
    if (isnan(number))
        return "-";
    return number_decimal(page->scope, number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0);
}

static const char *
ms_text(const struct page *page, double ns)
{
    return number_text(page, ns / NS_PER_MS);
}

static void
show_title(struct page *page, const struct live_ui *ui, const struct live_status *status)
{
    GDateTime *now = status->frames > 0 ? g_date_time_new_from_unix_local(live_second_of(status->now_ns)) : NULL;
    char *clock = now ? g_date_time_format(now, "%H:%M:%S") : NULL;
    begin_line(page);
    put_format(page, PAGE_TITLE, "latency-scan  %s  %s",
               text_shortened(page->scope, status->name, MAX(page->columns / 4, 1), page->has_unicode),
               clock ? clock : "");
    if (ui->is_paused)
        put(page, PAGE_TITLE, "  PAUSED");
    if (status->has_ended)
        put(page, PAGE_TITLE, "  read to the end");
    else if (status->done >= 0)
        put_format(page, PAGE_TITLE, "  %.0f %%", status->done * 100);
    if (status->behind_s > 0)
        put_format(page, PAGE_TITLE, "  %.0f s behind", status->behind_s);
    put_format(page, PAGE_TITLE, "  %s packets", number_grouped(page->scope, (double)status->frames));
    fill_line(page, PAGE_TITLE);
    g_free(clock);
    if (now)
        g_date_time_unref(now);
}

static void
show_totals(struct page *page, const struct live_ui *ui, const struct live_view *view)
{
    const struct live_question *question = &ui->question;
    begin_line(page);
    put_format(page, PAGE_PLAIN, "%s by %s, %s: %s requests/s", live_by_names[question->by],
               live_sort_names[question->sort], live_window_names[question->window],
               number_text(page, view->per_second));
    if (view->errors > 0)
        put_format(page, PAGE_BAD, ", %" PRIu64 " %s", view->errors, plurality(view->errors, "error", "errors"));
    if (view->unanswered > 0)
        put_format(page, PAGE_BAD, ", %" PRIu64 " unanswered", view->unanswered);
    if (view->open > 0)
        put_format(page, PAGE_PLAIN, ", %" PRIu64 " open", view->open);
    if (ui->filter->len > 0)
        put_format(page, PAGE_PLAIN, "  /%s", ui->filter->str);
}

/* Shows what is entered or said, or else the hints. */
static void
show_foot(struct page *page, const struct live_ui *ui, const struct live_status *status, const char *hints)
{
    while ((int)page->all->len > page->lines - FOOT_LINES && page->all->len > 0)
        g_ptr_array_set_size(page->all, (int)page->all->len - 1);
    while ((int)page->all->len < page->lines - FOOT_LINES)
        begin_line(page);
    begin_line(page);
    if (ui->entering == ENTERING_FILTER)
        put_format(page, PAGE_PLAIN, "/%s_", ui->entered->str);
    else if (ui->entering == ENTERING_FILE)
        put_format(page, PAGE_PLAIN, "Write JSON lines to: %s_", ui->entered->str);
    else if (ui->message)
        put(page, PAGE_PLAIN, ui->message);
    else if (*status->said)
        put(page, PAGE_BAD, status->said);
    else
        put(page, PAGE_FAINT, hints);
}

/* Which columns there is room for. */
struct columns {
    bool has_all, has_open;
    int series; /* how wide; 0: there is none */
};

static struct columns
columns_of(const struct page *page, enum live_sort sort)
{
    const int width = page->columns;
    const bool is_usual = width >= COLUMNS_USUAL, has_open = width >= COLUMNS_OPEN || (is_usual && sort == LIVE_OPEN);
    const bool has_series = is_usual && (width >= COLUMNS_OPEN || !has_open);
    return (struct columns){ is_usual, has_open, !has_series ? 0 : width >= COLUMNS_WIDE ? SERIES_WIDE : SERIES_WIDTH };
}

static void
put_head(struct page *page, int width, const char *name, bool is_sorted)
{
    put_format(page, is_sorted ? PAGE_SELECTED : PAGE_HEAD, "%*s", width, name);
    put(page, PAGE_HEAD, " ");
}

static void
show_heads(struct page *page, enum live_by by, enum live_sort sort)
{
    const struct columns columns = columns_of(page, sort);
    begin_line(page);
    put(page, PAGE_HEAD, " ");
    put_head(page, 5, "share", sort == LIVE_SHARE);
    put_head(page, 6, "req/s", sort == LIVE_RATE);
    if (columns.has_all) {
        put_head(page, 4, "err", sort == LIVE_ERRORS);
        if (columns.has_open)
            put_head(page, 4, "open", sort == LIVE_OPEN);
        put_head(page, 6, "p50 ms", sort == LIVE_P50);
    }
    put_head(page, 6, "p95 ms", sort == LIVE_P95);
    if (columns.has_all)
        put_head(page, 6, "p99 ms", sort == LIVE_P99);
    if (columns.series > 0)
        put_format(page, PAGE_HEAD, "%-*s ", columns.series, "p95 trend");
    put(page, sort == LIVE_NAME ? PAGE_SELECTED : PAGE_HEAD, by == LIVE_BY_SERVER ? "server" : "operation @ server");
    fill_line(page, PAGE_HEAD);
}

/* Returns bars that say how high the p95 of each part of the window is, of the highest, with a blank where nobody
 * waited; to be freed with g_free(). */
static char *
series_text(const struct live_view *view, const struct live_shown *shown, int width, bool has_unicode)
{
    static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char letters[] = ".:-=+*#@";
    const unsigned each = MAX(view->n_series / (unsigned)width, 1);
    GString *text = g_string_new(NULL);
    double highest = 0;
    for (unsigned i = 0; i < view->n_series; i++)
        highest = fmax(highest, shown->p95_ns[i]);
    for (unsigned i = 0; i < view->n_series; i += each) {
        double ns = NAN;
        for (unsigned k = i; k < MIN(i + each, view->n_series); k++)
            ns = fmax(ns, shown->p95_ns[k]);
        const unsigned level =
            highest > 0 ? (unsigned)fmin(ns / highest * G_N_ELEMENTS(bars), G_N_ELEMENTS(bars) - 1) : 0;
        if (isnan(ns))
            g_string_append_c(text, ' ');
        else if (has_unicode)
            g_string_append(text, bars[level]);
        else
            g_string_append_c(text, letters[level]);
    }
    for (long length = g_utf8_strlen(text->str, -1); length < width; length++)
        g_string_append_c(text, ' ');
    return g_string_free(text, FALSE);
}

/* Appends a percentile, or that it is not known, as of fewer than `least` values. */
static void
put_percentile(struct page *page, const struct live_shown *shown, double ns, unsigned least, int64_t slow_ns,
               enum page_style style)
{
    const char *text = ms_text(page, shown->is_described && shown->times.count >= least ? ns : NAN);
    const bool is_slow = slow_ns > 0 && shown->times.count >= least && ns >= (double)slow_ns;
    put_format(page, is_slow && style == PAGE_PLAIN ? PAGE_SLOW : style, "%6s ", text);
}

/* Appends a count: of more than four digits its thousands, millions, and so on. */
static void
put_count(struct page *page, uint64_t count, enum page_style style)
{
    static const char *const units[] = { "", "k", "M", "G", "T" };
    enum { MOST = 9999, THOUSAND = 1000 };
    const bool is_long = count > MOST;
    unsigned unit = 0;
    for (; is_long && count >= THOUSAND && unit + 1 < G_N_ELEMENTS(units); unit++)
        count /= THOUSAND;
    put_format(page, style, "%*" PRIu64 "%s ", unit > 0 ? 3 : 4, count, units[unit]);
}

static void
show_row(struct page *page, const struct live_view *view, const struct live_shown *shown, enum live_sort sort,
         int64_t slow_ns, bool is_selected)
{
    const struct columns columns = columns_of(page, sort);
    const enum page_style style = is_selected ? PAGE_SELECTED : PAGE_PLAIN;
    const uint64_t failed = shown->errors + shown->unanswered;
    begin_line(page);
    put(page, style, is_selected ? ">" : " ");
    if (isnan(shown->share))
        put_format(page, style, "%5s ", "-");
    else
        put_format(page, style, "%4.*f%% ", shown->share < 0.9995 ? 1 : 0, shown->share * 100);
    put_format(page, style, "%6s ", number_text(page, shown->per_second));
    if (columns.has_all) {
        put_count(page, failed, failed > 0 && !is_selected ? PAGE_BAD : style);
        if (columns.has_open)
            put_count(page, shown->open, style);
        put_percentile(page, shown, shown->times.p50, 1, slow_ns, style);
    }
    put_percentile(page, shown, shown->times.p95, P95_LEAST, slow_ns, style);
    if (columns.has_all)
        put_percentile(page, shown, shown->times.p99, P99_LEAST, slow_ns, style);
    if (columns.series > 0) {
        char *series = series_text(view, shown, columns.series, page->has_unicode);
        put_format(page, style, "%s ", series);
        g_free(series);
    }
    char *name = printable_text(page->scope, shown->name);
    put(page, style, text_shortened(page->scope, name, MAX(page->columns - page->used, 1), page->has_unicode));
    if (is_selected)
        fill_line(page, style);
}

static void
show_head(struct page *page, const struct live_ui *ui, const struct live_view *view, const struct live_status *status)
{
    show_title(page, ui, status);
    show_totals(page, ui, view);
}

void
page_show_rows(struct page *page, const struct live_ui *ui, const struct live_view *view,
               const struct live_status *status)
{
    const unsigned rows = page_rows(page->lines);
    show_head(page, ui, view, status);
    show_heads(page, ui->question.by, ui->question.sort);
    for (unsigned i = ui->from; i < view->order->len && i - ui->from < rows; i++)
        show_row(page, view, live_view_row(view, i), ui->question.sort, status->slow_ns, i == ui->selected);
    if (view->order->len == 0) {
        begin_line(page);
        put(page, PAGE_FAINT, view->rows->len > 0 ? "  No name has this." : "  No requests in this time.");
    }
    show_foot(page, ui, status, "q quit  ? help  Enter open  / filter  s sort  w window  Tab servers  p pause");
}

static void
show_slowest(struct page *page, const struct live_opened *opened)
{
    begin_line(page);
    begin_line(page);
    put(page, PAGE_HEAD, "  waited ms      frame  the slowest requests                            ");
    for (unsigned i = 0; i < LIVE_SLOWEST && opened->sum.slowest[i]; i++) {
        const struct live_request *request = opened->sum.slowest[i];
        char *client = endpoint_text(&request->client, request->ipv6);
        begin_line(page);
        put_format(page, PAGE_PLAIN, "%11s %10u  ", ms_text(page, (double)request->wait_ns), request->frame);
        put_format(page, request->has_failed ? PAGE_BAD : PAGE_PLAIN, "%s", request->operation);
        put_format(page, PAGE_FAINT, "  of %s", client);
        g_free(client);
    }
}

static void
show_connections(struct page *page, const struct live_opened *opened)
{
    begin_line(page);
    begin_line(page);
    put_format(page, PAGE_HEAD, "  waited ms   requests  errors  the latest connections, at most %d     ",
               LIVE_CONNECTIONS);
    for (unsigned i = 0; i < opened->n_connections; i++) {
        const struct live_connection *connection = &opened->connections[i];
        char *client = endpoint_text(&connection->client, connection->ipv6),
             *server = endpoint_text(&connection->server, connection->ipv6);
        begin_line(page);
        put_format(page, PAGE_PLAIN, "%11s %10" PRIu64 " ", ms_text(page, wide_double(connection->wait_ns)),
                   connection->requests);
        put_format(page, connection->errors > 0 ? PAGE_BAD : PAGE_PLAIN, "%7" PRIu64 "  ", connection->errors);
        put_format(page, PAGE_PLAIN, "%s - %s%s", client, server, connection->is_udp ? " (UDP)" : "");
        g_free(client);
        g_free(server);
    }
}

/* Shows a text of more than a line as a terminal copies it: broken where the screen ends. */
static void
show_long(struct page *page, const char *text)
{
    while (*text) {
        begin_line(page);
        GArray *line = g_ptr_array_index(page->all, page->all->len - 1);
        put(page, PAGE_PLAIN, text);
        const size_t shown = strlen(g_array_index(line, struct page_piece, line->len - 1).text);
        if (shown == 0)
            return;
        text += shown;
    }
}

/* Returns a display filter for the slowest requests, to be freed with g_free(). */
static char *
filter_of_slowest(const struct live_opened *opened)
{
    GString *filter = g_string_new("latency.request in {");
    for (unsigned i = 0; i < LIVE_SLOWEST && opened->sum.slowest[i]; i++)
        g_string_append_printf(filter, i > 0 ? ", %u" : "%u", opened->sum.slowest[i]->number);
    g_string_append_c(filter, '}');
    return g_string_free(filter, FALSE);
}

static void
show_filters(struct page *page, const struct live_opened *opened)
{
    char *slowest = filter_of_slowest(opened);
    begin_line(page);
    begin_line(page);
    put(page, PAGE_HEAD, "Display filters: for all of its requests, and for the slowest");
    show_long(page, opened->filter);
    if (opened->sum.slowest[0])
        show_long(page, slowest);
    g_free(slowest);
}

static void
show_figures(struct page *page, const struct live_opened *opened)
{
    const struct live_sum *sum = &opened->sum;
    struct description times;
    statistic_describe(&sum->wait, &times);
    begin_line(page);
    put_format(page, PAGE_PLAIN, "%" PRIu64 " %s, ", sum->requests, plurality(sum->requests, "request", "requests"));
    put_format(page, sum->errors > 0 ? PAGE_BAD : PAGE_PLAIN, "%" PRIu64 " %s, ", sum->errors,
               plurality(sum->errors, "error", "errors"));
    put_format(page, sum->unanswered > 0 ? PAGE_BAD : PAGE_PLAIN, "%" PRIu64 " unanswered", sum->unanswered);
    begin_line(page);
    put_format(page, PAGE_PLAIN, "p50 %s ms, p95 %s ms, p99 %s ms, longest %s ms", ms_text(page, times.p50),
               ms_text(page, times.p95), ms_text(page, times.p99), ms_text(page, times.max));
}

/* Leaves out the lines that have been scrolled away, of those behind the first `kept`. */
static void
scroll(struct page *page, unsigned kept, unsigned *from)
{
    const unsigned room = MAX((unsigned)MAX(page->lines - FOOT_LINES, 1), kept), n = page->all->len;
    *from = MIN(*from, n > room ? n - room : 0);
    if (*from > 0)
        g_ptr_array_remove_range(page->all, kept, *from);
}

void
page_show_opened(struct page *page, struct live_ui *ui, const struct live_opened *opened,
                 const struct live_status *status)
{
    show_title(page, ui, status);
    begin_line(page);
    put_format(page, PAGE_HEAD, "%s",
               opened->name ? opened->name : "It has been forgotten: nothing came for a minute.");
    put_format(page, PAGE_PLAIN, "  %s", live_window_names[ui->question.window]);
    if (opened->name) {
        const unsigned kept = page->all->len;
        show_figures(page, opened);
        show_slowest(page, opened);
        if (*opened->filter)
            show_filters(page, opened);
        show_connections(page, opened);
        scroll(page, kept, &ui->opened_from);
    }
    show_foot(page, ui, status, "q back  Up Down scroll  w window  p pause  ? help");
}

void
page_show_help(struct page *page, const struct live_ui *ui, const struct live_status *status)
{
    static const char *const lines[] = {
        "",
        "Tab         servers, or operations       f   numbers in paths as {n}",
        "1 2 3, w    the last 10 s, the last minute, all",
        "s S         sort by the next column, by the one before",
        "/           show only names that have a text; Esc: all again",
        "Up Down PgUp PgDn Home End               select a row",
        "Enter       open it: its slowest requests, connections, display filters",
        "p, Space    pause: capturing goes on",
        "j           write what is shown to a file, as JSON lines",
        "? h         this help                    q   quit, and print the table",
        "",
        "share   of the time for which clients waited for answers",
        "req/s   requests that ended",
        "err     errors, and requests that will have no response",
        "open    requests that wait for their response",
        "p95 ms  time below which 95 % of the clients' waits are",
        "trend   the same over the time of the window; its highest is the row's own",
    };
    show_title(page, ui, status);
    for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
        begin_line(page);
        put(page, PAGE_PLAIN, lines[i]);
    }
    show_foot(page, ui, status, "? back");
}
