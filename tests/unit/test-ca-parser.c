/* test-ca-parser.c
 * Channel Access in streams: messages cut, late, missing, and sizes that lie.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/ca/ca_channel.h"
#include "scene.h"
#include "unit.h"

#define VERSION "\0\0\0\0\0\0\0\15\0\0\0\0\0\0\0\0"
#define ASK_A   "\0\22\0\10\0\0\0\0\0\0\0\1\0\0\0\15CHAN:A\0\0"
#define ASK_B   "\0\22\0\10\0\0\0\0\0\0\0\2\0\0\0\15CHAN:B\0\0"
#define RIGHTS  "\0\26\0\0\0\0\0\0\0\0\0\1\0\0\0\3"
#define SAY_A   "\0\22\0\0\0\6\0\1\0\0\0\1\0\0\0\21"
#define SAY_B   "\0\22\0\0\0\6\0\1\0\0\0\2\0\0\0\22"

enum { HEADER = 16, ASK = 24 };

static bool
is_server(uint16_t port)
{
    return port == 5064;
}

static void
open_circuit(struct scene *scene)
{
    scene_open(scene, 5064, 1000);
    scene->settings.is_channel_access = is_server;
}

static void
say(struct scene *scene, bool from_client, const char *bytes, size_t n)
{
    scene_send(scene, from_client, bytes, n, n);
}

static const struct ca_channel *
channel(const struct scene *scene, uint32_t number)
{
    return ca_channel_at(scene->analysis->channels, number);
}

/* A request and its answer, each in two segments, the second of which overtakes the first if `late`. */
static void
cut_both(struct scene *scene, size_t asked, size_t said, bool late)
{
    static const char ask[] = ASK_A, answer[] = RIGHTS SAY_A;
    const struct {
        const char *bytes;
        size_t n, cut;
    } of[2] = { { answer, sizeof answer - 1, said }, { ask, sizeof ask - 1, asked } };
    for (unsigned i = 2; i-- > 0;) {
        size_t rest = of[i].n - of[i].cut;
        if (late) {
            scene->seq[i] += (uint32_t)of[i].cut;
            say(scene, i, of[i].bytes + of[i].cut, rest);
            scene_send_late(scene, i, of[i].n, of[i].bytes, of[i].cut, of[i].cut);
        } else {
            say(scene, i, of[i].bytes, of[i].cut);
            say(scene, i, of[i].bytes + of[i].cut, rest);
        }
    }
}

static void
test_cut(void)
{
    for (unsigned late = 0; late < 2; late++)
        for (size_t asked = 1; asked < ASK; asked++)
            for (size_t said = 1; said < 2 * HEADER; said++) {
                struct scene scene;
                open_circuit(&scene);
                say(&scene, true, VERSION, HEADER);
                say(&scene, false, VERSION, HEADER);
                cut_both(&scene, asked, said, late);
                const struct ca_request *create = &channel(&scene, 1)->create;
                g_assert_cmpstr(channel(&scene, 1)->pv, ==, "CHAN:A");
                g_assert_cmpint(create->outcome, ==, CA_OK);
                g_assert_cmpuint(create->request_frame, ==, 4);
                g_assert_cmpuint(create->answer_frame, ==, late && said <= HEADER ? 5 : 6);
                g_assert_cmpuint(scene.connection->requests[0]->first_frame, ==, 3);
                scene_check(&scene, "CREATE_CHAN CHAN:A 24/16 ");
            }
}

/* The middle of an array is no message; nor is what has a header that EPICS would not send. */
static void
test_begins_in_the_middle(void)
{
    char array[1024] = { 0 };
    struct scene scene;
    open_circuit(&scene);
    say(&scene, false, array, sizeof array);
    say(&scene, true, ASK_A, ASK);
    say(&scene, false, array, sizeof array);
    say(&scene, false, SAY_A, HEADER);
    g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, CA_OK);
    g_assert_cmpuint(scene.connection->tcp->circuit->flow[false].n_noted, ==, 1);
    scene_check(&scene, "CREATE_CHAN CHAN:A 24/16 ");
}

/* So much is missing that a message has lost its name, and the next its header. */
static void
test_gap(void)
{
    struct scene scene;
    open_circuit(&scene);
    say(&scene, true, VERSION ASK_A ASK_B, HEADER + HEADER + 2);
    scene.seq[true] += ASK - HEADER;
    say(&scene, true, &ASK_B[2], ASK - 2);
    say(&scene, true, ASK_B, ASK);
    scene_give_up(&scene);
    say(&scene, false, SAY_A SAY_B, 2 * HEADER);
    g_assert_cmpstr(channel(&scene, 1)->pv, ==, "CHAN:B");
    g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, CA_OK);
    g_assert_cmpuint(scene.analysis->channels->orphans, ==, 1);
    scene_check(&scene, "CREATE_CHAN CHAN:B 24/16 ");
}

