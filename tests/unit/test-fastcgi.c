/* test-fastcgi.c
 * Connections of FastCGI of which something is missing, or that ask more than is kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "scene.h"
#include "unit.h"

#define BEGINS(id)       "\1\1\0" id "\0\x08\0\0\0\1\1\0\0\0\0\0"
#define PARAMS(id, name) "\1\4\0" id "\0\x22\0\0\x0e\3REQUEST_METHODGET\x0b\2REQUEST_URI/" name "\1\4\0" id "\0\0\0\0"
#define INPUT(id)        "\1\5\0" id "\0\0\0\0"
#define ASKS(id, name)   BEGINS(id) PARAMS(id, name) INPUT(id)
#define OUTPUT(id)       "\1\6\0" id "\0\x08\0\0A: b\r\n\r\n"
#define MORE(id)         "\1\6\0" id "\0\4\0\0more"
#define ERRORS(id)       "\1\7\0" id "\0\4\0\0line"
#define ENDS(id)         "\1\3\0" id "\0\x08\0\0\0\0\0\0\0\0\0\0"
#define ANSWERS(id)      OUTPUT(id) ENDS(id)

#define SAY(client, text)  scene_send(&scene, client, text, sizeof(text) - 1, sizeof(text) - 1)
#define LOSE(client, text) (scene.seq[client] += sizeof(text) - 1)

static void
begin(struct scene *scene)
{
    scene_open(scene, 80, 1000);
    scene_send(scene, true, ASKS("\1", "a"), sizeof ASKS("\1", "a") - 1, sizeof ASKS("\1", "a") - 1);
    scene_send(scene, false, ANSWERS("\1"), sizeof ANSWERS("\1") - 1, sizeof ANSWERS("\1") - 1);
}

/* Who is asked again under an id has answered before, where that is missing. */
static void
test_again(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, ASKS("\1", "b"));
    LOSE(false, ANSWERS("\1"));
    SAY(true, ASKS("\1", "c"));
    SAY(false, ANSWERS("\1"));
    scene_give_up(&scene);
    scene_check(&scene, "GET /a 74/32 200, GET /b 74 lost, GET /c 74/32 200");
}

/* What is there of a record whose rest is missing belongs to whom it answers, and not to who is asked under its id
 * before the server says more: of its output, of its end. */
static void
test_record_of_before(void)
{
    static const char output[] = "\1\6\0\1\0\x08\0\0A:", ending[] = OUTPUT("\1") "\1\3\0\1\0\x08\0\0\0";
    struct scene scene;
    begin(&scene);
    SAY(true, ASKS("\1", "b"));
    SAY(false, output);
    scene.seq[false] += sizeof ANSWERS("\1") - sizeof output;
    SAY(true, ASKS("\1", "c"));
    SAY(false, ANSWERS("\1"));
    SAY(true, ASKS("\1", "d"));
    SAY(false, ending);
    scene.seq[false] += sizeof ANSWERS("\1") - sizeof ending;
    SAY(true, ASKS("\1", "e"));
    SAY(false, ANSWERS("\1"));
    scene_give_up(&scene);
    scene_check(&scene, "GET /a 74/32 200, GET /b 74 lost, GET /c 74/32 200, GET /d 74/16 200, GET /e 74/32 200");
}

/* Where an answer and the next request are missing, the next answer is nobody's. */
static void
test_both_missing(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, ASKS("\1", "b"));
    LOSE(false, ANSWERS("\1"));
    LOSE(true, ASKS("\1", "c"));
    SAY(false, ANSWERS("\1"));
    SAY(true, ASKS("\1", "d"));
    SAY(false, ANSWERS("\1"));
    scene_give_up(&scene);
    scene_check(&scene, "GET /a 74/32 200, GET /b 74 lost, GET /d 74/32 200");
}

/* Where the beginning of an answer is missing, the rest does not tell when it began. */
static void
test_beginning(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, ASKS("\1", "b"));
    LOSE(false, OUTPUT("\1"));
    SAY(false, ERRORS("\1") ENDS("\1"));
    scene_give_up(&scene);
    SAY(true, ASKS("\1", "c"));
    SAY(false, ANSWERS("\1"));
    scene_check(&scene, "GET /a 74/32 200, GET /b 74 lost, GET /c 74/32 200");
}

