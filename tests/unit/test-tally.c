/* test-tally.c
 * What a group of requests comes to is the same whether each is taken again and again as it goes on, or added once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "core/stats/groups.h"
#include "core/stats/host_tally.h"
#include "core/stats/push_tally.h"
#include "core/util/hashed.h"
#include "scene.h"
#include "unit.h"

enum { REQUESTS_MOST = 8 };

/* Two tallies of the same requests. */
struct tallies {
    struct tally taken;
    struct share shares[REQUESTS_MOST];
    struct host_tally added;
};

static void
take_all(struct tallies *tallies, const struct scene *scene)
{
    const struct connection *connection = scene->connection;
    g_assert_cmpuint(connection->n_requests, <=, REQUESTS_MOST);
    for (uint32_t i = 0; i < connection->n_requests; i++)
        tally_take(&tallies->taken, &tallies->shares[i], &scene->analysis->requests, connection->requests[i], false);
}

static void
say(struct tallies *tallies, struct scene *scene, bool from_client, const char *text)
{
    scene_say(scene, from_client, text);
    take_all(tallies, scene);
}

static void
add_all(struct tallies *tallies, const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->connection->n_requests; i++) {
        const struct measured measured = request_measure(&scene->analysis->requests, scene->connection->requests[i]);
        tally_add(&tallies->added.requests, &measured);
    }
}

static void
compare(struct tallies *tallies, struct scene *scene)
{
    struct tally *taken = &tallies->taken, *added = &tallies->added.requests;
    for (unsigned i = 0; i < REQUESTS_MOST; i++)
        tally_settle_wait(taken, &tallies->shares[i]);
    add_all(tallies, scene);
    g_assert_cmpuint(added->requests, ==, taken->requests);
    g_assert_cmpuint(added->errors, ==, taken->errors);
    g_assert_cmpuint(added->by_messages, ==, taken->by_messages);
    g_assert_cmpuint(added->in_tls, ==, taken->in_tls);
    g_assert_cmpuint(added->farewells, ==, taken->farewells);
    g_assert_cmpuint(added->waiting, ==, taken->waiting);
    g_assert_cmpuint(added->server_times, ==, taken->server_times);
    g_assert_cmpint(wide_compare(added->server_time_ns, taken->server_time_ns), ==, 0);
    g_assert_cmpuint(added->response_bytes, ==, taken->response_bytes);
    g_assert_cmpuint(added->first_byte.moments.count, ==, taken->first_byte.moments.count);
    g_assert_cmpint(wide_compare(added->first_byte.moments.sum, taken->first_byte.moments.sum), ==, 0);
    g_assert_cmpuint(sample_count(tally_durations(added)), ==, sample_count(tally_durations(taken)));
    g_assert_cmpuint(added->streams, ==, taken->streams);
    g_assert_cmpuint(added->long_polls, ==, taken->long_polls);
    g_assert_cmpint(wide_compare(tally_wait_ns(added), tally_wait_ns(taken)), ==, 0);
    tally_clear(&tallies->taken);
    host_tally_clear(&tallies->added);
    scene_close(scene);
}

static void
test_messages(void)
{
    struct scene scene;
    struct tallies tallies = { 0 };
    scene_open(&scene, 80, 1000);
    scene_shake_hands(&scene);
    for (unsigned i = 0; i < 2; i++) {
        say(&tallies, &scene, true, "*1\r\n$4\r\nPING\r\n");
        say(&tallies, &scene, false, i == 0 ? "+PONG\r\n" : "-ERR no\r\n");
    }
    say(&tallies, &scene, true, "*1\r\n$4\r\nPING\r\n");
    g_assert_cmpuint(tallies.taken.by_messages, ==, 3);
    g_assert_cmpuint(tallies.taken.errors, ==, 1);
    g_assert_cmpuint(tallies.taken.waiting, ==, 1);
    g_assert_cmpuint(tallies.taken.server_times, ==, 2);
    compare(&tallies, &scene);
}

