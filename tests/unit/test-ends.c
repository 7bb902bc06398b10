/* test-ends.c
 * How a connection ends says what became of what was asked: truncated, closed, lost.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "scene.h"
#include "unit.h"

#define TEXT(text) text, sizeof(text) - 1

enum { MISSING = 100 };

#define STARTUP "\0\0\0\x10\0\3\0\0user\0u\0"

/* A server's says, an end of the server's, and what each request came to. `F`: a FIN after all that it said; `G`: the
 * same, and it said so many bytes that the capture does not have; `R`: a RST. */
static const struct {
    const char *name, *asked;
    size_t asked_bytes;
    const char *said;
    size_t said_bytes;
    const char *ends, *expected;
} cases[] = {
    { "whole", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), "F",
      "answered" },
    { "length", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), "F",
      "truncated" },
    { "reset", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), "R",
      "truncated" },
    { "open", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), "", "answered" },
    { "missing", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), "G",
      "answered" },
    { "until-closed", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\n\r\nab"), "F", "answered" },
    { "head", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-"), "F", "truncated" },
    { "status-line", TEXT("GET /1 HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 2"), "F", "truncated" },
    { "chunked", TEXT("GET /1 HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"), "F", "truncated" },
    { "second", TEXT("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), "F",
      "answered, truncated" },
    { "closed", TEXT("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), "F", "answered, closed" },
    { "lost", TEXT("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), "G", "answered, lost" },
    { "memcached", TEXT("get a\r\nget b\r\n"), TEXT("END\r\nVALUE b 0 9\r\nab"), "F", "answered, truncated" },
    { "redis", TEXT("*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n"), TEXT("+PONG\r\n+PO"), "F", "answered, truncated" },
    /* at the prompt for a password, with salt or by SASL, a client may leave; not where that is cut, or was answered */
    { "password", TEXT(STARTUP), TEXT("R\0\0\0\x0c\0\0\0\5salt"), "F", "answered" },
    { "password-reset", TEXT(STARTUP), TEXT("R\0\0\0\x0c\0\0\0\5salt"), "R", "answered" },
    { "password-clear", TEXT(STARTUP), TEXT("R\0\0\0\x08\0\0\0\3"), "F", "answered" },
    { "password-cut", TEXT(STARTUP), TEXT("R\0\0\0\x0c\0\0\0\5sa"), "F", "truncated" },
    { "password-and-more", TEXT(STARTUP), TEXT("R\0\0\0\x0c\0\0\0\5saltE\0"), "F", "truncated" },
    { "password-accepted", TEXT(STARTUP), TEXT("R\0\0\0\x0c\0\0\0\5saltR\0\0\0\x08\0\0\0\0"), "F", "truncated" },
};

static void
send_end(struct scene *scene, char end)
{
    if (end == 'G')
        scene->seq[false] += MISSING;
    /* the client has had all */
    struct segment ack = scene_segment(scene, true, 0);
    scene->connection = analysis_take(scene->analysis, &ack);
    analysis_read(scene->analysis, &ack);
    struct segment segment = scene_segment(scene, false, 0);
    segment.flags = SEGMENT_ACK | (end == 'R' ? SEGMENT_RST : SEGMENT_FIN);
    analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
}

static void
test_end(const void *data)
{
    const size_t i = GPOINTER_TO_SIZE(data);
    struct scene scene;
    GString *text = g_string_new("");
    scene_open(&scene, 80, 1000);
    scene_send(&scene, true, cases[i].asked, cases[i].asked_bytes, cases[i].asked_bytes);
    scene_send(&scene, false, cases[i].said, cases[i].said_bytes, cases[i].said_bytes);
    if (*cases[i].ends)
        send_end(&scene, *cases[i].ends);
    analysis_end(scene.analysis);
    for (uint32_t k = 0; k < scene.connection->n_requests; k++) {
        const struct request *request = scene.connection->requests[k];
        const enum outcome outcome = request_outcome(&scene.analysis->requests, request);
        g_string_append_printf(text, "%s%s", k ? ", " : "", outcome_name(outcome));
        g_assert_cmpint(request_has_error(request), ==, outcome == OUTCOME_TRUNCATED);
    }
    g_assert_cmpstr(text->str, ==, cases[i].expected);
    g_string_free(text, TRUE);
    scene_close(&scene);
}

static struct connection *
take_between(struct scene *scene, uint16_t client_port, uint8_t flags, int64_t time_ns)
{
    struct segment segment = scene_segment(scene, true, 0);
    segment.source.port = client_port;
    segment.flags = flags;
    segment.time_ns = time_ns;
    struct connection *over = analysis_end_next(scene->analysis, &segment);
    analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
    return over;
}

/* What waited for bytes that are missing is known 120 s after the connection's last segment, whatever else is open, or
 * is kept of what is open, and the connection is not found any more. */
static void
test_over(const void *data)
{
    enum { ANOTHER = 2000, YET_ANOTHER = 2001 };
    const int64_t step_ns = 1000000;
    struct scene scene;
    unsigned count;
    scene_open(&scene, 80, step_ns);
    scene.analysis->sheds_open = GPOINTER_TO_INT(data);
    g_assert_null(take_between(&scene, ANOTHER, SEGMENT_SYN, 2000 * step_ns));
    scene_say(&scene, true, "GET /1 HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab");
    scene.seq[true] += MISSING;
    scene_say(&scene, true, "GET /2 HTTP/1.1\r\n\r\n");
    struct connection *connection = scene.connection;
    g_assert_cmpuint(connection->n_requests, ==, 1);
    struct segment end = scene_segment(&scene, true, 0);
    end.flags = SEGMENT_ACK | SEGMENT_FIN;
    analysis_take(scene.analysis, &end);
    analysis_read(scene.analysis, &end);
    end = scene_segment(&scene, false, 0);
    end.ack -= MISSING;
    end.flags = SEGMENT_ACK | SEGMENT_FIN;
    analysis_take(scene.analysis, &end);
    analysis_read(scene.analysis, &end);
    g_assert_true(connection_has_ended(connection));
    const int64_t over_ns = end.time_ns + CONNECTION_LINGERS_NS;
    g_assert_null(take_between(&scene, YET_ANOTHER, SEGMENT_SYN, over_ns - 1));
    g_assert_cmpuint(connection->n_requests, ==, 1);
    g_assert_true(take_between(&scene, YET_ANOTHER, SEGMENT_ACK, over_ns) == connection);
    g_assert_cmpuint(connection->n_requests, ==, 2);
    g_assert_nonnull(items_late(scene.analysis->items, &count));
    items_told(scene.analysis->items);
    g_assert_null(items_late(scene.analysis->items, &count));
    g_assert_null(connection_find(scene.analysis->connections, &end.source, &end.destination, false));
    scene_close(&scene);
}

/* Of more connections that have ended than are kept, the one that was quiet longest is over. */
static void
test_over_many(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1);
    struct segment segment = scene_segment(&scene, true, 0);
    struct connection *first = NULL;
    for (uint32_t i = 0; i <= ANALYSIS_ENDED_MOST + 1; i++) {
        segment.source.port = (uint16_t)(1024 + i % 32768);
        segment.destination.port = (uint16_t)(80 + i / 32768);
        segment.frame++;
        segment.flags = SEGMENT_SYN;
        struct connection *over = analysis_end_next(scene.analysis, &segment);
        g_assert_true(over == (i > ANALYSIS_ENDED_MOST ? first : NULL));
        struct connection *connection = analysis_take(scene.analysis, &segment);
        first = first ? first : connection;
        segment.frame++;
        segment.seq++;
        segment.flags = SEGMENT_ACK | SEGMENT_RST;
        analysis_take(scene.analysis, &segment);
        segment.seq--;
    }
    scene_close(&scene);
}

void
ends_tests_add(void)
{
    g_test_add_func("/ends/over-many", test_over_many);
    g_test_add_data_func("/ends/over", GINT_TO_POINTER(false), test_over);
    g_test_add_data_func("/ends/over-shedding", GINT_TO_POINTER(true), test_over);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *path = g_strdup_printf("/ends/%s", cases[i].name);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_end);
        g_free(path);
    }
}