/* In output that is missing in part, what looks like a record is none if nobody has asked under its id. */
static void
test_looks_like_record(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, ASKS("\1", "b") ASKS("\2", "c"));
    SAY(false, OUTPUT("\1"));
    LOSE(false, "\1\6\0\1\0\x50\0\0");
    SAY(false, "\1\6\0\3\0\x40\0\0" ENDS("\2"));
    SAY(false, ENDS("\1"));
    scene_give_up(&scene);
    scene_check(&scene, "GET /a 74/32 200, GET /b 74/32 200, GET /c 74 lost");
}

/* From the middle on, what ends before any request begins is no answer. */
static void
test_middle(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SAY(true, INPUT("\1"));
    SAY(false, MORE("\1") ENDS("\1"));
    SAY(true, ASKS("\1", "b"));
    SAY(false, ANSWERS("\1"));
    g_assert_cmpint(scene.connection->exchanges.protocol, ==, PROTOCOL_FASTCGI);
    scene_check(&scene, " 8 lost, GET /b 74/32 200");
}

/* From the middle on, what is asked behind the rest of another request has its own answer, and not the first. */
static void
test_middle_of_request(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SAY(true, "of what was asked before" ASKS("\1", "b"));
    SAY(false, ANSWERS("\2"));
    SAY(false, ANSWERS("\1"));
    scene_check(&scene, "GET /b 74/32 200");
}

/* What is asked under an id of which nothing more is known than that is told with it. */
static void
test_cut(void)
{
    struct scene scene;
    begin(&scene);
    scene_send(&scene, true, ASKS("\1", "b"), sizeof ASKS("\1", "b") - 1, 30);
    SAY(false, ANSWERS("\1"));
    scene_send(&scene, true, ASKS("\1", "c"), sizeof ASKS("\1", "c") - 1, 16);
    scene_send(&scene, false, ANSWERS("\1"), sizeof ANSWERS("\1") - 1, 12);
    SAY(true, ASKS("\1", "d"));
    SAY(false, ANSWERS("\1"));
    scene_check(&scene, "GET /a 74/32 200,  58/32 200,  16/16 , GET /d 74/32 200");
}

/* Of more requests than are kept the oldest is lost. */
static void
test_many(void)
{
    enum { MOST = 256 };
    struct scene scene;
    begin(&scene);
    for (unsigned i = 0; i <= MOST; i++) {
        char asks[] = ASKS("\1", "b");
        for (unsigned record = 0; record < 4; record++) {
            static const size_t at[] = { 0, 16, 58, 66 };
            asks[at[record] + 2] = (char)(i >> 7);
            asks[at[record] + 3] = (char)(i % 128 + 1);
        }
        scene_send(&scene, true, asks, sizeof asks - 1, sizeof asks - 1);
    }
    SAY(false, ANSWERS("\1"));
    SAY(false, ANSWERS("\2"));
    g_assert_cmpuint(scene.connection->n_requests, ==, 2 + MOST);
    const struct request *oldest = scene.connection->requests[1], *second = scene.connection->requests[2];
    g_assert_cmpint(request_outcome(&scene.analysis->requests, oldest), ==, OUTCOME_LOST);
    g_assert_cmpuint(second->response.bytes, ==, 32);
    scene_close(&scene);
}

void
fastcgi_tests_add(void)
{
    g_test_add_func("/fastcgi/again", test_again);
    g_test_add_func("/fastcgi/record-of-before", test_record_of_before);
    g_test_add_func("/fastcgi/both-missing", test_both_missing);
    g_test_add_func("/fastcgi/beginning", test_beginning);
    g_test_add_func("/fastcgi/looks-like-record", test_looks_like_record);
    g_test_add_func("/fastcgi/middle", test_middle);
    g_test_add_func("/fastcgi/middle-of-request", test_middle_of_request);
    g_test_add_func("/fastcgi/cut", test_cut);
    g_test_add_func("/fastcgi/many", test_many);
}
