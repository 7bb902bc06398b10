/* test-bounds.c
 * The bounds of docs/bounds-internal.md that no other test reaches.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/protocol/opening.h"
#include "core/protocol/reading_parts.h"
#include "core/tcp/stream.h"
#include "scene.h"
#include "unit.h"

#define PING "*1\r\n$4\r\nPING\r\n"
#define PONG "+PONG\r\n"

enum { MS = 1000000, PIECE = 60000 };

static void
open_scene(struct scene *scene, int64_t step_ns)
{
    scene_open(scene, 80, step_ns);
    items_set_keep(scene->analysis->items, false);
}

/* Of the client, on a connection of this port; nobody acknowledges it. */
static void
send_piece(struct scene *scene, uint16_t port)
{
    static const uint8_t bytes[PIECE];
    struct segment segment = scene_segment(scene, true, sizeof bytes);
    segment.source.port = port;
    segment.payload = bytes;
    segment.captured_bytes = sizeof bytes;
    scene->connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
}

/* The first segment, and a hole. */
static void
begin_hole(struct scene *scene, uint16_t port)
{
    send_piece(scene, port);
    scene->seq[true] += PIECE;
}

/* No duplicate of the one before. */
static void
acknowledge(struct scene *scene)
{
    struct segment segment = scene_segment(scene, false, 0);
    segment.ip_id = (uint16_t)segment.frame;
    analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
}

/* A hole that the receiver has acknowledged just now. */
static void
begin_acknowledged_hole(struct scene *scene)
{
    send_piece(scene, 1000);
    acknowledge(scene);
    scene->seq[true] += PIECE;
    send_piece(scene, 1000);
    acknowledge(scene);
}

static void
test_held(void)
{
    struct scene scene;
    unsigned held = 0;
    open_scene(&scene, 1000);
    begin_hole(&scene, 1000);
    do {
        send_piece(&scene, 1000);
        held++;
    } while (stream_is_waiting(scene.connection) && held * PIECE <= 2 * STREAM_HELD_BYTES);
    g_assert_cmpuint(held, ==, STREAM_HELD_BYTES / PIECE + 1);
    scene_close(&scene);
}

/* What has waited longest goes on. */
static void
test_held_in_all(void)
{
    enum { PIECES = STREAM_HELD_BYTES / PIECE - 1, CONNECTIONS = STREAMS_HELD_BYTES / (PIECES * PIECE) + 1 };
    struct scene scene;
    struct connection *first = NULL;
    open_scene(&scene, 10);
    for (uint16_t i = 0; i < CONNECTIONS; i++) {
        begin_hole(&scene, 1000 + i);
        for (unsigned k = 0; k < PIECES; k++)
            send_piece(&scene, 1000 + i);
        first = first ? first : scene.connection;
        g_assert_true(stream_is_waiting(scene.connection));
        g_assert_true(stream_is_waiting(first) == (i + 1 < CONNECTIONS));
    }
    scene_close(&scene);
}

/* For 300 ms, or 64 segments, after the receiver has acknowledged it. */
static void
test_waiting(void)
{
    struct scene scene;
    open_scene(&scene, MS);
    begin_acknowledged_hole(&scene);
    scene.frame += STREAM_WAIT_NS / MS - 2;
    acknowledge(&scene);
    g_assert_true(stream_is_waiting(scene.connection));
    acknowledge(&scene);
    g_assert_false(stream_is_waiting(scene.connection));
    scene_close(&scene);
    open_scene(&scene, 1000);
    begin_acknowledged_hole(&scene);
    for (unsigned i = 1; i < STREAM_WAIT_SEGMENTS; i++)
        acknowledge(&scene);
    g_assert_true(stream_is_waiting(scene.connection));
    acknowledge(&scene);
    g_assert_false(stream_is_waiting(scene.connection));
    scene_close(&scene);
}

/* Answers, after some were lost, of which nobody knows whose they are: the oldest are given up. */
static void
test_undecided(void)
{
    enum { MOST = 1024, ASKED = 3000 };
    struct scene scene;
    uint64_t most = 0;
    open_scene(&scene, 1000);
    for (unsigned i = 0; i < ASKED; i++)
        scene_say(&scene, true, PING);
    scene_say(&scene, false, PONG);
    scene.seq[false] += 100 * (sizeof PONG - 1);
    scene_say(&scene, false, PONG);
    scene_give_up(&scene);
    for (unsigned i = 0; i < ASKED / 2; i++) {
        scene_say(&scene, false, PONG);
        most = MAX(most, scene.connection->tcp->reading->undecided);
    }
    g_assert_cmpuint(most, ==, MOST);
    scene_close(&scene);
}