/* What a turn is answered with counts no more when it shows that it may have answered something else. */
static void
test_withdrawn(void)
{
    struct scene scene;
    struct tallies tallies = { 0 };
    scene_open(&scene, 80, 1000);
    say(&tallies, &scene, true, "of a request that began before");
    say(&tallies, &scene, false, "of an answer");
    say(&tallies, &scene, false, "and more of it");
    g_assert_cmpuint(tallies.taken.first_byte.moments.count, ==, 1);
    say(&tallies, &scene, true, "GET /a HTTP/1.1\r\n\r\n");
    g_assert_cmpuint(tallies.taken.first_byte.moments.count, ==, 0);
    say(&tallies, &scene, false, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
    g_assert_cmpuint(tally_unanswered(&tallies.taken), ==, 1);
    compare(&tallies, &scene);
}

/* A response in several packets takes until its last; the next segment comes 1000 ns later. */
static void
test_durations(void)
{
    struct scene scene;
    struct tallies tallies = { 0 };
    scene_open(&scene, 80, 1000);
    say(&tallies, &scene, true, "*1\r\n$4\r\nPING\r\n");
    say(&tallies, &scene, false, "+PONG\r\n");
    g_assert_false(tallies.taken.has_durations);
    g_assert_cmpint((int64_t)tally_wait_ns(&tallies.taken).low, ==, 1000);
    say(&tallies, &scene, true, "*2\r\n$3\r\nGET\r\n$1\r\na\r\n");
    say(&tallies, &scene, false, "$9\r\nabc");
    say(&tallies, &scene, false, "def");
    say(&tallies, &scene, false, "ghi\r\n");
    g_assert_cmpint((int64_t)tally_wait_ns(&tallies.taken).low, ==, 1000 + 3000);
    say(&tallies, &scene, true, "*1\r\n$4\r\nPING\r\n");
    say(&tallies, &scene, false, "+PONG\r\n");
    g_assert_cmpint((int64_t)tally_wait_ns(&tallies.taken).low, ==, 1000 + 3000 + 1000);
    compare(&tallies, &scene);
}

/* By turns a response may go on after any packet, and none of its durations is taken back. */
static void
test_durations_of_turns(void)
{
    struct scene scene;
    struct tallies tallies = { 0 };
    scene_open(&scene, 7, 1000);
    for (unsigned i = 0; i < 3; i++) {
        say(&tallies, &scene, true, "\001what");
        for (unsigned n = 0; n <= i; n++)
            say(&tallies, &scene, false, "\002this");
    }
    for (unsigned i = 0; i < REQUESTS_MOST; i++)
        tally_settle_wait(&tallies.taken, &tallies.shares[i]);
    g_assert_cmpint((int64_t)tally_wait_ns(&tallies.taken).low, ==, 1000 + 2000 + 3000);
    g_assert_false(tallies.taken.duration.has_removed);
    compare(&tallies, &scene);
}

/* The client of a stream waits for its first byte, and who asked to wait for an event does not wait for the server. */
static void
test_streams(void)
{
    struct scene scene;
    struct tallies tallies = { 0 };
    scene_open(&scene, 80, 1000);
    for (unsigned i = 0; i < 3; i++) {
        say(&tallies, &scene, true, "*2\r\n$3\r\nGET\r\n$1\r\na\r\n");
        say(&tallies, &scene, false, "$6\r\nabc");
        scene.connection->requests[0]->awaits_event = true;
        if (i > 0)
            scene.connection->requests[1]->is_stream = true;
        say(&tallies, &scene, false, "def\r\n");
    }
    g_assert_cmpuint(tallies.taken.streams, ==, 1);
    g_assert_cmpuint(tallies.taken.long_polls, ==, 1);
    g_assert_cmpuint(tallies.taken.duration.moments.count, ==, 1);
    g_assert_cmpint((int64_t)tally_wait_ns(&tallies.taken).low, ==, 1000 + 2000);
    compare(&tallies, &scene);
}

static void
test_tls(void)
{
    struct scene scene;
    struct tallies tallies = { 0 };
    scene_open(&scene, 443, 1000);
    say(&tallies, &scene, true,
        "\x17\x03\x03\x01\x05"
        "hello");
    say(&tallies, &scene, false,
        "\x17\x03\x03\x01\x06"
        "answer");
    g_assert_cmpuint(tallies.taken.in_tls, ==, 1);
    compare(&tallies, &scene);
}

/* A response that is known only when the request has been added as waiting: of another capture. */
static void
test_answer(void)
{
    struct tally later = { 0 }, once = { 0 };
    const struct measured waiting = outcome_measure(OUTCOME_WAITING, false);
    struct measured answered = outcome_measure(OUTCOME_ANSWERED, true);
    answered.first_byte_ns = answered.last_byte_ns = 7;
    tally_add(&later, &waiting);
    g_assert_cmpuint(later.waiting, ==, 1);
    tally_add_answer(&later, &answered);
    tally_add(&once, &answered);
    g_assert_cmpuint(later.requests, ==, once.requests);
    g_assert_cmpuint(later.waiting, ==, 0);
    g_assert_cmpuint(later.errors, ==, once.errors);
    g_assert_cmpuint(tally_unanswered(&later), ==, tally_unanswered(&once));
    tally_clear(&later);
    tally_clear(&once);
}

/* Hosts have groups without a kind, of which nothing is hashed after the address: none may be in the others' chain. */
static void
test_hosts(void)
{
    enum { HOSTS = 50000 };
    struct groups *groups = groups_new(sizeof(int), NULL);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < HOSTS; i++) {
            struct group_key key = { .kind = "" };
            key.client.address[0] = (uint8_t)(i >> 8);
            key.client.address[1] = (uint8_t)i;
            g_assert_cmpuint(groups_row(groups, &key), ==, i);
        }
    g_assert_cmpuint(groups_count(groups), ==, HOSTS);
    groups_free(groups);
    g_assert_cmpuint(hashed_bytes(1, "", 0), !=, hashed_bytes(2, "", 0));
}

