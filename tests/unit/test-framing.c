/* test-framing.c
 * Messages told apart: which request an answer belongs to, and what its frames say.
 *
 * A capture in which segment N has number N and comes N ms after the epoch; each message is one byte.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "scene.h"

enum { MS = 1000000 };

/* The connection's messages are requests from its first segment on. What carries more of them is kept. */
static void
claim(void *data, struct carrier *carrier)
{
    struct scene *scene = data;
    struct event claim = { .kind = EVENT_CLAIM, .claim.from_client = scene->client_begins };
    if (carrier->arrives && carrier->piece->fresh > 0)
        exchanges_tell(&scene->analysis->requests, carrier, &claim);
    scene->payload = *carrier->piece->payload;
    scene->piece = *carrier->piece;
    scene->piece.payload = &scene->payload;
    scene->carrier = *carrier;
    scene->carrier.piece = &scene->piece;
    carrier->is_free &= carrier->arrives; /* what is told of it follows: see end_piece() */
}

/* All of the last piece's messages have been told. */
static void
end_piece(struct scene *scene)
{
    if (scene->carrier.is_free)
        carrier_packet(&scene->analysis->requests, &scene->carrier, scene->carrier.kind);
}

static void
open_scene(struct scene *scene, bool keep, bool client_begins)
{
    scene_open(scene, 80, MS);
    items_set_keep(scene->analysis->items, keep);
    scene->client_begins = client_begins;
    scene->analysis->read = claim;
    scene->analysis->read_data = scene;
}

static void
send(struct scene *scene, bool from_client, uint32_t bytes)
{
    struct segment segment = scene_segment(scene, from_client, bytes);
    end_piece(scene);
    scene->connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
}

static void
tell(struct scene *scene, struct event event)
{
    exchanges_tell(&scene->analysis->requests, &scene->carrier, &event);
}

static void
tell_message(struct scene *scene, struct message message)
{
    message.operation = "";
    tell(scene, (struct event){ .kind = EVENT_MESSAGE, .message = message });
}

static void
ask(struct scene *scene, uint64_t key)
{
    tell_message(scene, (struct message){ .kind = MESSAGE_ASKS, .ends = true, .key = key, .bytes = 1 });
}

static void
answer(struct scene *scene, uint64_t key)
{
    tell_message(scene, (struct message){ .kind = MESSAGE_ANSWERS, .ends = true, .key = key, .bytes = 1 });
}

/* The request of the item at this place in a frame that has so many. */
static const struct request *
request_in(struct scene *scene, uint32_t frame, unsigned place, unsigned count, enum item_kind kind)
{
    const struct request *found = NULL;
    unsigned items = 0;
    uint32_t at;
    end_piece(scene);
    for (struct item *item = items_first(scene->analysis->items, frame, &at); item;
         item = items_next(scene->analysis->items, &at)) {
        if (items++ != place)
            continue;
        g_assert_cmpint(item->kind, ==, kind);
        found = item_request(item);
    }
    g_assert_cmpuint(items, ==, count);
    return found;
}

static void
check_answer(const struct scene *scene, const struct request *request, uint32_t asked, uint32_t answered)
{
    g_assert_nonnull(request);
    g_assert_cmpuint(request->first_frame, ==, asked);
    g_assert_cmpuint(request->response.first_frame, ==, answered);
    g_assert_cmpint(request_first_byte(request), ==, (int64_t)(answered - asked) * MS);
    g_assert_cmpint(request_outcome(&scene->analysis->requests, request), ==, OUTCOME_ANSWERED);
}

/* Three in one segment, answered in another order, two of them with the same key. */
static void
test_in_flight(void)
{
    struct scene scene;
    open_scene(&scene, true, true);
    send(&scene, true, 3);
    ask(&scene, 7);
    ask(&scene, 8);
    ask(&scene, 7);
    send(&scene, false, 2);
    answer(&scene, 8);
    answer(&scene, 7);
    send(&scene, false, 1);
    answer(&scene, 7);
    const struct request *first = request_in(&scene, 1, 0, 3, ITEM_REQUEST);
    const struct request *second = request_in(&scene, 1, 1, 3, ITEM_REQUEST);
    const struct request *third = request_in(&scene, 1, 2, 3, ITEM_REQUEST);
    g_assert_true(request_in(&scene, 2, 0, 2, ITEM_RESPONSE) == second);
    g_assert_true(request_in(&scene, 2, 1, 2, ITEM_RESPONSE) == first);
    g_assert_true(request_in(&scene, 3, 0, 1, ITEM_RESPONSE) == third);
    check_answer(&scene, first, 1, 2);
    check_answer(&scene, second, 1, 2);
    check_answer(&scene, third, 1, 3);
    g_assert_cmpuint(first->number, ==, 1);
    g_assert_cmpuint(third->number, ==, 3);
    g_assert_cmpuint(scene.analysis->requests.count, ==, 3);
    scene_close(&scene);
}

