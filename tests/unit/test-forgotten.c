/* test-forgotten.c
 * Where frames are not kept, requests are forgotten, and their records used again: nobody takes one for what it was.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/request/pending.h"
#include "scene.h"
#include "unit.h"

#define PING "*1\r\n$4\r\nPING\r\n"
#define PONG "+PONG\r\n"

enum { PING_BYTES = sizeof PING - 1, REMEMBERED = REQUESTS_RECENT + 1 };

static void
open_scene(struct scene *scene)
{
    scene_open(scene, 80, 1000);
    items_set_keep(scene->analysis->items, false);
}

static void
exchange(struct scene *scene, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        scene_say(scene, true, PING);
        scene_say(scene, false, PONG);
    }
}

static void
tell(struct scene *scene, struct event event)
{
    const struct payload payload = { .connection = scene->connection };
    const struct piece piece = { .payload = &payload, .segment = { .frame = scene->frame } };
    struct carrier carrier = { .piece = &piece };
    exchanges_tell(&scene->analysis->requests, &carrier, &event);
}

/* Every item of the frame is of a request that is there; how many there are. */
static unsigned
check_items(struct scene *scene)
{
    struct items *items = scene->analysis->items;
    unsigned count = 0;
    uint32_t at;
    for (const struct item *item = items_first(items, scene->frame, &at); item; item = items_next(items, &at)) {
        g_assert_true(item_request(item) && item->request->number > 0);
        g_assert_true(item_request(item) && item->request->connection == scene->connection);
        count++;
    }
    return count;
}

static void
test_reference(void)
{
    struct scene scene;
    open_scene(&scene);
    exchange(&scene, 1);
    const struct request *first = scene.connection->requests[0];
    const struct request_reference reference = request_refer(first);
    exchange(&scene, REMEMBERED - 1);
    g_assert_true(request_referred(&reference) == first);
    exchange(&scene, 1);
    g_assert_null(request_referred(&reference));
    g_assert_cmpuint(first->number, ==, REMEMBERED + 1);
    scene_close(&scene);
}

static void
test_connection(void)
{
    struct scene scene;
    open_scene(&scene);
    exchange(&scene, 1);
    const struct request_reference reference = request_refer(scene.connection->requests[0]);
    analysis_forget(scene.analysis, scene.connection);
    g_assert_null(request_referred(&reference));
    scene_close(&scene);
}

/* What came before a long silence, or before the connection's end, but the last two. */
static void
test_quiet(void)
{
    enum { LAST = 2, QUIET = 120000000 /* frames: 120 s */ };
    struct scene scene;
    open_scene(&scene);
    exchange(&scene, REMEMBERED);
    scene.frame += QUIET - 2;
    scene_say(&scene, true, PING);
    g_assert_cmpuint(scene.connection->n_requests, ==, REMEMBERED);
    scene_say(&scene, false, PONG);
    scene.frame += QUIET;
    scene_say(&scene, true, PING);
    g_assert_cmpuint(scene.connection->n_requests, ==, LAST + 1);
    scene_say(&scene, false, PONG);
    g_assert_cmpuint(scene.connection->request->response.first_frame, ==, scene.frame);
    exchange(&scene, REMEMBERED);
    for (unsigned i = 0; i < 3; i++) {
        struct segment end = scene_segment(&scene, i == 1, 0);
        end.flags |= i < 2 ? SEGMENT_FIN : 0;
        analysis_take(scene.analysis, &end);
        analysis_read(scene.analysis, &end);
    }
    g_assert_cmpuint(scene.connection->n_requests, ==, LAST);
    scene_close(&scene);
}

/* The oldest request is sent again, and messages begin in the same segment. */
static void
test_sent_again(void)
{
    struct scene scene;
    open_scene(&scene);
    exchange(&scene, REMEMBERED + 1);
    const uint32_t oldest = scene.connection->requests[0]->number;
    scene_send_late(&scene, true, REMEMBERED * PING_BYTES, PING, PING_BYTES, 0);
    for (uint64_t key = 1000; key < 1003; key++)
        tell(&scene,
             (struct event){ .kind = EVENT_MESSAGE,
                             .message = { .kind = MESSAGE_ASKS, .ends = true, .key = key, .operation = "PING" } });
    g_assert_cmpuint(scene.connection->requests[0]->number, ==, oldest);
    g_assert_cmpuint(check_items(&scene), ==, 4);
    scene_close(&scene);
}

/* latency-merge reads a file's last message behind what an ICMP error quotes, if that is the connection's last. */
static void
test_quoted(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    const struct segment quoted = scene_segment(&scene, true, 0);
    analysis_take_quoted(scene.analysis, &quoted);
    tell(&scene, (struct event){ .kind = EVENT_RELEASE });
    g_assert_cmpuint(check_items(&scene), ==, 1);

    struct segment unknown = scene_segment(&scene, true, 0);
    unknown.source.port++;
    g_assert_null(analysis_take_quoted(scene.analysis, &unknown));
    scene_close(&scene);
}

static void
count_row(void *data, const struct pending_request *pending)
{
    unsigned *rows = data;
    g_assert_cmpstr(pending->request.operation, ==, pending->operation);
    g_assert_cmpuint(pending->request.number, ==, ++*rows);
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

/* The first answer breaks off when the request's row has been put off for it: then it comes. */
static void
test_row(void)
{
    struct scene scene;
    unsigned rows = 0;
    struct pending_requests *pending = pending_requests_new(NULL, count_row, &rows);
    open_scene(&scene);
    scene_say(&scene, true, PING);
    take_items(&scene, pending);
    scene_say(&scene, false, "$4\r\nPO");
    take_items(&scene, pending);
    for (unsigned i = 0; i < PENDING_REQUESTS; i++) {
        scene_say(&scene, true, PING);
        take_items(&scene, pending);
    }
    g_assert_cmpuint(rows, ==, 0);
    struct segment acknowledgement = scene_segment(&scene, true, 0);
    analysis_take(scene.analysis, &acknowledgement);
    analysis_read(scene.analysis, &acknowledgement);
    tell(&scene, (struct event){ .kind = EVENT_RELEASE });
    take_items(&scene, pending);
    scene_say(&scene, true, "?");
    take_items(&scene, pending);
    g_assert_cmpuint(rows, ==, 1);
    pending_requests_end(pending, scene.connection);
    analysis_forget(scene.analysis, scene.connection);
    pending_requests_flush(pending);
    g_assert_cmpuint(rows, ==, 2 + PENDING_REQUESTS);
    pending_requests_free(pending);
    scene_close(&scene);
}

void
forgotten_tests_add(void)
{
    g_test_add_func("/forgotten/reference", test_reference);
    g_test_add_func("/forgotten/connection", test_connection);
    g_test_add_func("/forgotten/quiet", test_quiet);
    g_test_add_func("/forgotten/sent-again", test_sent_again);
    g_test_add_func("/forgotten/quoted", test_quoted);
    g_test_add_func("/forgotten/row", test_row);
}
