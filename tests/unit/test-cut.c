/* test-cut.c
 * Messages whose heads a snap length cuts: no request vanishes, and what follows is its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "scene.h"
#include "unit.h"

enum { CAPTURED = 30, KEY_BYTES = 60 };

/* Sends what is said, of which only so many bytes are captured. */
static void
say_cut(struct scene *scene, bool from_client, const char *text)
{
    scene_send(scene, from_client, text, strlen(text), MIN(strlen(text), CAPTURED));
}

static void
check_flags(const struct scene *scene, const char *expected)
{
    g_assert_cmpuint(scene->connection->n_requests, ==, strlen(expected));
    for (uint32_t i = 0; i < scene->connection->n_requests; i++)
        g_assert_cmpint(scene->connection->requests[i]->cut, ==, expected[i] == 'c');
}

/* One in flight, the first and every other cut; then what is whole again. `k`: for a long key. */
static void
test_one_in_flight(const void *data)
{
    const char *const *words = data; /* request, response, both with %s for the key, and what comes of them */
    char key[KEY_BYTES + 1];
    struct scene scene;
    scene_open(&scene, 80, 1000);
    memset(key, 'k', KEY_BYTES);
    key[KEY_BYTES] = '\0';
    for (unsigned i = 0; i < 4; i++) {
        const char *name = i % 2 ? "a" : key;
        char *asked = g_strdup_printf(words[0], (int)strlen(name), name);
        char *answered = g_strdup_printf(words[1], (int)strlen(name), name);
        say_cut(&scene, true, asked);
        say_cut(&scene, false, answered);
        g_free(asked);
        g_free(answered);
    }
    for (uint32_t i = 0; i < scene.connection->n_requests; i++) {
        const struct request *request = scene.connection->requests[i];
        g_assert_cmpuint(request->first_frame, ==, 2 * i + 1);
        g_assert_cmpuint(request->response.first_frame, ==, 2 * i + 2);
        g_assert_cmpuint(request->response.last_frame, ==, 2 * i + 2);
        g_assert_cmpint(request->protocol, !=, PROTOCOL_TURNS);
    }
    check_flags(&scene, "cccc");
    scene_close(&scene);
}

/* Of a whole request only the response is cut: the next ones are known. */
static void
test_response(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    for (unsigned i = 0; i < 3; i++) {
        scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
        if (i == 1)
            say_cut(&scene, false, "HTTP/1.1 200 OK\r\nServer: some\r\nContent-Length: 2\r\n\r\nab");
        else
            scene_say(&scene, false, "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
    }
    check_flags(&scene, "-c-");
    scene_check(&scene, "GET / 18/38 404!, GET / 18/54 200, GET / 18/38 404!");
}

/* Pipelined, each in a segment: each has a row, and its response. */
static void
test_pipelined(void)
{
    static const char asked[] = "GET /a-path-that-is-longer-than-thirty HTTP/1.1\r\n\r\n";
    struct scene scene;
    scene_open(&scene, 80, 1000);
    for (unsigned i = 0; i < 3; i++)
        say_cut(&scene, true, asked);
    for (unsigned i = 0; i < 3; i++)
        scene_say(&scene, false, "HTTP/1.1 204 No\r\n\r\n");
    for (uint32_t i = 0; i < 3; i++)
        g_assert_cmpuint(scene.connection->requests[i]->response.first_frame, ==, 4 + i);
    check_flags(&scene, "ccc");
    scene_close(&scene);
}

/* What a cut body hides is known by its length. */
static void
test_body(void)
{
    static const char asked[] = "set a 0 0 40\r\n0123456789012345678901234567890123456789\r\nget a\r\n";
    struct scene scene;
    scene_open(&scene, 80, 1000);
    scene_send(&scene, true, asked, sizeof asked - 1, CAPTURED);
    scene_say(&scene, false, "STORED\r\n");
    scene_check(&scene, "set a 56/8 ,  7 -");
}

static const char *const http[] = { "GET /%2$.*1$s HTTP/1.1\r\nHost: somewhere.else\r\n\r\n",
                                    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: %2$.*1$s\r\n\r\nab" };
static const char *const text[] = { "get %2$.*1$s bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n",
                                    "VALUE %2$.*1$s 0 2\r\nab\r\nVALUE bbbbbbbbbbbbbbbb 0 0\r\n\r\nEND\r\n" };
static const char *const redis[] = { "*3\r\n$3\r\nSET\r\n$%1$d\r\n%2$s\r\n$4\r\nabcd\r\n",
                                     "*2\r\n+OK\r\n$%1$d\r\n%2$s\r\n" };

void
cut_tests_add(void)
{
    g_test_add_data_func("/cut/http", http, test_one_in_flight);
    g_test_add_data_func("/cut/memcached", text, test_one_in_flight);
    g_test_add_data_func("/cut/redis", redis, test_one_in_flight);
    g_test_add_func("/cut/response", test_response);
    g_test_add_func("/cut/pipelined", test_pipelined);
    g_test_add_func("/cut/body", test_body);
}