/* Compares how far apart the scene's unsolicited frames are, in the order of their numbers; and closes it. */
static void
check_spacing(struct scene *scene, const char *expected)
{
    struct push_tally pushes = { 0 }, merged = { 0 };
    GString *shown = g_string_new(NULL);
    for (uint32_t frame = 1; frame <= scene->frame; frame++) {
        uint32_t at;
        for (const struct item *item = items_first(scene->analysis->items, frame, &at); item;
             item = items_next(scene->analysis->items, &at)) {
            if (item->kind != ITEM_UNSOLICITED)
                continue;
            push_tally_take(&pushes, item);
            g_string_append_printf(shown, "%s%u: %" G_GINT64_FORMAT, shown->len > 0 ? ", " : "", frame,
                                   item->spacing_ns);
        }
    }
    g_assert_cmpstr(shown->str, ==, expected);
    push_tally_merge(&merged, &pushes);
    push_tally_merge(&merged, &pushes);
    g_assert_cmpuint(merged.frames, ==, 2 * pushes.frames);
    g_assert_cmpuint(merged.spacing.moments.count, ==, 2 * pushes.spacing.moments.count);
    push_tally_clear(&pushes);
    push_tally_clear(&merged);
    g_string_free(shown, TRUE);
    scene_close(scene);
}

/* From each push to the next, whatever is asked and answered in between; one is in two frames. */
static void
test_pushes(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    scene_say(&scene, true, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n");
    scene_say(&scene, false, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
    scene_say(&scene, false, "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n");
    scene_say(&scene, false, "*3\r\n$7\r\nmess");
    scene_say(&scene, false, "age\r\n$1\r\na\r\n$1\r\ny\r\n");
    scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n");
    scene_say(&scene, false, "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    scene_say(&scene, false, "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nz\r\n");
    check_spacing(&scene, "3: -1, 4: 1000, 5: 1000, 8: 3000");
}

/* A greeting is no push: nobody waits from there to what comes behind the first request. */
static void
test_pushes_greeting(void)
{
    struct scene scene;
    scene_open(&scene, 4222, 1000);
    scene_say(&scene, false, "INFO {\"server_id\":\"N\",\"version\":\"2.9.10\"}\r\n");
    scene_say(&scene, true, "CONNECT {\"verbose\":false}\r\nSUB news 1\r\nPING\r\n");
    scene_say(&scene, false, "PONG\r\n");
    scene_say(&scene, false, "MSG news 1 2\r\nhi\r\n");
    scene_say(&scene, false, "MSG news 1 2\r\nho\r\n");
    check_spacing(&scene, "1: -1, 4: -1, 5: 1000");
}

/* A push of more frames than are kept until it is known what they belong to: each is behind the one before. */
static void
test_pushes_long(void)
{
    enum { FRAMES = 12 };
    struct scene scene;
    GString *expected = g_string_new("3: -1");
    scene_open(&scene, 80, 1000);
    scene_say(&scene, true, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n");
    scene_say(&scene, false, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
    scene_say(&scene, false, "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$12\r\n");
    for (unsigned i = 0; i < FRAMES; i++) {
        scene_say(&scene, false, i < FRAMES - 1 ? "x" : "x\r\n");
        g_string_append_printf(expected, ", %u: 1000", 4 + i);
    }
    check_spacing(&scene, expected->str);
    g_string_free(expected, TRUE);
}

/* Those of a server that nobody understands; one was held behind another, which came late. */
static void
test_pushes_late(void)
{
    struct scene scene;
    scene_open(&scene, 7, 1000);
    scene_shake_hands(&scene);
    const uint32_t frame = scene.frame;
    scene_say(&scene, false, "ab");
    scene.seq[false] += 2;
    scene_say(&scene, false, "ef");
    scene_say_late(&scene, false, 4, "cd");
    scene_say(&scene, false, "gh");
    g_assert_cmpuint(frame, ==, 2);
    check_spacing(&scene, "3: -1, 4: 0, 5: 2000, 6: 1000");
}

void
tally_tests_add(void)
{
    g_test_add_func("/tally/pushes", test_pushes);
    g_test_add_func("/tally/pushes-long", test_pushes_long);
    g_test_add_func("/tally/pushes-late", test_pushes_late);
    g_test_add_func("/tally/pushes-greeting", test_pushes_greeting);
    g_test_add_func("/tally/messages", test_messages);
    g_test_add_func("/tally/withdrawn", test_withdrawn);
    g_test_add_func("/tally/durations", test_durations);
    g_test_add_func("/tally/durations-of-turns", test_durations_of_turns);
    g_test_add_func("/tally/streams", test_streams);
    g_test_add_func("/tally/tls", test_tls);
    g_test_add_func("/tally/answer", test_answer);
    g_test_add_func("/tally/hosts", test_hosts);
}