/* A line of which all segments are a part. */
static void
test_line(void)
{
    struct scene scene;
    char part[1000];
    memset(part, 'a', sizeof part);
    open_scene(&scene, 1000);
    scene_say(&scene, true, "GET /first HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "HTTP/1.1 204 OK\r\n\r\n");
    scene_say(&scene, true, "GET /");
    scene_say(&scene, true, "begin");
    for (unsigned i = 0; i < 200; i++) {
        scene_send(&scene, true, part, sizeof part, sizeof part);
        g_assert_cmpuint(scene.connection->tcp->reading->flow[true].unit_bytes, <=, UNIT_BYTES);
    }
    scene_say(&scene, true, " HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "HTTP/1.1 204 OK\r\n\r\n");
    g_assert_cmpuint(scene.connection->n_requests, ==, 2);
    g_assert_cmpstr(scene.connection->requests[1]->response.status, ==, "204");
    scene_close(&scene);
}

/* Says it on a connection of this client's port. */
static void
say_at(struct scene *scene, uint16_t port, bool from_client, const uint8_t *bytes, size_t n)
{
    struct segment segment = scene_segment(scene, from_client, n);
    *(from_client ? &segment.source : &segment.destination) =
        (struct endpoint){ .address = { 10, 0, 0, 1 }, .port = port };
    segment.payload = bytes;
    segment.captured_bytes = (uint32_t)n;
    scene->connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
}

/* Says what only looks like memcached. */
static void
ask_memcached(struct scene *scene, uint16_t port, size_t bytes)
{
    uint8_t *said = g_malloc(bytes);
    memset(said, 'k', bytes);
    memcpy(said, "get ", strlen("get "));
    memcpy(said + bytes - 2, "\r\n", 2);
    for (size_t at = 100; at + 2 < bytes; at += 100)
        said[at] = ' ';
    say_at(scene, port, true, said, bytes);
    g_free(said);
}

/* On as many connections as these, each from its beginning, and nobody answers. */
static void
ask_on_each(struct scene *scene, struct connection **connections, unsigned n, uint16_t first_port, size_t bytes)
{
    for (unsigned i = 0; i < n; i++) {
        scene->seq[true] = 0;
        ask_memcached(scene, (uint16_t)(first_port + i), bytes);
        connections[i] = scene->connection;
    }
}

/* Returns of how many connections, which are the last ones, what they have said is kept. */
static unsigned
count_kept(struct connection *const *connections, unsigned n)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
        kept += connections[i]->n_requests == 0;
        g_assert_true(kept == 0 || connections[i]->n_requests == 0);
    }
    return kept;
}

static void
get_from_memcached(struct scene *scene, uint16_t port)
{
    static const char get[] = "get k\r\n", value[] = "VALUE k 0 1\r\nv\r\nEND\r\n";
    say_at(scene, port, true, (const uint8_t *)get, strlen(get));
    say_at(scene, port, false, (const uint8_t *)value, strlen(value));
    g_assert_cmpint(scene->connection->exchanges.protocol, ==, PROTOCOL_MEMCACHED);
}

/* What nobody answers is kept of as many connections as there is room for. The oldest then goes by turns, and what
 * comes later is recognised, also on its connection. */
static void
test_openings(void)
{
    enum { KEPT_BYTES = 60000, CONNECTIONS = 400, FIRST = 1000 };
    static const char error[] = "ERROR\r\n";
    struct scene scene;
    struct connection *connections[CONNECTIONS];
    open_scene(&scene, MS);
    ask_on_each(&scene, connections, CONNECTIONS, FIRST, KEPT_BYTES);
    const unsigned kept = count_kept(connections, CONNECTIONS);
    g_assert_cmpuint(kept, >, OPENINGS_MOST / (KEPT_BYTES + 1000));
    g_assert_cmpuint(kept, <=, OPENINGS_MOST / KEPT_BYTES);
    say_at(&scene, FIRST, false, (const uint8_t *)error, strlen(error));
    g_assert_cmpint(connections[0]->exchanges.protocol, ==, PROTOCOL_TURNS);
    g_assert_cmpuint(connections[0]->requests[0]->response.first_frame, ==, scene.frame);
    get_from_memcached(&scene, FIRST);
    scene.seq[true] = scene.seq[false] = 0;
    get_from_memcached(&scene, FIRST + CONNECTIONS);
    scene_close(&scene);
}

