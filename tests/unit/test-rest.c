/* test-rest.c
 * Kafka and MongoDB: requests behind the rest of one whose beginning is missing, and what HTTP/2 and Kafka have in
 * common.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "core/request/exchanges.h"
#include "scene.h"
#include "unit.h"

#define METADATA(id)      "\0\0\0\x13\0\3\0\1\0\0\0" id "\0\2me\0\0\0\1\0\1t"
#define METADATA_SAID(id) "\0\0\0\x8\0\0\0" id "mmmm"
#define PRODUCE(version, topic)                                                                                        \
    "\0\0\0\x27\0\0\0" version "\0\0\0\7\0\2me\0\1\0\0\0\x9\0\0\0\1\0\1" topic "\0\0\0\1\0\0\0\0\0\0\0\2rr"
#define PRODUCE_SAID                   "\0\0\0\x1d\0\0\0\7\0\0\0\1\0\1t\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\5"
#define FIND(id)                       "1\0\0\0" id "\0\0\0\0\0\0\0\xdd\7\0\0\0\0\0\0\0\x1c\0\0\0\2find\0\2\0\0\0c\0\2$db\0\2\0\0\0d\0\0"
#define FIND_SAID(id)                  "&\0\0\0" id "\1\0\0" id "\0\0\0\xdd\7\0\0\0\0\0\0\0\x11\0\0\0\1ok\0\0\0\0\0\0\0\xf0\x3f\0"
#define SEND(scene, from_client, text) scene_send(scene, from_client, text, sizeof(text) - 1, sizeof(text) - 1)

enum { MISSING = 60 };

static void
test_kafka(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, METADATA("\2"));
    SEND(&scene, false, METADATA_SAID("\2"));
    scene.seq[true] += MISSING;
    SEND(&scene, true, "vvvvvvvvvvvvvvvvv" METADATA("\4") METADATA("\5"));
    SEND(&scene, false, METADATA_SAID("\4") METADATA_SAID("\5"));
    scene_give_up(&scene);
    scene_check(&scene, "Metadata v1 t 23/12 , Metadata v1 t 23/12 , Metadata v1 t 23/12 ");
}

static void
test_mongodb(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, FIND("\2"));
    SEND(&scene, false, FIND_SAID("\2"));
    scene.seq[true] += MISSING;
    SEND(&scene, true, "vvvvvvvvvvvvvvvvv" FIND("\4") FIND("\5"));
    SEND(&scene, false, FIND_SAID("\3") FIND_SAID("\5") FIND_SAID("\4"));
    scene_give_up(&scene);
    scene_check(&scene, "find d.c 49/38 , find d.c 49/38 , find d.c 49/38 ");
}

/* Where the capture begins within a request, what the server says next may answer those before; it answers the request
 * where the capture has the connection's beginning. What has gone by turns for long stands. */
static void
test_turns(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, "vvvv");
    SEND(&scene, false, METADATA_SAID("\1") METADATA_SAID("\2"));
    SEND(&scene, true, "vvvvv");
    SEND(&scene, false, METADATA_SAID("\3"));
    SEND(&scene, true, METADATA("\4"));
    SEND(&scene, false, METADATA_SAID("\4"));
    scene_check(&scene, " 4 lost,  5 lost, Metadata v1 t 23/12 ");
    scene_open(&scene, 80, 1000);
    scene_shake_hands(&scene);
    SEND(&scene, true, "vvvv");
    SEND(&scene, false, METADATA_SAID("\1") METADATA_SAID("\2"));
    SEND(&scene, true, METADATA("\4"));
    SEND(&scene, false, METADATA_SAID("\4"));
    scene_check(&scene, " 4/24 , Metadata v1 t 23/12 ");
    scene_open(&scene, 80, 1000);
    for (unsigned i = 0; i < 9; i++) {
        SEND(&scene, true, "v");
        SEND(&scene, false, "w");
    }
    SEND(&scene, true, METADATA("\4"));
    SEND(&scene, false, METADATA_SAID("\4"));
    scene_check(&scene, " 1/1 ,  1/1 ,  1/1 ,  1/1 ,  1/1 ,  1/1 ,  1/1 ,  1/1 ,  1/1 , Metadata v1 t 23/12 ");
}

/* After a long silence the client waits for nothing: the capture does not begin within a request. */
static void
test_silence(void)
{
    enum { LONG = 200 * 1000 * 1000 /* steps: 200 s */ };
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, "vvvv");
    SEND(&scene, false, METADATA_SAID("\1"));
    scene.frame += LONG;
    SEND(&scene, true, "vvvvv");
    SEND(&scene, false, METADATA_SAID("\3"));
    SEND(&scene, true, METADATA("\4"));
    SEND(&scene, false, METADATA_SAID("\4"));
    scene_check(&scene, " 4/12 ,  5/12 , Metadata v1 t 23/12 ");
}

/* NATS' PING looks like Redis', which +OK does not answer. */
static void
test_ping(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, "PING\r\n");
    SEND(&scene, false, "PONG\r\n");
    SEND(&scene, true, "SUB a 1\r\n");
    SEND(&scene, false, "+OK\r\n");
    SEND(&scene, true, "PUB q _INBOX.a.1 2\r\nhi\r\n");
    SEND(&scene, false, "+OK\r\nMSG _INBOX.a.1 1 2\r\nok\r\n");
    scene_check(&scene, " 6/6 ,  9/5 , REQUEST q 24/24 ");
}

/* Before Kafka 0.11; a topic has no blanks. */
static void
test_old_produce(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, PRODUCE("\0", "t"));
    SEND(&scene, false, PRODUCE_SAID);
    scene_check(&scene, "Produce v0 t 43/33 ");
    scene_open(&scene, 80, 1000);
    SEND(&scene, true, PRODUCE("\2", " "));
    g_assert_true(scene.connection->session != SESSION_MESSAGES);
    scene_close(&scene);
}

/* PING, SETTINGS, WINDOW_UPDATE: read as Kafka's, Produce v0. */
static void
test_frames(void)
{
    static const struct {
        const char *bytes;
        size_t length;
    } frames[] = {
        { "\0\0\x8\6\0\0\0\0\0abcd\0\0efgh", 17 },
        { "\0\0\x6\4\0\0\0\0\0\0\3\0\0\0\x64", 15 },
        { "\0\0\4\x8\0\0\0\0\0\0\0\1\0\0\0\4\x8\0\0\0\1\0\0\0\1\0", 26 },
        { "\0\1\0\0\0\0\0\0\1\0\0\0\0\4name\0\1\0\0\0\1\0\0\0\1", 25 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(frames); i++) {
        struct scene scene;
        scene_open(&scene, 80, 1000);
        scene_send(&scene, true, frames[i].bytes, frames[i].length, frames[i].length);
        g_assert_false(scene.connection->session == SESSION_MESSAGES &&
                       scene.connection->exchanges.protocol == PROTOCOL_KAFKA);
        scene_close(&scene);
    }
}

void
rest_tests_add(void)
{
    g_test_add_func("/rest/kafka", test_kafka);
    g_test_add_func("/rest/mongodb", test_mongodb);
    g_test_add_func("/rest/turns", test_turns);
    g_test_add_func("/rest/silence", test_silence);
    g_test_add_func("/rest/ping", test_ping);
    g_test_add_func("/rest/old-produce", test_old_produce);
    g_test_add_func("/rest/frames", test_frames);
}
