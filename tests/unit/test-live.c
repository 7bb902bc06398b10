/* test-live.c
 * What the live view remembers and shows, against requests that are kept whole.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include <glib.h>

#include "live_page.h"

static struct live_request
request_at(int64_t ended_ns, int64_t wait_ns, uint32_t connection)
{
    return (struct live_request){ .is_answered = true,
                                  .has_wait = true,
                                  .wait_ns = wait_ns,
                                  .ended_ns = ended_ns,
                                  .connection = connection,
                                  .operation = "GET /" };
}

static void
test_slowest(void)
{
    struct live_sum halves[2] = { 0 }, all = { 0 };
    int64_t waits[200];
    for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++) {
        struct live_request request = request_at(0, waits[i] = g_test_rand_int_range(0, 50), 1);
        request.number = i;
        request.has_failed = i % 10 == 0;
        request.is_answered = request.has_wait = i % 7 > 0;
        live_sum_add(&halves[i % 2], &request);
        if (!request.has_wait)
            waits[i] = -1;
    }
    for (unsigned i = 0; i < 2; i++)
        live_sum_merge(&all, &halves[i]);
    g_assert_cmpuint(all.requests, ==, 200);
    g_assert_cmpuint(all.unanswered, ==, 29);
    g_assert_cmpuint(all.errors, ==, 17);
    g_assert_cmpuint(all.wait.moments.count, ==, 171);
    for (unsigned k = 0; k < LIVE_SLOWEST; k++) {
        unsigned highest = 0;
        for (unsigned i = 1; i < G_N_ELEMENTS(waits); i++)
            if (waits[i] > waits[highest])
                highest = i;
        g_assert_cmpint(all.slowest[k]->wait_ns, ==, waits[highest]);
        waits[highest] = -1;
    }
    for (unsigned i = 0; i < 2; i++)
        live_sum_clear(&halves[i]);
    live_sum_clear(&all);
}

static void
count_requests(void *data, unsigned place G_GNUC_UNUSED, const struct live_sum *sum)
{
    *(uint64_t *)data += sum->requests;
}

static uint64_t
requests_of(const struct live_row *row, enum live_window window, int64_t now)
{
    uint64_t requests = 0;
    live_row_each(row, window, now, count_requests, &requests);
    return requests;
}

/* A request each 100 ms, with one in ten late by a second, or by more than is remembered. */
static void
test_seconds(void)
{
    const struct group_key key = { .kind = "" };
    struct live_row *row = live_row_new(&key);
    const int64_t begin_s = -30; /* times before 1970 are times, too */
    for (int64_t i = 0; i < 1000; i++) {
        const struct live_request request = request_at(begin_s * LIVE_NS_PER_S + i * LIVE_NS_PER_S / 10, 1, 1);
        live_row_take(row, &request, 0);
        g_assert_cmpuint(requests_of(row, LIVE_WHOLE, begin_s + i / 10), ==, i + 1);
        g_assert_cmpuint(requests_of(row, LIVE_LAST_10_S, begin_s + i / 10), ==, MIN(i + 1, 90 + i % 10 + 1));
        g_assert_cmpuint(requests_of(row, LIVE_LAST_MINUTE, begin_s + i / 10), ==, MIN(i + 1, 590 + i % 10 + 1));
    }
    const struct live_request late = request_at((begin_s + 98) * LIVE_NS_PER_S, 1, 1), old = request_at(0, 1, 1);
    live_row_take(row, &late, 0);
    live_row_take(row, &old, 0);
    g_assert_cmpuint(requests_of(row, LIVE_LAST_10_S, begin_s + 99), ==, 101);
    g_assert_cmpuint(requests_of(row, LIVE_LAST_MINUTE, begin_s + 99), ==, 601);
    g_assert_cmpuint(requests_of(row, LIVE_WHOLE, begin_s + 99), ==, 1002);
    live_row_free(row);
}