/* The oldest that goes on does not do so at the others' cost. */
static void
test_openings_oldest(void)
{
    enum { KEPT_BYTES = 8000, CONNECTIONS = 3000, FIRST = 1000 };
    struct scene scene;
    struct connection *connections[CONNECTIONS];
    open_scene(&scene, MS);
    ask_on_each(&scene, connections, CONNECTIONS, FIRST, KEPT_BYTES);
    const unsigned kept = count_kept(connections, CONNECTIONS);
    scene_close(&scene);
    g_assert_cmpuint(kept, <, CONNECTIONS);
    open_scene(&scene, MS);
    ask_on_each(&scene, connections, kept, FIRST, KEPT_BYTES);
    g_assert_cmpuint(count_kept(connections, kept), ==, kept);
    scene.seq[true] = KEPT_BYTES;
    ask_memcached(&scene, FIRST, 2 * KEPT_BYTES);
    g_assert_cmpuint(connections[0]->n_requests, ==, 1);
    g_assert_cmpuint(count_kept(connections, kept), ==, kept - 1);
    scene_close(&scene);
}

/* Fills an opening up to its bound of bytes, and of pieces: with the next piece what it has said is a turn. */
static void
test_opening(void)
{
    static const struct {
        uint16_t bytes, pieces;
    } most[] = { { 2000, OPENING_MOST / 2000 + 1 }, { 100, OPENING_PIECES + 1 } };
    for (unsigned i = 0; i < G_N_ELEMENTS(most); i++) {
        struct scene scene;
        unsigned pieces = 0;
        open_scene(&scene, MS);
        do {
            ask_memcached(&scene, most[i].bytes, most[i].bytes);
            pieces++;
        } while (scene.connection->n_requests == 0 && pieces < 1000);
        g_assert_cmpuint(pieces, ==, most[i].pieces);
        scene_close(&scene);
    }
}

/* An answer that none of the commands compared with it has may be to a later one: many are sent before one that is
 * answered. They go by turns, and what follows is memcached. */
static void
test_agreement(void)
{
    enum { VALUE_BYTES = 8000 };
    struct scene scene;
    open_scene(&scene, MS);
    scene_shake_hands(&scene);
    GString *asked = g_string_new(NULL);
    for (unsigned i = 0; i < AGREEMENT_TRIES; i++)
        g_string_append(asked, "delete k noreply\r\n");
    scene_say(&scene, true, g_string_append(asked, "get k\r\n")->str);
    GString *answered = g_string_new("VALUE k 0 8000\r\n");
    for (unsigned i = 0; i < VALUE_BYTES; i++)
        g_string_append_c(answered, 'v');
    g_string_append(answered, "\r\nEND\r\n");
    for (unsigned i = 0; i < OPENING_MOST / VALUE_BYTES + 2; i++) {
        scene_say(&scene, false, answered->str);
        scene_say(&scene, true, "get k\r\n");
    }
    g_assert_cmpint(scene.connection->exchanges.protocol, ==, PROTOCOL_MEMCACHED);
    g_string_free(asked, TRUE);
    g_string_free(answered, TRUE);
    scene_close(&scene);
}

void
bounds_tests_add(void)
{
    g_test_add_func("/bounds/agreement", test_agreement);
    g_test_add_func("/bounds/held", test_held);
    g_test_add_func("/bounds/openings", test_openings);
    g_test_add_func("/bounds/openings-oldest", test_openings_oldest);
    g_test_add_func("/bounds/opening", test_opening);
    g_test_add_func("/bounds/held-in-all", test_held_in_all);
    g_test_add_func("/bounds/waiting", test_waiting);
    g_test_add_func("/bounds/undecided", test_undecided);
    g_test_add_func("/bounds/line", test_line);
}
