/* test-amqp.c
 * Connections of AMQP of which something is missing, or that ask more than is kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scene.h"
#include "unit.h"

enum { STEP_NS = 1000, SECOND = 1000000 /* steps */ };

#define OPENS(channel)  "\1\0" channel "\0\0\0\5\0\x14\0\x0a\0\xce"
#define OPENED(channel) "\1\0" channel "\0\0\0\x08\0\x14\0\x0b\0\0\0\0\xce"
#define SELECTS         "\1\0\1\0\0\0\5\0\x55\0\x0a\0\xce"
#define SELECTED        "\1\0\1\0\0\0\4\0\x55\0\x0b\xce"
#define PUBLISHES(name)                                                                                                \
    "\1\0\1\0\0\0\x0b\0\x3c\0\x28\0\0\1" name "\1k\0\xce\2\0\1\0\0\0\x0e\0\x3c\0\0\0\0\0\0\0\0\0\0\0\0\xce"
#define ACKS(number, all) "\1\0\1\0\0\0\x0d\0\x3c\0\x50\0\0\0\0\0\0\0" number all "\xce"
#define DELIVERS                                                                                                       \
    "\1\0\1\0\0\0\x13\0\x3c\0\x3c\1t\0\0\0\0\0\0\0\1\0\1e\1k\xce\2\0\1\0\0\0\x0e\0\x3c\0\0\0\0\0\0\0\0\0\0\0\0\xce"
#define COMMITS   "\1\0\1\0\0\0\4\0\x5a\0\x14\xce"
#define COMMITTED "\1\0\1\0\0\0\4\0\x5a\0\x15\xce"

#define SAY(client, text) send(&scene, client, text, sizeof(text) - 1)

static void
send(struct scene *scene, bool from_client, const char *bytes, size_t n)
{
    scene_send(scene, from_client, bytes, n, n);
}

static void
begin(struct scene *scene)
{
    scene_open(scene, 80, STEP_NS);
    send(scene, true, OPENS("\1") SELECTS, sizeof OPENS("\1") + sizeof SELECTS - 2);
    send(scene, false, OPENED("\1") SELECTED, sizeof OPENED("\1") + sizeof SELECTED - 2);
}

/* Where bytes of the server are missing, what confirms several tells only of the one that it names: others may have
 * been confirmed before. What was published behind the gap has not. */
static void
test_multiple(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, PUBLISHES("a") PUBLISHES("b") PUBLISHES("c"));
    scene.seq[false] += sizeof ACKS("\1", "\0") - 1;
    SAY(false, ACKS("\3", "\1"));
    scene_give_up(&scene);
    SAY(true, PUBLISHES("d") PUBLISHES("e"));
    SAY(false, ACKS("\5", "\1"));
    scene_check(&scene,
                "channel.open 13/16 , confirm.select 13/12 , basic.publish a/k 41 lost, basic.publish b/k 41 lost, "
                "basic.publish c/k 41/21 , basic.publish d/k 41/0 , basic.publish e/k 41/21 ");
}

/* Where bytes of the client are missing nobody knows the next number, until both have been silent. What was published
 * before keeps its own. */
static void
test_counted(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, PUBLISHES("a") PUBLISHES("b"));
    SAY(false, ACKS("\1", "\0"));
    scene.seq[true] += sizeof PUBLISHES("x") - 1;
    SAY(true, PUBLISHES("c"));
    scene_give_up(&scene);
    SAY(false, ACKS("\2", "\0") ACKS("\3", "\0"));
    SAY(true, PUBLISHES("d"));
    SAY(false, ACKS("\5", "\1"));
    scene.frame += SECOND;
    SAY(true, PUBLISHES("e") PUBLISHES("f"));
    SAY(false, ACKS("\6", "\0") ACKS("\7", "\0"));
    scene_check(
        &scene,
        "channel.open 13/16 , confirm.select 13/12 , basic.publish a/k 41/21 , basic.publish b/k 41/21 , "
        "basic.publish c/k 41 lost, basic.publish d/k 41 lost, basic.publish e/k 41/21 , basic.publish f/k 41/21 ");
}

/* A client asks for the next thing on a channel when it has been answered: what is missing was the answer to the first.
 * Where bytes of both are missing, the answer may be to what nobody has seen. */
static void
test_asked_again(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, COMMITS);
    scene.seq[false] += sizeof COMMITTED - 1;
    SAY(true, COMMITS);
    SAY(false, COMMITTED);
    scene_give_up(&scene);
    SAY(true, COMMITS);
    SAY(false, COMMITTED);
    SAY(true, COMMITS);
    scene.seq[false] += sizeof COMMITTED - 1;
    scene.seq[true] += sizeof COMMITS - 1;
    SAY(false, COMMITTED);
    scene_give_up(&scene);
    scene_check(&scene,
                "channel.open 13/16 , confirm.select 13/12 , tx.commit 12 lost, tx.commit 12/12 , tx.commit 12/12 , "
                "tx.commit 12 lost");
}