static void
test_connections(void)
{
    const struct group_key key = { .kind = "" };
    struct live_row *row = live_row_new(&key);
    for (uint32_t i = 0; i < 100; i++) {
        const struct live_request request = request_at(i, 1, i);
        live_row_take(row, &request, 0);
        const struct live_request first = request_at(i, 1, 0);
        live_row_take(row, &first, 0);
    }
    g_assert_cmpuint(row->n_connections, ==, LIVE_CONNECTIONS);
    for (unsigned i = 0; i < row->n_connections; i++) {
        const struct live_connection *connection = &row->connections[i];
        g_assert_cmpuint(connection->requests, ==, connection->number == 0 ? 101 : 1);
        g_assert_true(connection->number == 0 || connection->number > 100 - LIVE_CONNECTIONS);
    }
    live_row_free(row);
}

static struct live_keys
keys_of(char *kind, unsigned number)
{
    g_snprintf(kind, 32, "GET /%u", number);
    return (struct live_keys){ .server = { .port = 80 }, .kind = kind, .folded = "GET /{n}" };
}

/* Which part of the capture has the row's requests, as a list of their numbers. */
static void
list_part(void *data, unsigned place, const struct live_sum *sum)
{
    g_string_append_printf(data, "%u:%u ", place, (unsigned)sum->requests);
}

static void
test_parts(void)
{
    struct live_rows rows = { .part_ns = 0 };
    char kind[32];
    const struct live_keys keys = keys_of(kind, 1);
    live_rows_open(&rows);
    /* of 40 parts of an eighth of a second */
    const int64_t ends_ns[] = {
        0, LIVE_NS_PER_S / 8, 39 * LIVE_NS_PER_S / 8, 40 * LIVE_NS_PER_S / 8, 1000 * LIVE_NS_PER_S, 999 * LIVE_NS_PER_S
    };
    const char *const listed[] = { "0:1 ", "0:1 1:1 ", "0:1 1:1 39:1 ", "0:2 19:1 20:1 ", "0:4 31:1 ", "0:4 31:2 " };
    for (unsigned i = 0; i < G_N_ELEMENTS(ends_ns); i++) {
        GString *list = g_string_new(NULL);
        const struct live_request request = request_at(ends_ns[i], 1, 1);
        live_rows_take(&rows, NULL, &keys, &request, ends_ns[i]);
        const struct live_row *row = live_rows_find(&rows, LIVE_BY_SERVER, &keys, ends_ns[i]);
        live_row_each(row, LIVE_WHOLE, 0, list_part, list);
        g_assert_cmpstr(list->str, ==, listed[i]);
        g_string_free(list, TRUE);
    }
    live_rows_close(&rows);
}

static uint64_t
requests_of_all(const struct live_rows *rows, enum live_by by)
{
    GHashTableIter each;
    void *row;
    uint64_t requests = requests_of(rows->others[by], LIVE_WHOLE, 0);
    g_hash_table_iter_init(&each, rows->rows[by]);
    while (g_hash_table_iter_next(&each, NULL, &row))
        requests += requests_of(row, LIVE_WHOLE, 0);
    return requests;
}

/* Of 1000 operations, all of which are asked for within a minute, and later once more, some have rows, and no request
 * is lost. A row with a request that waits stays. */
static void
test_rows(void)
{
    struct live_rows rows = { .part_ns = 0 };
    char kind[32];
    live_rows_open(&rows);
    const struct live_keys waits = keys_of(kind, 5);
    struct live_row *waiting = live_rows_find(&rows, LIVE_BY_OPERATION, &waits, 0);
    waiting->open++;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 1000; i++) {
            const int64_t now_ns = round * 300 * LIVE_NS_PER_S + i;
            const struct live_keys keys = keys_of(kind, 10 + i);
            const struct live_request request = request_at(now_ns, 1, 1);
            live_rows_take(&rows, NULL, &keys, &request, now_ns);
        }
        for (enum live_by by = 0; by < LIVE_BYS; by++)
            g_assert_cmpuint(requests_of_all(&rows, by), ==, 1000 * (round + 1));
        g_assert_cmpuint(g_hash_table_size(rows.rows[LIVE_BY_SERVER]), ==, 1);
        g_assert_cmpuint(g_hash_table_size(rows.rows[LIVE_BY_FOLDED]), ==, 1);
        g_assert_cmpuint(g_hash_table_size(rows.rows[LIVE_BY_OPERATION]), ==, LIVE_ROWS_MOST);
    }
    const struct live_keys again = keys_of(kind, 5);
    g_assert_true(live_rows_find(&rows, LIVE_BY_OPERATION, &again, 0) == waiting);
    live_rows_close(&rows);
}

