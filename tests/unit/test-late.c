/* test-late.c
 * Bytes that the capture has late: what was given up goes on, and what followed keeps its place.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "scene.h"
#include "unit.h"

#define PING   "*1\r\n$4\r\nPING\r\n"
#define PONG   "+PONG\r\n"
#define INCR_X "*2\r\n$4\r\nINCR\r\n$1\r\nx\r\n"

enum { PING_BYTES = sizeof PING - 1, PONG_BYTES = sizeof PONG - 1 };

static void
open_scene(struct scene *scene)
{
    scene_open(scene, 80, 1000);
}

/* The capture does not have so many bytes, or not yet. */
static void
miss(struct scene *scene, bool from_client, size_t bytes)
{
    scene->seq[from_client] += (uint32_t)bytes;
}

static uint32_t
answered_in(const struct scene *scene, uint32_t i)
{
    return scene->connection->requests[i]->response.first_frame;
}

/* Requests that are all the same, one of them late: it comes before those that followed it. */
static void
test_request(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, true, PING PING);
    scene_say_late(&scene, true, 3 * PING_BYTES, PING);
    for (unsigned i = 0; i < 4; i++)
        scene_say(&scene, false, PONG);
    g_assert_cmpuint(scene.connection->requests[1]->first_frame, ==, 3);
    for (uint32_t i = 0; i < 4; i++)
        g_assert_cmpuint(answered_in(&scene, i), ==, 4 + i);
    scene_check(&scene, "PING 14/7 , PING 14/7 , PING 14/7 , PING 14/7 ");
}

/* An answer that came before the request that was late is its own none the less. */
static void
test_answer_before(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, true, PING);
    for (unsigned i = 0; i < 3; i++)
        scene_say(&scene, false, PONG);
    scene_say_late(&scene, true, 2 * PING_BYTES, PING);
    g_assert_true(scene.connection->requests[1]->reordered);
    for (uint32_t i = 0; i < 3; i++)
        g_assert_cmpuint(answered_in(&scene, i), ==, 3 + i);
    scene_check(&scene, "PING 14/7 , PING 14/7 , PING 14/7 ");
}

/* An answer that is placed after a gap, and was captured before its request's last part, at the same time. */
static void
test_answer_at_that_time(void)
{
    enum { STEP_NS = 20000, REST_BYTES = sizeof "cd\r\n" - 1, QUIET = 1000000 };
    struct scene scene;
    scene_open(&scene, 80, STEP_NS);
    scene_say(&scene, true, PING);
    scene_say(&scene, false, PONG);
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, true, "*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$4\r\nab");
    miss(&scene, true, REST_BYTES);
    scene_say(&scene, false, PONG);
    scene.step_ns = STEP_NS * scene.frame / (scene.frame + 1);
    scene_say_late(&scene, true, REST_BYTES, "cd\r\n");
    scene.step_ns = STEP_NS;
    for (unsigned i = 0; i < 2; i++) {
        scene.frame += QUIET;
        scene_say(&scene, true, PING);
        scene_say(&scene, false, PONG);
    }
    g_assert_cmpuint(answered_in(&scene, 1), ==, 4);
    g_assert_true(scene.connection->requests[1]->reordered);
    scene_check(&scene, "PING 14/7 , SET 30/7 , PING 14/7 , PING 14/7 ");
}

/* Two answers in a row are late, in a segment each. */
static void
test_answers(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING PING PING PING);
    scene_say(&scene, false, PONG);
    miss(&scene, false, 2 * PONG_BYTES);
    scene_say(&scene, false, PONG);
    g_assert_cmpuint(answered_in(&scene, 1), ==, 0);
    scene_say_late(&scene, false, 3 * PONG_BYTES, PONG);
    g_assert_cmpuint(answered_in(&scene, 1), ==, 4);
    g_assert_cmpuint(answered_in(&scene, 3), ==, 0);
    scene_say_late(&scene, false, 2 * PONG_BYTES, PONG);
    g_assert_cmpuint(answered_in(&scene, 2), ==, 5);
    g_assert_cmpuint(answered_in(&scene, 3), ==, 3);
    scene_check(&scene, "PING 14/7 , PING 14/7 , PING 14/7 , PING 14/7 ");
}