/* Answers may be in bytes that nobody has read: missing, or cut before they say what they are. */
static void
test_lost(void)
{
    for (unsigned cut = 0; cut < 2; cut++) {
        struct scene scene;
        open_circuit(&scene);
        say(&scene, true, VERSION ASK_A ASK_B, HEADER + 2 * ASK);
        if (cut)
            scene_send(&scene, false, SAY_A, HEADER, HEADER / 2);
        else
            scene.seq[false] += HEADER;
        say(&scene, false, SAY_B, HEADER);
        scene_give_up(&scene);
        scene_check(&scene, "CREATE_CHAN CHAN:A 24 lost, CREATE_CHAN CHAN:B 24/16 ");
    }
}

/* A name that the snap length has cut says so. */
static void
test_cut_name(void)
{
    struct scene scene;
    open_circuit(&scene);
    scene_send(&scene, true, VERSION ASK_A, HEADER + ASK, HEADER + HEADER + 4);
    say(&scene, false, SAY_A, HEADER);
    g_assert_cmpstr(channel(&scene, 1)->pv, ==, "CHAN…");
    scene_check(&scene, "CREATE_CHAN CHAN… 24/16 ");
}

/* A subscription that was cancelled before its first update waits no longer: that with the same id is another one's. */
static void
test_cancelled(void)
{
    static const char add[] = "\0\1\0\20\0\6\0\1\0\0\0\21\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0",
                      cancel[] = "\0\2\0\0\0\6\0\1\0\0\0\21\0\0\0\5", confirm[] = "\0\1\0\0\0\6\0\1\0\0\0\21\0\0\0\5",
                      update[] = "\0\1\0\10\0\6\0\1\0\0\0\1\0\0\0\5\0\0\0\0\0\0\0\0";
    struct scene scene;
    open_circuit(&scene);
    say(&scene, true, VERSION, HEADER);
    say(&scene, false, VERSION, HEADER);
    say(&scene, true, add, sizeof add - 1);
    say(&scene, true, cancel, sizeof cancel - 1);
    say(&scene, false, confirm, sizeof confirm - 1);
    say(&scene, true, add, sizeof add - 1);
    say(&scene, false, update, sizeof update - 1);
    scene_check(&scene, "EVENT_ADD 32 -, EVENT_CANCEL 16/16 , EVENT_ADD 32/24 ");
}

/* What looks the same for whoever asked, or comes again and again, may be another's where answers are missing. */
static void
test_alike(void)
{
    static const struct {
        const char *ask, *answer;
        size_t asked, answered;
        const char *right, *right_lost;
    } rows[] = {
        { "\0\27\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\0\27\0\0\0\0\0\0\0\0\0\0\0\0\0\0", HEADER, HEADER, "ECHO 16/16 ",
          "ECHO 16 lost" },
        { "\0\12\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\0\12\0\0\0\0\0\0\0\0\0\0\0\0\0\0", HEADER, HEADER, "READ_SYNC 16/16 ",
          "READ_SYNC 16 lost" },
        { "\0\1\0\20\0\6\0\1\0\0\0\21\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0",
          "\0\1\0\10\0\6\0\1\0\0\0\1\0\0\0\5\0\0\0\0\0\0\0\0", 2 * HEADER, HEADER + 8, "EVENT_ADD 32/24 ",
          "EVENT_ADD 32 lost" },
        { "\0\17\0\0\0\6\0\1\0\0\0\21\0\0\0\5", "\0\17\0\10\0\6\0\1\0\0\0\1\0\0\0\5\0\0\0\0\0\0\0\0", HEADER,
          HEADER + 8, "READ_NOTIFY 16/24 ", "READ_NOTIFY 16/24 " },
    };
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
        const bool lost = i % 2;
        struct scene scene;
        open_circuit(&scene);
        say(&scene, true, VERSION, HEADER);
        say(&scene, false, VERSION, HEADER);
        say(&scene, true, rows[i / 2].ask, rows[i / 2].asked);
        if (lost)
            scene.seq[false] += HEADER;
        say(&scene, false, rows[i / 2].answer, rows[i / 2].answered);
        scene_give_up(&scene);
        const struct ca_exchange *exchange = pool_at(&scene.analysis->channels->exchanges, 1);
        const bool is_known = strstr(lost ? rows[i / 2].right_lost : rows[i / 2].right, "/") != NULL;
        g_assert_cmpint(exchange->request.outcome, ==, is_known ? CA_OK : CA_WAITING);
        scene_check(&scene, lost ? rows[i / 2].right_lost : rows[i / 2].right);
    }
}