/* A request's operation may be another when it ends: it counts there, and not in the row that was found before. */
static void
test_known_later(void)
{
    struct live_rows rows = { .part_ns = 0 };
    char kind[32];
    live_rows_open(&rows);
    const struct live_keys before = { .server = { .port = 80 }, .kind = "", .folded = "" }, then = keys_of(kind, 1);
    struct live_row *begun[LIVE_BYS];
    for (enum live_by by = 0; by < LIVE_BYS; by++)
        begun[by] = live_rows_find(&rows, by, &before, 0);
    const struct live_request request = request_at(0, 1, 1);
    live_rows_take(&rows, begun, &then, &request, 0);
    g_assert_cmpuint(requests_of(begun[LIVE_BY_SERVER], LIVE_WHOLE, 0), ==, 1);
    g_assert_cmpuint(requests_of(begun[LIVE_BY_OPERATION], LIVE_WHOLE, 0), ==, 0);
    g_assert_cmpuint(requests_of(live_rows_find(&rows, LIVE_BY_OPERATION, &then, 0), LIVE_WHOLE, 0), ==, 1);
    live_rows_close(&rows);
}

/* Twenty operations; of the i-th, i requests take i ms, and every fourth operation fails. */
static void
fill_rows(struct live_rows *rows)
{
    live_rows_open(rows);
    for (unsigned i = 1; i <= 20; i++) {
        char kind[32];
        const struct live_keys keys = keys_of(kind, i);
        for (unsigned k = 0; k < i; k++) {
            struct live_request request = request_at(k * LIVE_NS_PER_S / 4, i * LIVE_NS_PER_S / 1000, 1);
            request.has_failed = i % 4 == 0;
            live_rows_take(rows, NULL, &keys, &request, request.ended_ns);
        }
    }
}

static void
test_view(void)
{
    struct live_rows rows = { .part_ns = 0 };
    struct live_view view;
    fill_rows(&rows);
    struct live_question question = { LIVE_BY_OPERATION, LIVE_WHOLE, LIVE_SHARE, "", 0, 5 * LIVE_NS_PER_S, 0, 20 };
    static const char *const first[LIVE_SORTS] = { "GET /20 @ 0.0.0.0:80", "GET /20 @ 0.0.0.0:80",
                                                   "GET /20 @ 0.0.0.0:80", "GET /1 @ 0.0.0.0:80",
                                                   "GET /20 @ 0.0.0.0:80", "GET /20 @ 0.0.0.0:80",
                                                   "GET /20 @ 0.0.0.0:80", "GET /1 @ 0.0.0.0:80" };
    for (question.sort = 0; question.sort < LIVE_SORTS; question.sort++) {
        live_view_make(&view, &rows, &question);
        g_assert_cmpuint(view.order->len, ==, 20);
        g_assert_cmpuint(view.requests, ==, 210);
        g_assert_cmpuint(view.errors, ==, 4 + 8 + 12 + 16 + 20);
        g_assert_cmpfloat(view.per_second, ==, 42);
        const struct live_shown *shown = live_view_row(&view, 0);
        g_assert_cmpstr(shown->name, ==, first[question.sort]);
        double share = 0;
        for (unsigned i = 0; i < view.order->len; i++)
            share += live_view_row(&view, i)->share;
        g_assert_cmpfloat(fabs(share - 1), <, 1e-9);
        g_assert_cmpfloat(shown->times.p50, ==, shown->times.max);
        live_view_clear(&view);
    }
    question.sort = LIVE_SHARE;
    question.filter = "get /1";
    live_view_make(&view, &rows, &question);
    g_assert_cmpuint(view.order->len, ==, 11);
    live_view_clear(&view);
    question.window = LIVE_LAST_10_S;
    question.now_ns = 12 * LIVE_NS_PER_S; /* it begins with the second 3: each has four requests */
    live_view_make(&view, &rows, &question);
    g_assert_cmpuint(view.requests, ==, 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);
    live_view_clear(&view);
    live_rows_close(&rows);
}

