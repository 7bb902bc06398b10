/* test-pending.c
 * Rows of requests whose records the core has used for other requests meanwhile: on another connection, which it has
 * forgotten in its turn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "core/request/pending.h"
#include "scene.h"
#include "unit.h"

#define PING "*1\r\n$4\r\nPING\r\n"
#define PONG "+PONG\r\n"

enum { REMEMBERED = 16 };

/* Whose row is to come, and what it is to say. */
struct expected {
    uint32_t number;
    uint64_t response_bytes;
    unsigned rows;
};

static void
check_row(void *data, const struct pending_request *pending)
{
    struct expected *expected = data;
    if (pending->request.number != expected->number)
        return;
    expected->rows++;
    g_assert_cmpstr(pending->request.operation, ==, "PING");
    g_assert_cmpuint(pending->request.response_bytes, ==, expected->response_bytes);
}

static void
take_items(const struct scene *scene, struct pending_requests *pending)
{
    struct items *items = scene->analysis->items;
    uint32_t at;
    for (const struct item *item = items_first(items, scene->frame, &at); item; item = items_next(items, &at))
        if (item_request(item))
            pending_requests_take(pending, item, scene->frame);
}

static void
say(struct scene *scene, struct pending_requests *pending, bool from_client, const char *text)
{
    scene_say(scene, from_client, text);
    take_items(scene, pending);
}

/* The client's next request comes from another port: on a connection of its own. */
static struct connection *
ask_elsewhere(struct scene *scene, uint16_t more)
{
    static const char other[] = "GET / HTTP/1.1\r\n\r\n";
    struct segment segment = scene_segment(scene, true, sizeof other - 1);
    segment.source.port += more;
    segment.payload = (const uint8_t *)other;
    segment.captured_bytes = sizeof other - 1;
    struct connection *connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
    return connection;
}

/* The row of the first request waits. Its record becomes another connection's, which is forgotten: it is nobody's. */
static void
test_recycled(void)
{
    struct scene scene;
    struct expected expected = { .number = 1, .response_bytes = sizeof PONG - 1 };
    scene_open(&scene, 637, 1000);
    items_set_keep(scene.analysis->items, false);
    struct pending_requests *pending = pending_requests_new(NULL, check_row, &expected);
    say(&scene, pending, true, PING);
    const struct request *record = scene.connection->request;
    say(&scene, pending, false, PONG);
    for (unsigned i = 1; i < REMEMBERED; i++) {
        say(&scene, pending, true, PING);
        say(&scene, pending, false, PONG);
    }
    requests_shed(&scene.analysis->requests, scene.connection);
    struct connection *others[REMEMBERED];
    unsigned used = 0;
    for (uint16_t i = 0; i < REMEMBERED; i++) {
        others[i] = ask_elsewhere(&scene, 1 + i);
        used += others[i]->request == record;
    }
    for (unsigned i = 0; i < REMEMBERED; i++)
        analysis_forget(scene.analysis, others[i]);
    g_assert_cmpuint(used, ==, 1);
    g_assert_cmpuint(record->number, ==, 0);
    g_assert_null(record->connection);
    g_assert_cmpuint(expected.rows, ==, 0);
    pending_requests_flush(pending);
    g_assert_cmpuint(expected.rows, ==, 1);
    pending_requests_free(pending);
    scene_close(&scene);
}

void
pending_tests_add(void)
{
    g_test_add_func("/pending/recycled", test_recycled);
}