/* An answer in three segments; what it leaves of the last is the next one's. */
static void
test_long_answer(void)
{
    struct scene scene;
    open_scene(&scene, true, true);
    send(&scene, true, 2);
    ask(&scene, 1);
    ask(&scene, 2);
    send(&scene, false, 100);
    tell_message(&scene, (struct message){ .kind = MESSAGE_ANSWERS, .key = 1, .bytes = 100 });
    send(&scene, false, 100);
    send(&scene, false, 60);
    tell_message(&scene, (struct message){ .kind = MESSAGE_ANSWERS, .ends = true, .key = 1, .bytes = 250 });
    answer(&scene, 2);
    const struct request *request = request_in(&scene, 3, 0, 1, ITEM_RESPONSE);
    check_answer(&scene, request, 1, 2);
    g_assert_true(request_in(&scene, 4, 0, 2, ITEM_RESPONSE) == request);
    g_assert_cmpint(request_last_byte(request), ==, 3 * MS);
    g_assert_cmpuint(request->response.bytes, ==, 250);
    check_answer(&scene, request_in(&scene, 4, 1, 2, ITEM_RESPONSE), 1, 4);
    scene_close(&scene);
}

/* What answers nothing is unsolicited; what does not ask is no request. */
static void
test_neither(void)
{
    struct scene scene;
    open_scene(&scene, true, false);
    send(&scene, false, 1);
    answer(&scene, 5);
    send(&scene, true, 1);
    send(&scene, true, 1);
    ask(&scene, 5);
    send(&scene, false, 1);
    answer(&scene, 6);
    g_assert_null(request_in(&scene, 1, 0, 1, ITEM_UNSOLICITED));
    g_assert_null(request_in(&scene, 2, 0, 1, ITEM_UNREQUESTED));
    g_assert_null(request_in(&scene, 4, 0, 1, ITEM_UNSOLICITED));
    const struct request *request = request_in(&scene, 3, 0, 1, ITEM_REQUEST);
    g_assert_nonnull(request);
    g_assert_cmpint(request_outcome(&scene.analysis->requests, request), ==, OUTCOME_WAITING);
    scene_close(&scene);
}

/* Asked again before the answer: one request. */
static void
test_joins(void)
{
    const struct message again = { .kind = MESSAGE_ASKS, .part = MESSAGE_AGAIN, .ends = true, .key = 1, .bytes = 1 };
    struct scene scene;
    open_scene(&scene, true, true);
    send(&scene, true, 1);
    tell_message(&scene, again);
    send(&scene, true, 1);
    tell_message(&scene, again);
    send(&scene, false, 1);
    answer(&scene, 1);
    send(&scene, true, 1);
    tell_message(&scene, again);
    const struct request *request = request_in(&scene, 1, 0, 1, ITEM_REQUEST);
    check_answer(&scene, request, 1, 3);
    g_assert_true(request_in(&scene, 2, 0, 1, ITEM_REQUEST) == request);
    g_assert_cmpint(request_service(request), ==, MS);
    g_assert_cmpuint(request->request_bytes, ==, 2);
    g_assert_true(request_in(&scene, 4, 0, 1, ITEM_REQUEST) != request);
    scene_close(&scene);
}

/* Without a handshake, who asks is the client, whatever its port. */
static void
test_roles(void)
{
    struct scene scene;
    open_scene(&scene, true, true);
    send(&scene, false, 1);
    ask(&scene, 1);
    send(&scene, true, 1);
    answer(&scene, 1);
    check_answer(&scene, request_in(&scene, 1, 0, 1, ITEM_REQUEST), 1, 2);
    g_assert_cmpuint(connection_client(scene.connection)->port, ==, 80);
    scene_close(&scene);
}

