/* test-roles.c
 * Who asks where the capture lacks the handshake: what is said tells it, whatever the ports, and wherever the capture
 * begins. The server is on the higher port, which is nobody's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include "exchanges.h"
#include "scene.h"

enum { HIGHER_PORT = 9999, STEP_NS = 1000 };

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define MONGODB(id, to)             "\x15\0\0\0" id "\0\0\0" to "\0\0\0\xdd\x07\0\0\0\0\0\0\0"
#define HTTP2_HEADERS(flags, block) "\0\0\1\1" flags "\0\0\0\1" block

enum { ASKED_TELLS = 1, ANSWERED_TELLS = 2, BOTH_TELL = ASKED_TELLS | ANSWERED_TELLS, IS_SAID_ONCE = 4 };

struct dialog {
    const char *name;
    struct text asked, answered;
    unsigned is; /* of the enum */
};

static const struct dialog dialogs[] = {
    { "http", TEXT("GET / HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), BOTH_TELL },
    { "http2", TEXT(HTTP2_HEADERS("\5", "\x82")), TEXT(HTTP2_HEADERS("\5", "\x88")), BOTH_TELL },
    { "redis", TEXT("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), TEXT("$2\r\nab\r\n"), ASKED_TELLS },
    { "redis-change", TEXT("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"), TEXT("+OK\r\n"), ANSWERED_TELLS },
    { "redis-error", TEXT("*1\r\n$4\r\nPING\r\n"), TEXT("-NOAUTH Authentication required.\r\n"), ANSWERED_TELLS },
    { "memcached", TEXT("get k\r\n"), TEXT("VALUE k 0 1\r\nv\r\nEND\r\n"), BOTH_TELL },
    { "memcached-change", TEXT("set k 0 0 1\r\nv\r\n"), TEXT("STORED\r\n"), BOTH_TELL },
    { "memcached-number", TEXT("incr k 1\r\n"), TEXT("NOT_FOUND\r\n"), ANSWERED_TELLS },
    { "memcached-binary", TEXT(PACKET("\x80", "\x0b", "\0", "\0", "\1")),
      TEXT(PACKET("\x81", "\x0b", "\0", "\0", "\1")), BOTH_TELL },
    { "mongodb", TEXT(MONGODB("\2", "\0")), TEXT(MONGODB("\3", "\2")), BOTH_TELL },
    { "zookeeper", TEXT("\0\0\0\x0e\0\0\0\1\0\0\0\4\0\0\0\1/\1"),
      TEXT("\0\0\0\x10\0\0\0\1\0\0\0\0\0\0\0\7\xff\xff\xff\x9b"), ASKED_TELLS },
    { "zookeeper-ping", TEXT("\0\0\0\x08\xff\xff\xff\xfe\0\0\0\x0b"),
      TEXT("\0\0\0\x10\xff\xff\xff\xfe\0\0\0\0\0\0\0\7\0\0\0\0"), BOTH_TELL },
    { "amqp", TEXT("\1\0\1\0\0\0\5\0\x14\0\x0a\0\xce"), TEXT("\1\0\1\0\0\0\x08\0\x14\0\x0b\0\0\0\0\xce"), BOTH_TELL },
    { "nats", TEXT("PUB a _INBOX.b 2\r\nhi\r\n"), TEXT("MSG _INBOX.b 1 2\r\nho\r\n"), BOTH_TELL },
    { "mqtt", TEXT("\x82\x08\0\1\0\3a/b\1"), TEXT("\x90\3\0\1\1"), ASKED_TELLS },
    { "fastcgi", TEXT("\1\1\0\1\0\x08\0\0\0\1\1\0\0\0\0\0\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0"),
      TEXT("\1\6\0\1\0\4\0\0A:b\n\1\3\0\1\0\x08\0\0\0\0\0\0\0\0\0\0"), ASKED_TELLS },
    { "tds", TEXT("\1\1\0\x20\0\0\1\0\x16\0\0\0\x12\0\0\0\2\0\0\0\0\0\0\0\0\0\1\0\0\0G\0"),
      TEXT("\4\1\0\x15\0\0\1\0\xfd\0\0\xc1\0\0\0\0\0\0\0\0\0"), ASKED_TELLS },
    { "postgresql", TEXT("Q\0\0\0\x0dSELECT 1\0"), TEXT("C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I"), BOTH_TELL },
    { "postgresql-extended", TEXT("P\0\0\0\x09\0x\0\0\0S\0\0\0\4"), TEXT("1\0\0\0\4Z\0\0\0\x05I"), BOTH_TELL },
    { "mysql", TEXT("\x20\0\0\1\0\xa2\0\0\0\0\0\1\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
      TEXT("\x09\0\0\0\x0a"
           "8.0.36\0\1"),
      BOTH_TELL | IS_SAID_ONCE },
};

/* What both sides may say. */
static const struct text open[] = {
    TEXT("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"), /* to a replica */
    TEXT("*1\r\n$4\r\nPING\r\n"),
    TEXT("\1\0\1\0\0\0\x0d\0\x3c\0\x50\0\0\0\0\0\0\0\1\0\xce"), /* AMQP's basic.ack */
    TEXT("AMQP\0\0\x09\1"),
    TEXT("*3\r\n$3\r\nGET\r\n$3\r\nSET\r\n$3\r\nDEL\r\n"), /* words */
    TEXT("$2\r\nab\r\n"),
    TEXT(":1\r\n"),
    TEXT("1\r\n"),
    TEXT("PING\r\n"),
    TEXT("get\r\n"),
    TEXT("get k\r\nand more of it\r\n"),
    TEXT("get k"),
    TEXT("HTTP/1.1 nothing\r\n"),
    TEXT("GET / HTTP/1.1"),
    TEXT("d\0\0\0\5x"),
    TEXT("E\0\0\0\x0aS\0\0\0\0\0"),
    TEXT("C\0\0\0\x0dSELECT 1\0"),
    TEXT("\1\0\0\0\x0e"),
    TEXT("some more of what has been said before the capture began"),
};

static void
say(struct scene *scene, bool from_client, const struct text *text)
{
    scene_send(scene, from_client, text->bytes, text->length, text->length);
}

static bool
has_client(const struct scene *scene)
{
    return connection_client(scene->connection)->port == 1000;
}

/* One side is the first that is heard, with what tells; or the client is, with something else before it. */
static void
play(const struct dialog *dialog, bool client_first, const struct text *before)
{
    const struct text *asked = &dialog->asked, *answered = &dialog->answered;
    const bool tells = dialog->is & (client_first ? ASKED_TELLS : ANSWERED_TELLS);
    struct scene scene;
    scene_open(&scene, HIGHER_PORT, STEP_NS);
    if (before)
        say(&scene, client_first, before);
    say(&scene, client_first, client_first ? asked : answered);
    g_assert_cmpint(scene.connection->roles == ROLES_CERTAIN, ==, tells);
    g_assert_cmpint(has_client(&scene), ==, tells);
    if (tells && !(dialog->is & IS_SAID_ONCE)) {
        if (client_first)
            say(&scene, false, answered);
        for (unsigned i = 0; i < 3; i++) {
            say(&scene, true, asked);
            say(&scene, false, answered);
        }
        analysis_end(scene.analysis);
        g_assert_true(has_client(&scene));
        g_assert_cmpuint(scene.connection->n_requests, ==, client_first + 3);
    }
    scene_close(&scene);
}

static void
test_dialog(const void *data)
{
    play(data, false, NULL);
    play(data, true, NULL);
    play(data, true, &open[G_N_ELEMENTS(open) - 1]);
}

static void
test_open(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(open); i++)
        for (unsigned from_client = 0; from_client < 2; from_client++) {
            struct scene scene;
            scene_open(&scene, HIGHER_PORT, STEP_NS);
            say(&scene, from_client, &open[i]);
            g_assert_true(scene.connection->roles != ROLES_CERTAIN);
            g_assert_false(has_client(&scene));
            scene_close(&scene);
        }
}

/* What the server has said looks like a request of MySQL, and is kept until the other side tells who it is. */
static void
test_kept(void)
{
    static const struct text query = TEXT("\x05\0\0\0\x03KILL");
    struct scene scene;
    scene_open(&scene, HIGHER_PORT, STEP_NS);
    say(&scene, false, &query);
    scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "HTTP/1.1 204 No Content\r\n\r\n");
    g_assert_true(has_client(&scene));
    scene_check(&scene, "GET / 18/27 204");
}

/* Who has a row keeps his role, but for fields of HTTP/2. */
static void
test_row(void)
{
    struct scene scene;
    scene_open(&scene, HIGHER_PORT, STEP_NS);
    say(&scene, false, &open[G_N_ELEMENTS(open) - 1]);
    scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
    g_assert_false(has_client(&scene));
    scene_send(&scene, true, HTTP2_HEADERS("\5", "\x82"), 10, 10);
    g_assert_true(has_client(&scene));
    scene_close(&scene);
}

/* A handshake is not doubted. */
static void
test_handshake(void)
{
    struct scene scene;
    scene_open(&scene, HIGHER_PORT, STEP_NS);
    scene_shake_hands(&scene);
    scene_say(&scene, true, "HTTP/1.1 200 OK\r\n\r\n");
    scene_say(&scene, false, "GET / HTTP/1.1\r\n\r\n");
    g_assert_true(has_client(&scene));
    scene_close(&scene);
}

void
roles_tests_add(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(dialogs); i++) {
        char *name = g_strdup_printf("/roles/%s", dialogs[i].name);
        g_test_add_data_func(name, &dialogs[i], test_dialog);
        g_free(name);
    }
    g_test_add_func("/roles/open", test_open);
    g_test_add_func("/roles/kept", test_kept);
    g_test_add_func("/roles/row", test_row);
    g_test_add_func("/roles/handshake", test_handshake);
}