/* The text but for `gap` bytes after the first `head`; then, after some more, those. */
static void
say_with_gap(struct scene *scene, bool from_client, const char *text, size_t head, size_t gap, const char *more)
{
    scene_send(scene, from_client, text, head, head);
    miss(scene, from_client, gap);
    scene_say(scene, from_client, text + head + gap);
    scene_say(scene, from_client, more);
    scene_send_late(scene, from_client, strlen(text) + strlen(more) - head, text + head, gap, gap);
}

/* The updates that say of a frame that it is not the first of its response, among what has become known. */
static unsigned
count_demotions(const struct scene *scene, uint32_t frame)
{
    unsigned late, count = 0;
    const struct late_item *known = items_late(scene->analysis->items, &late);
    for (unsigned i = 0; i < late; i++)
        count += known[i].frame == frame && known[i].item.flags & ITEM_DEMOTED;
    return count;
}

/* The first part of a response has been told as its first packet when one that the capture has before can be read: its
 * flags are counted, whether frames are kept or not. */
static void
test_demoted(void)
{
    static const char answer[] = "$20\r\n0123456789abcdefghij\r\n";
    enum { PART = 9 };
    uint32_t flags[2];
    for (unsigned keep = 0; keep < 2; keep++) {
        struct scene scene;
        open_scene(&scene);
        items_set_keep(scene.analysis->items, keep);
        scene_say(&scene, true, PING);
        miss(&scene, false, 2 * PART);
        scene_send(&scene, false, answer + 2 * PART, PART, PART);
        scene_send_late(&scene, false, 3 * PART, answer, PART, PART);
        scene_send_late(&scene, false, 2 * PART, answer + PART, PART, PART);
        g_assert_cmpuint(answered_in(&scene, 0), ==, 2);
        g_assert_cmpuint(count_demotions(&scene, 3), ==, 1);
        flags[keep] = scene.connection->requests[0]->flags;
        scene_check(&scene, "PING 14/27 ");
    }
    g_assert_cmpuint(flags[0], ==, flags[1]);
}

/* What follows the hole belongs to a message whose length stands in it: that goes on, or has ended where another was
 * found. */
static void
test_body(void)
{
    enum { GAP = 40, SET_HEAD = 23, GOT_HEAD = 2 };
    char *body = g_strnfill(200, 'b');
    char *set = g_strdup_printf("*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$200\r\n%s\r\n", body);
    char *got = g_strdup_printf("$200\r\n%s\r\n", body);
    for (unsigned goes_on = 0; goes_on < 2; goes_on++) {
        struct scene scene;
        open_scene(&scene);
        say_with_gap(&scene, true, set, SET_HEAD, GAP, goes_on ? "" : PING);
        if (goes_on)
            scene_say(&scene, true, PING);
        scene_say(&scene, false, "+OK\r\n");
        scene_say(&scene, false, PONG);
        scene_say(&scene, true, "*2\r\n$3\r\nGET\r\n$1\r\nx\r\n" PING);
        say_with_gap(&scene, false, got, GOT_HEAD, GAP, "");
        scene_say(&scene, false, PONG);
        scene_check(&scene, "SET 228/5 , PING 14/7 , GET 20/208 , PING 14/7 ");
    }
    g_free(body);
    g_free(set);
    g_free(got);
}

/* The first segment of a connection is late. */
static void
test_beginning(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 2; i++) {
        struct segment segment = scene_segment(&scene, i == 0, 0);
        segment.flags = i == 0 ? SEGMENT_SYN : SEGMENT_SYN | SEGMENT_ACK;
        scene.connection = analysis_take(scene.analysis, &segment);
        analysis_read(scene.analysis, &segment);
        scene.seq[i == 0]++;
    }
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, true, PING PING);
    scene_say_late(&scene, true, 3 * PING_BYTES, PING);
    for (unsigned i = 0; i < 3; i++)
        scene_say(&scene, false, PONG);
    for (uint32_t i = 0; i < 3; i++)
        g_assert_cmpuint(answered_in(&scene, i), ==, 5 + i);
    scene_check(&scene, "PING 14/7 , PING 14/7 , PING 14/7 ");
}