static int
columns_of(const GArray *line)
{
    int columns = 0;
    for (unsigned i = 0; i < line->len; i++)
        columns += (int)g_utf8_strlen(g_array_index(line, struct page_piece, i).text, -1);
    return columns;
}

static void
check_page(struct page *page)
{
    g_assert_cmpuint(page->all->len, <=, (unsigned)page->lines);
    for (unsigned i = 0; i < page->all->len; i++)
        g_assert_cmpint(columns_of(g_ptr_array_index(page->all, i)), <=, page->columns);
    page_free(page);
}

/* Whatever is typed, on a screen of whatever size, all that is shown fits, and what is selected is there. */
static void
test_keys(void)
{
    static const int keys[] = { '\t',
                                'f',
                                's',
                                'S',
                                '/',
                                'j',
                                'p',
                                '?',
                                '1',
                                '2',
                                '3',
                                'w',
                                'x',
                                0xc3,
                                0xa4,
                                LIVE_KEY_ENTER,
                                LIVE_KEY_ESCAPE,
                                LIVE_KEY_UP,
                                LIVE_KEY_DOWN,
                                LIVE_KEY_PAGE_UP,
                                LIVE_KEY_PAGE_DOWN,
                                LIVE_KEY_HOME,
                                LIVE_KEY_END,
                                LIVE_KEY_LEFT,
                                LIVE_KEY_RIGHT,
                                LIVE_KEY_BACKSPACE,
                                LIVE_KEY_RESIZE,
                                21 };
    const struct live_status status = { .name = "a capture's name",
                                        .frames = 420,
                                        .now_ns = 5 * LIVE_NS_PER_S,
                                        .done = 0.5,
                                        .said = "",
                                        .slow_ns = LIVE_NS_PER_S / 100 };
    struct live_rows rows = { .part_ns = 0 };
    struct live_ui ui;
    fill_rows(&rows);
    live_ui_open(&ui, LIVE_WHOLE, false);
    ui.question.now_ns = 5 * LIVE_NS_PER_S;
    for (unsigned i = 0; i < 3000; i++) {
        const int lines = g_test_rand_int_range(0, 40), columns = g_test_rand_int_range(0, 150);
        const unsigned room = page_rows(lines);
        struct live_view view;
        struct live_opened opened = { .n_connections = 0 };
        ui.question.from = ui.from;
        ui.question.n = room;
        live_view_make(&view, &rows, &ui.question);
        const enum live_action action =
            live_ui_take(&ui, keys[g_test_rand_int_range(0, G_N_ELEMENTS(keys))], &view, room);
        live_view_arrange(&view, &ui.question);
        live_ui_settle(&ui, &view, room);
        g_assert_true(ui.selected < MAX(view.order->len, 1));
        g_assert_true(ui.from <= ui.selected && ui.selected < ui.from + room);
        g_assert_true(g_utf8_validate(ui.filter->str, -1, NULL));
        g_assert_cmpint(action, !=, LIVE_DO_QUIT);
        if (action == LIVE_DO_WRITE)
            live_ui_say(&ui, g_strdup("20 rows written."));
        struct page *page = page_new(lines, columns, i % 2);
        if (ui.mode == LIVE_OPENED)
            live_opened_make(&opened, &rows, &ui.question, &ui.opened, ui.has_opened_others);
        if (ui.mode == LIVE_OPENED)
            page_show_opened(page, &ui, &opened, &status);
        else if (ui.mode == LIVE_HELP)
            page_show_help(page, &ui, &status);
        else
            page_show_rows(page, &ui, &view, &status);
        check_page(page);
        live_opened_clear(&opened);
        live_view_clear(&view);
    }
    live_ui_close(&ui);
    live_rows_close(&rows);
}

void
live_tests_add(void)
{
    g_test_add_func("/live/slowest", test_slowest);
    g_test_add_func("/live/seconds", test_seconds);
    g_test_add_func("/live/connections", test_connections);
    g_test_add_func("/live/parts", test_parts);
    g_test_add_func("/live/rows", test_rows);
    g_test_add_func("/live/known-later", test_known_later);
    g_test_add_func("/live/view", test_view);
    g_test_add_func("/live/keys", test_keys);
}