/* The server ends within an answer. */
static void
test_truncated(void)
{
    static const char read[] = "\0\17\0\0\0\6\0\1\0\0\0\21\0\0\0\1",
                      value[] = "\0\17\0\20\0\6\0\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0";
    struct scene scene;
    open_circuit(&scene);
    say(&scene, true, VERSION ASK_A, HEADER + ASK);
    say(&scene, false, VERSION SAY_A, 2 * HEADER);
    say(&scene, true, read, sizeof read - 1);
    say(&scene, false, value, sizeof value - 1);
    struct segment fin = scene_segment(&scene, false, 0);
    fin.flags |= SEGMENT_FIN;
    analysis_take(scene.analysis, &fin);
    analysis_read(scene.analysis, &fin);
    g_assert_cmpint(request_outcome(&scene.analysis->requests, scene.connection->request), ==, OUTCOME_TRUNCATED);
    scene_close(&scene);
}

/* Sizes that never end keep nothing; where frames are not kept, nothing of earlier ones is. */
static void
test_bounds(void)
{
    static const char endless[] = "\0\17\377\377\0\6\0\0\0\0\0\1\0\0\0\1\20\0\0\0\0\0\0\1";
    struct scene scene;
    open_circuit(&scene);
    items_set_keep(scene.analysis->items, false);
    say(&scene, true, VERSION, HEADER);
    for (unsigned i = 0; i < 1000; i++)
        say(&scene, true, ASK_A, ASK);
    const struct ca_flow *flow = scene.connection->tcp->circuit->flow;
    g_assert_cmpuint(flow[true].room, <=, 16);
    g_assert_cmpuint(flow[true].n_noted, ==, 1);
    say(&scene, false, endless, sizeof endless - 1);
    say(&scene, false, SAY_A, HEADER);
    g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, CA_OK);
    scene_close(&scene);
}

/* Where a message is, and where none is: by sequence number, near the frame, on both sides of the wrap. */
static void
test_place(void)
{
    struct scene scene;
    struct ca_noted *noted;
    open_circuit(&scene);
    scene.seq[true] = UINT32_MAX - 30;
    say(&scene, true, VERSION ASK_A ASK_B, HEADER + ASK + HEADER);
    const struct ca_flow *flow = &scene.connection->tcp->circuit->flow[true];
    uint32_t first = UINT32_MAX - 30, second = first + HEADER, third = second + ASK;
    g_assert_cmpint(ca_flow_place(flow, first, 1, &noted), ==, CA_NOTED);
    g_assert_cmpint(ca_flow_place(flow, second, 1, &noted), ==, CA_NOTED);
    g_assert_cmpint(noted->command, ==, CA_CREATE_CHAN);
    g_assert_cmpint(ca_flow_place(flow, second + 8, 1, &noted), ==, CA_NOWHERE);
    g_assert_cmpint(ca_flow_place(flow, third, 1, &noted), ==, CA_UNDER_WAY);
    g_assert_cmpint(ca_flow_place(flow, third + HEADER, 1, &noted), ==, CA_AHEAD);
    g_assert_cmpuint(ca_flow_distance(flow, first), ==, HEADER);
    g_assert_cmpuint(ca_flow_distance(flow, first + 8), ==, 8);
    g_assert_cmpuint(ca_flow_distance(flow, third), >, HEADER);
    scene_close(&scene);
}

void
ca_parser_tests_add(void)
{
    g_test_add_func("/ca_parser/cut", test_cut);
    g_test_add_func("/ca_parser/lost", test_lost);
    g_test_add_func("/ca_parser/cut_name", test_cut_name);
    g_test_add_func("/ca_parser/cancelled", test_cancelled);
    g_test_add_func("/ca_parser/alike", test_alike);
    g_test_add_func("/ca_parser/truncated", test_truncated);
    g_test_add_func("/ca_parser/begins_in_the_middle", test_begins_in_the_middle);
    g_test_add_func("/ca_parser/gap", test_gap);
    g_test_add_func("/ca_parser/bounds", test_bounds);
    g_test_add_func("/ca_parser/place", test_place);
}