/* Answers wait for a request that the server says it has. */
static void
test_answers_wait(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, true, INCR_X PING);
    scene_say(&scene, false, PONG PONG ":1\r\n" PONG);
    scene_say_late(&scene, true, 2 * PING_BYTES + sizeof INCR_X - 1, PING);
    scene_say(&scene, true, INCR_X);
    scene_say(&scene, false, ":2\r\n");
    scene_check(&scene, "PING 14/7 , PING 14/7 , INCR 21/4 , PING 14/7 , INCR 21/4 ");
}

/* Answers are told as far as it is known what was asked. */
static void
test_both_sides(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, true, PING PING);
    miss(&scene, false, 2 * PONG_BYTES);
    scene_say(&scene, false, PONG);
    scene_say_late(&scene, false, 3 * PONG_BYTES, PONG PONG);
    scene_give_up(&scene);
    g_assert_cmpuint(answered_in(&scene, 0), ==, 4);
    g_assert_cmpuint(answered_in(&scene, 1), ==, 0);
    scene_check(&scene, "PING 14/7 , PING 14 -, PING 14 -");
}

/* Of a late request the snap length has cut the end: it is one of those that are counted. */
static void
test_cut(void)
{
    static const char asked[] = "GET /1 HTTP/1.1\r\nA: b\r\n\r\n", answered[] = "HTTP/1.1 204 No\r\n\r\n";
    enum { BYTES = sizeof asked - 1, CAPTURED = 20 };
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, asked);
    scene_say(&scene, false, answered);
    miss(&scene, true, BYTES);
    scene_say(&scene, true, asked);
    scene_say(&scene, true, asked);
    scene_send_late(&scene, true, 3 * BYTES, asked, BYTES, CAPTURED);
    for (uint32_t i = 1; i < 4; i++)
        scene_say(&scene, false, answered);
    scene_say(&scene, true, asked);
    scene_say(&scene, false, answered);
    for (uint32_t i = 1; i < 4; i++)
        g_assert_cmpuint(answered_in(&scene, i), ==, 5 + i);
    g_assert_cmpuint(answered_in(&scene, 4), ==, 10);
    g_assert_cmpuint(scene.connection->requests[1]->first_frame, ==, 5);
    scene_close(&scene);
}

/* The order was known; what is in doubt since, for another hole, does not make a request that comes late the next one.
 */
static void
test_known_before(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    scene_say(&scene, false, PONG);
    miss(&scene, true, PING_BYTES);
    scene_say(&scene, false, PONG);
    scene_say(&scene, true, PING);
    miss(&scene, false, 3);
    scene_say(&scene, false, &PONG[3]);
    scene_say_late(&scene, true, 2 * PING_BYTES, PING);
    scene_say_late(&scene, false, PONG_BYTES, "+PO");
    g_assert_cmpuint(answered_in(&scene, 1), !=, 7);
    scene_close(&scene);
}

/* A segment that begins with the rest of what was lost: what the client asks behind that is found, if it makes sense.
 */
static void
test_rest(void)
{
    static const char *const said[] = {
        "the rest\r\n" INCR_X PING,
        "the rest\r\n*1\r\n$4\r\nPINGS\r\n",
        "the rest\r\n*2\r\n$4\r\nINCR\r\nx\r\n" INCR_X PING,
    };
    static const char *const expected[] = {
        "PING 14/7 , INCR 21 -, PING 14 -",
        "PING 14/7 ",
        "PING 14/7 , INCR 21 -, PING 14 -",
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(said); i++) {
        struct scene scene;
        open_scene(&scene);
        scene_say(&scene, true, PING);
        scene_say(&scene, false, PONG);
        miss(&scene, true, 30);
        scene_say(&scene, true, said[i]);
        scene_check(&scene, expected[i]);
    }
}

void
late_tests_add(void)
{
    g_test_add_func("/late/demoted", test_demoted);
    g_test_add_func("/late/request", test_request);
    g_test_add_func("/late/answer-before", test_answer_before);
    g_test_add_func("/late/answer-at-that-time", test_answer_at_that_time);
    g_test_add_func("/late/answers", test_answers);
    g_test_add_func("/late/body", test_body);
    g_test_add_func("/late/beginning", test_beginning);
    g_test_add_func("/late/answers-wait", test_answers_wait);
    g_test_add_func("/late/both-sides", test_both_sides);
    g_test_add_func("/late/cut", test_cut);
    g_test_add_func("/late/known-before", test_known_before);
    g_test_add_func("/late/rest", test_rest);
}