/* Of a request whose end is missing nobody knows when it was asked: what the server has said may have answered it. */
static void
test_asked_late(void)
{
    struct scene scene;
    begin(&scene);
    send(&scene, true, COMMITS, sizeof COMMITS - 2);
    scene.seq[true] += 1;
    SAY(false, COMMITTED);
    SAY(true, COMMITS);
    SAY(false, COMMITTED);
    scene_give_up(&scene);
    scene_check(&scene, "channel.open 13/16 , confirm.select 13/12 , tx.commit 11 lost, tx.commit 12/12 ");
}

/* From the middle on, what is published asks for something once the server has confirmed anything; what it delivers,
 * and what acknowledges that, is nothing. */
static void
test_middle(void)
{
    struct scene scene;
    scene_open(&scene, 80, STEP_NS);
    SAY(true, PUBLISHES("a"));
    SAY(false, DELIVERS ACKS("\7", "\0"));
    SAY(true, ACKS("\1", "\0") PUBLISHES("b"));
    SAY(false, ACKS("\x08", "\0") DELIVERS);
    SAY(true, COMMITS);
    SAY(false, COMMITTED);
    scene.frame += 2 * SECOND;
    SAY(true, PUBLISHES("c"));
    SAY(false, ACKS("\x09", "\0"));
    scene_check(&scene, "basic.publish b/k 41 lost, tx.commit 12/12 , basic.publish c/k 41/21 ");
}

/* The server closes the connection: the channel where the method that it names waits has its code, and all others have
 * nothing. */
static void
test_closed(void)
{
    struct scene scene;
    begin(&scene);
    SAY(true, OPENS("\2"));
    SAY(false, OPENED("\2"));
    SAY(true, PUBLISHES("a") "\1\0\2\0\0\0\4\0\x5a\0\x14\xce");
    SAY(false, "\1\0\0\0\0\0\x0f\0\x0a\0\x32\2\x1c\4no''\0\x5a\0\x14\xce");
    scene_check(&scene, "channel.open 13/16 , confirm.select 13/12 , channel.open 13/16 , basic.publish a/k 41 -, "
                        "tx.commit 12/23 540!");
}

/* A server of another version says which. */
static void
test_version(void)
{
    struct scene scene;
    scene_open(&scene, 80, STEP_NS);
    SAY(true, "AMQP\0\0\x09\1");
    SAY(false, "AMQP\0\1\0\0");
    scene_check(&scene, "AMQP 0-9-1 8/8 another version!");
}

/* Of more channels than are kept nothing is known. */
static void
test_channels(void)
{
    struct scene scene;
    scene_open(&scene, 80, STEP_NS);
    SAY(true, "\1\7\xff\0\0\0\5\0\x14\0\x0a\0\xce"
              "\1\x08\0\0\0\0\5\0\x14\0\x0a\0\xce");
    SAY(false, "\1\7\xff\0\0\0\x08\0\x14\0\x0b\0\0\0\0\xce"
               "\1\x08\0\0\0\0\x08\0\x14\0\x0b\0\0\0\0\xce");
    scene_check(&scene, "channel.open 13/16 ");
}

/* Of more messages, and methods, that wait on a channel than are kept the oldest are lost. */
static void
test_many(void)
{
    enum { MESSAGES = 4096, METHODS = 16 };
    struct scene scene;
    begin(&scene);
    for (unsigned i = 0; i <= MESSAGES; i++)
        SAY(true, PUBLISHES("a"));
    for (unsigned i = 0; i <= METHODS; i++)
        SAY(true, COMMITS);
    SAY(false, "\1\0\1\0\0\0\x0d\0\x3c\0\x50\0\0\0\0\0\0\x10\1\1\xce");
    SAY(false, COMMITTED);
    analysis_end(scene.analysis);
    struct request *const *requests = scene.connection->requests + 2;
    g_assert_cmpint(requests[0]->ending, ==, ENDING_LOST);
    for (unsigned i = 1; i <= MESSAGES; i++)
        g_assert_cmpuint(requests[i]->response.first_frame, !=, 0);
    g_assert_cmpint(requests[MESSAGES + 1]->ending, ==, ENDING_LOST);
    g_assert_cmpuint(requests[MESSAGES + 2]->response.first_frame, !=, 0);
    scene_close(&scene);
}

void
amqp_tests_add(void)
{
    g_test_add_func("/amqp/multiple", test_multiple);
    g_test_add_func("/amqp/counted", test_counted);
    g_test_add_func("/amqp/asked-again", test_asked_again);
    g_test_add_func("/amqp/asked-late", test_asked_late);
    g_test_add_func("/amqp/middle", test_middle);
    g_test_add_func("/amqp/closed", test_closed);
    g_test_add_func("/amqp/version", test_version);
    g_test_add_func("/amqp/channels", test_channels);
    g_test_add_func("/amqp/many", test_many);
}