static void
test_timeout(void)
{
    struct scene scene;
    open_scene(&scene, true, true);
    scene.settings.timeout_ns = 2 * MS;
    send(&scene, true, 1);
    ask(&scene, 1);
    scene.frame += 5;
    send(&scene, false, 1);
    answer(&scene, 1);
    const struct request *request = request_in(&scene, 1, 0, 1, ITEM_REQUEST);
    g_assert_cmpint(request_outcome(&scene.analysis->requests, request), ==, OUTCOME_TIMED_OUT);
    g_assert_null(request_in(&scene, 7, 1, 2, ITEM_UNSOLICITED));
    scene_close(&scene);
}

/* Where frames are not kept, requests make room, but none that waits does; and what makes room says so. */
static void
test_many(void)
{
    enum { MANY = 1000 };
    const struct request *asked[MANY];
    struct scene scene;
    open_scene(&scene, false, true);
    for (uint32_t i = 0; i < MANY; i++) {
        send(&scene, true, 1);
        ask(&scene, i);
        asked[i] = request_in(&scene, scene.frame, 0, 1, ITEM_REQUEST);
        g_assert_cmpuint(asked[i]->number, ==, i + 1);
    }
    for (uint32_t i = MANY; i-- > 0;) {
        send(&scene, false, 1);
        answer(&scene, i);
        const struct request *request = request_in(&scene, scene.frame, 0, 1, ITEM_RESPONSE);
        g_assert_true(request == asked[i]);
        check_answer(&scene, request, i + 1, scene.frame);
    }
    send(&scene, true, 1);
    ask(&scene, 0);
    g_assert_cmpuint(scene.connection->n_requests, <, 20);
    g_assert_cmpuint(asked[500]->number, ==, 0);
    analysis_forget(scene.analysis, scene.connection);
    scene_close(&scene);
}

/* Answers that are placed later, one of them still under way, count as if they had been told at once; more than there
 * are can be left out, and nothing is placed twice. */
static void
test_placed(void)
{
    const struct message begins = { .kind = MESSAGE_UNDECIDED, .key = 2, .bytes = 1 };
    const struct message ends = { .kind = MESSAGE_ANSWERS, .ends = true, .key = 8, .bytes = 2 };
    struct scene scene;
    open_scene(&scene, true, true);
    send(&scene, true, 2);
    ask(&scene, 7);
    ask(&scene, 8);
    send(&scene, false, 1);
    tell_message(&scene, (struct message){ .kind = MESSAGE_UNDECIDED, .ends = true, .key = 1, .bytes = 1 });
    send(&scene, false, 1);
    tell_message(&scene, begins);
    tell(&scene, (struct event){ .kind = EVENT_ASSIGN, .assign.key = 7 });
    send(&scene, false, 1);
    tell_message(&scene, ends);
    tell(&scene, (struct event){ .kind = EVENT_ASSIGN, .assign = { 7, INT64_MAX } });
    tell(&scene, (struct event){ .kind = EVENT_DROP });
    tell(&scene, (struct event){ .kind = EVENT_ASSIGN, .assign.key = 7 });
    const struct request *first = request_in(&scene, 2, 0, 1, ITEM_RESPONSE);
    const struct request *second = request_in(&scene, 4, 0, 1, ITEM_RESPONSE);
    check_answer(&scene, first, 1, 2);
    check_answer(&scene, second, 1, 3);
    g_assert_cmpuint(second->response.last_frame, ==, 4);
    g_assert_cmpuint(second->response.bytes, ==, 2);
    g_assert_false(second->open);
    g_assert_cmpint(scene.connection->exchanges.longest_ns, ==, 2 * MS);
    scene_close(&scene);
}

void
framing_tests_add(void)
{
    g_test_add_func("/framing/in-flight", test_in_flight);
    g_test_add_func("/framing/long-answer", test_long_answer);
    g_test_add_func("/framing/neither", test_neither);
    g_test_add_func("/framing/joins", test_joins);
    g_test_add_func("/framing/roles", test_roles);
    g_test_add_func("/framing/timeout", test_timeout);
    g_test_add_func("/framing/many", test_many);
    g_test_add_func("/framing/placed", test_placed);
}
