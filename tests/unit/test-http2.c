/* test-http2.c
 * HTTP/2: its requests, however segments cut them; what is known from the middle of a connection, and after a gap.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/analysis.h"
#include "core/request/exchanges.h"
#include "http2-talk.h"
#include "scene.h"
#include "unit.h"

#define PURGE ":method PURGE, :path /x, :scheme http"
#define MKCOL ":method MKCOL, :path /x, :scheme http"
#define GRPC  ":method POST, :scheme http, :path /pkg.Service/Method, :authority h, content-type application/grpc"

static void
send_part(struct scene *scene, const struct talk *talk, bool from_client, size_t from, size_t to)
{
    if (to > from)
        scene_send(scene, from_client, (const char *)talk->said[from_client]->data + from, to - from, to - from);
}

static void
send_all(struct scene *scene, const struct talk *talk, bool from_client)
{
    send_part(scene, talk, from_client, 0, talk->said[from_client]->len);
}

/* Both have greeted, and one request has been answered. */
static void
open_talk(struct talk *talk, struct scene *scene)
{
    scene_open(scene, 80, 1000);
    talk_open(talk);
    talk_greet(talk);
    talk_get(talk, 1, "/");
    talk_fields(talk, false, 0, 1, ":status 200, server x");
    talk_data(talk, false, 1, "ab", true);
    send_all(scene, talk, true);
    send_all(scene, talk, false);
    talk_turn(talk);
}

/* Requests whose frames stand between each other's, and all that is no request. */
static void
ask(struct talk *talk)
{
    talk_frame(talk, true, HTTP2_SETTINGS, HTTP2_ACK, 0, NULL, 0);
    talk_long_fields(talk, true, 0, 3,
                     ":method POST, :scheme http, :path /p?q, :authority h, x-long yyyyyyyyyyyyyyyyyy");
    talk_get(talk, 5, "/5");
    talk_data(talk, true, 3, "1234", false);
    talk_frame(talk, true, HTTP2_PING, 0, 0, "12345678", 8);
    talk_number(talk, true, HTTP2_WINDOW_UPDATE, 0, 256);
    talk_frame(talk, true, HTTP2_PRIORITY, 0, 3, "\0\0\0\0\1", 5);
    talk_fields(talk, true, 0, 7, GRPC);
    talk_frame(talk, true, HTTP2_DATA, HTTP2_END_STREAM | HTTP2_PADDED, 3,
               "\3"
               "567"
               "\0\0\0",
               7);
    talk_frame(talk, true, HTTP2_DATA, 0, 7,
               "\0\0\0\0\3"
               "abc"
               "\0\0",
               10);
    talk_frame(talk, true, HTTP2_DATA, 0, 7, "\0\0\0\0\0\0\0\0\2", 9);
    talk_data(talk, true, 7, "de", true);
    talk_get(talk, 9, "/9");
    talk_number(talk, true, HTTP2_RST_STREAM, 9, 8);
    for (uint32_t id = 11; id <= 17; id += 2)
        talk_get(talk, id, "/last");
}

static void
answer(struct talk *talk)
{
    talk_fields(talk, false, 0, 5, ":status 103, link x");
    talk_fields(talk, false, 0, 3, ":status 404, server x");
    talk_fields(talk, false, 0, 5, ":status 200, server x");
    talk_frame(talk, false, HTTP2_PING, HTTP2_ACK, 0, "12345678", 8);
    talk_data(talk, false, 5, "five", false);
    talk_promise(talk, 5, 2, "/style");
    talk_frame(talk, false, HTTP2_DATA, HTTP2_END_STREAM | HTTP2_PADDED, 3,
               "\4"
               "no"
               "\0\0\0\0",
               7);
    talk_fields(talk, false, 0, 7, ":status 200, content-type application/grpc");
    talk_data(talk, false, 5, "", true);
    talk_frame(talk, false, HTTP2_DATA, 0, 7, "\0\0\0\0\1x", 6);
    talk_fields(talk, false, 0, 2, ":status 200");
    talk_fields(talk, false, HTTP2_END_STREAM, 7, "grpc-status 5, grpc-message none");
    talk_data(talk, false, 2, "style", true);
    talk_number(talk, false, HTTP2_RST_STREAM, 11, 2);
    talk_frame(talk, false, 10, 0, 0, "extension", 9);
    talk_number(talk, false, HTTP2_RST_STREAM, 13, HTTP2_REFUSED);
    talk_number(talk, false, HTTP2_GOAWAY, 0, 15);
    talk_fields(talk, false, HTTP2_END_STREAM, 15, ":status 500");
}

static const char expected[] =
    "GET / 15/24 200, POST /p?q 98/27 404!, GET /5 16/33 200, /pkg.Service/Method 89/74 NOT_FOUND! stream, "
    "GET /9 16 -, "
    "GET /last 18/13 INTERNAL_ERROR!, GET /last 18 -, GET /last 18/10 500!, GET /last 18 -, PUSH GET /style 25/24 200";

static void
check_requests(const struct scene *scene)
{
    static const enum outcome outcomes[] = { OUTCOME_ANSWERED, OUTCOME_ANSWERED, OUTCOME_ANSWERED, OUTCOME_ANSWERED,
                                             OUTCOME_RESET,    OUTCOME_ANSWERED, OUTCOME_REFUSED,  OUTCOME_ANSWERED,
                                             OUTCOME_REFUSED,  OUTCOME_ANSWERED };
    struct request *const *requests = scene->connection->requests;
    g_assert_cmpint(scene->connection->n_requests, ==, G_N_ELEMENTS(outcomes));
    for (unsigned i = 0; i < G_N_ELEMENTS(outcomes); i++) {
        g_assert_cmpint(request_outcome(&scene->analysis->requests, requests[i]), ==, outcomes[i]);
        g_assert_cmpint(requests[i]->protocol, ==, PROTOCOL_HTTP2);
        g_assert_false(requests[i]->open);
    }
    g_assert_cmpint(requests[3]->parts.content[true], ==, 3);
    g_assert_cmpint(requests[3]->parts.content[false], ==, 1);
    g_assert_cmpint(requests[1]->parts.content[true], ==, 0);
    g_assert_true(requests[9]->is_pushed);
}

static void
test_cuts(void)
{
    size_t asked = 1, answered = 1;
    for (size_t cut = 0; cut < asked + answered; cut++) {
        struct talk talk;
        struct scene scene;
        open_talk(&talk, &scene);
        ask(&talk);
        answer(&talk);
        asked = talk.said[true]->len;
        answered = talk.said[false]->len;
        size_t first = MIN(cut, asked), second = cut > asked ? cut - asked : 0;
        send_part(&scene, &talk, true, 0, first);
        send_part(&scene, &talk, true, first, asked);
        send_part(&scene, &talk, false, 0, second);
        send_part(&scene, &talk, false, second, answered);
        g_test_message("cut at %zu", cut);
        talk_close(&talk);
        check_requests(&scene);
        scene_check(&scene, expected);
    }
}

static void
test_bytes(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    ask(&talk);
    answer(&talk);
    for (unsigned side = 2; side-- > 0;)
        for (size_t i = 0; i < talk.said[side]->len; i++)
            send_part(&scene, &talk, side, i, i + 1);
    talk_close(&talk);
    check_requests(&scene);
    scene_check(&scene, expected);
}

/* From the middle on the tables are not known: streams are paired all the same, and named where nothing earlier is
 * referred to. */
static void
test_middle(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    talk_fields(&talk, true, HTTP2_END_STREAM, 3, PURGE);
    talk_turn(&talk);
    scene_close(&scene);
    scene_open(&scene, 80, 1000);
    talk_fields(&talk, true, HTTP2_END_STREAM, 5, PURGE);
    talk_get(&talk, 7, "/new");
    talk_fields(&talk, true, HTTP2_END_STREAM, 9, GRPC);
    talk_fields(&talk, true, HTTP2_END_STREAM, 11, MKCOL);
    talk_fields(&talk, true, HTTP2_END_STREAM, 13, MKCOL);
    talk_fields(&talk, true, HTTP2_END_STREAM, 15, PURGE);
    talk_fields(&talk, false, HTTP2_END_STREAM, 5, ":status 200, server x");
    talk_fields(&talk, false, HTTP2_END_STREAM, 9, ":status 200, content-type application/grpc, grpc-status 0");
    talk_fields(&talk, false, HTTP2_END_STREAM, 7, ":status 418, server x");
    talk_fields(&talk, false, HTTP2_END_STREAM, 11, ":status 418, server x");
    send_all(&scene, &talk, true);
    send_all(&scene, &talk, false);
    talk_close(&talk);
    g_assert_cmpint(scene.connection->exchanges.protocol, ==, PROTOCOL_HTTP2);
    scene_check(
        &scene,
        " 15/11 200, GET /new 17/15 418!, /pkg.Service/Method 41/35 OK, MKCOL /x 21/11 418!, MKCOL /x 15 -,  15 -");
}

/* Whole frames are missing of the server: an answer whose beginning is among them is lost, others are found. */
static void
test_gap(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    for (uint32_t id = 3; id <= 9; id += 2)
        talk_get(&talk, id, "/x");
    send_all(&scene, &talk, true);
    talk_turn(&talk);
    talk_fields(&talk, false, 0, 3, ":status 200, server x");
    send_all(&scene, &talk, false);
    talk_turn(&talk);
    talk_data(&talk, false, 3, "missing", false);
    talk_fields(&talk, false, 0, 5, ":status 418, server new");
    scene.seq[false] += talk.said[false]->len;
    talk_turn(&talk);
    talk_data(&talk, false, 3, "three", true);
    talk_data(&talk, false, 5, "five", true);
    talk_fields(&talk, false, HTTP2_END_STREAM, 7, ":status 418, server new"); /* or what follows the content? */
    talk_fields(&talk, false, HTTP2_END_STREAM, 9, ":status 404");
    send_all(&scene, &talk, false);
    talk_close(&talk);
    scene_give_up(&scene);
    scene_check(&scene, "GET / 15/24 200, GET /x 16/25 200, GET /x 16 lost, GET /x 16 lost, GET /x 16/10 404!");
}

/* Of content that is missing the length is known: nothing is lost with it. */
static void
test_gap_in_content(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    talk_get(&talk, 3, "/x");
    talk_fields(&talk, false, 0, 3, ":status 200, server new");
    talk_data(&talk, false, 3, "1234567890", false);
    send_all(&scene, &talk, true);
    const size_t said = talk.said[false]->len;
    send_part(&scene, &talk, false, 0, said - 6);
    scene.seq[false] += 4;
    send_part(&scene, &talk, false, said - 2, said);
    talk_turn(&talk);
    talk_fields(&talk, false, HTTP2_END_STREAM, 3, "server new");
    send_all(&scene, &talk, false);
    talk_close(&talk);
    scene_give_up(&scene);
    g_assert_true(scene.connection->requests[1]->has_answered);
    scene_check(&scene, "GET / 15/24 200, GET /x 16/40 200");
}

/* A response whose fields lack their last byte ends with those that are there, not with what comes behind the gap. */
static void
test_gap_in_fields(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    talk_get(&talk, 3, "/x");
    talk_fields(&talk, false, 0, 3, ":status 200, server new");
    send_all(&scene, &talk, true);
    const size_t said = talk.said[false]->len;
    send_part(&scene, &talk, false, 0, said - 1);
    const uint32_t frame = scene.frame;
    scene.seq[false] += 20;
    talk_turn(&talk);
    talk_frame(&talk, false, HTTP2_PING, HTTP2_ACK, 0, "12345678", 8);
    send_all(&scene, &talk, false);
    talk_close(&talk);
    scene_give_up(&scene);
    g_assert_cmpuint(scene.connection->requests[1]->response.first_frame, ==, frame);
    g_assert_cmpuint(scene.connection->requests[1]->response.last_frame, ==, frame);
    scene_close(&scene);
}

/* The server may greet before it has the client's preface, RFC 9113 §3.4: that does not answer its first bytes. */
static void
test_greeting_within_preface(void)
{
    enum { FIRST = 7 };
    struct talk talk;
    struct scene scene;
    scene_open(&scene, 80, 1000);
    talk_open(&talk);
    talk_greet(&talk);
    talk_get(&talk, 1, "/");
    send_part(&scene, &talk, true, 0, FIRST);
    scene.seq[true] -= FIRST;
    send_all(&scene, &talk, false);
    scene.seq[true] += FIRST;
    send_part(&scene, &talk, true, FIRST, talk.said[true]->len);
    talk_turn(&talk);
    talk_fields(&talk, false, HTTP2_END_STREAM, 1, ":status 200, server x");
    send_all(&scene, &talk, false);
    talk_close(&talk);
    g_assert_cmpuint(scene.connection->n_requests, ==, 1);
    g_assert_cmpuint(scene.connection->requests[0]->response.first_frame, ==, scene.frame);
    scene_close(&scene);
}

/* The greeting and the first request cross on their way: answers begin behind the greeting, if that was whole. */
static void
test_greeting_crosses(void)
{
    for (unsigned missing = 0; missing <= 1; missing++) {
        struct talk talk;
        struct scene scene;
        scene_open(&scene, 80, 1000);
        talk_open(&talk);
        scene_shake_hands(&scene);
        talk_greet(&talk);
        talk_get(&talk, 1, "/");
        const uint32_t greeting = talk.said[false]->len - missing;
        send_part(&scene, &talk, false, 0, greeting);
        scene.seq[false] -= greeting;
        send_all(&scene, &talk, true);
        scene.seq[false] += greeting;
        const size_t cut = talk.said[false]->len + HTTP2_FRAME_BYTES - 1;
        talk_fields(&talk, false, HTTP2_END_STREAM, 1, ":status 200, server x");
        send_part(&scene, &talk, false, greeting, cut);
        send_part(&scene, &talk, false, cut, talk.said[false]->len);
        talk_close(&talk);
        scene_check(&scene, missing ? "GET / 15 lost" : "GET / 15/13 200");
    }
}

/* The snap length leaves the frames' headers alone. */
static void
test_snap(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    talk_fields(&talk, true, HTTP2_END_STREAM, 3, GRPC);
    scene_send(&scene, true, (const char *)talk.said[true]->data, talk.said[true]->len, 20);
    talk_turn(&talk);
    talk_get(&talk, 5, "/x");
    send_all(&scene, &talk, true);
    talk_fields(&talk, false, 0, 3, ":status 200, server new");
    send_all(&scene, &talk, false);
    talk_turn(&talk);
    talk_data(&talk, false, 3, "12345678901234567890", true);
    scene_send(&scene, false, (const char *)talk.said[false]->data, talk.said[false]->len, 15);
    talk_turn(&talk);
    talk_fields(&talk, false, HTTP2_END_STREAM, 5, ":status 404");
    send_all(&scene, &talk, false);
    talk_close(&talk);
    g_assert_true(scene.connection->requests[1]->cut);
    g_assert_false(scene.connection->requests[2]->cut);
    scene_check(&scene, "GET / 15/24 200,  41/44 , GET /x 16/10 404!");
}

/* Of the frames in a segment the first one's header is there: also where CONTINUATION's is cut, as the first time. */
static void
test_snap_within(void)
{
    enum { SEEN = 30, SEEN_FURTHER = 40 };
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    for (uint32_t id = 3; id <= 9; id += 2) {
        const bool is_long = id == 3 || id == 9;
        char *fields =
            g_strdup_printf(":method GET, :scheme http, :path /, x-long%u yyyyyyyyyyyyyyyyyyyyyyyyyyyyy", id);
        (is_long ? talk_long_fields : talk_fields)(&talk, true, HTTP2_END_STREAM, id, fields);
        g_free(fields);
        talk_get(&talk, id + 20, "/hidden");
        scene_send(&scene, true, (const char *)talk.said[true]->data, talk.said[true]->len,
                   id == 9 ? SEEN_FURTHER : SEEN);
        talk_turn(&talk);
    }
    for (uint32_t id = 9; id >= 3; id -= 2)
        talk_fields(&talk, false, HTTP2_END_STREAM, id, ":status 200");
    send_all(&scene, &talk, false);
    talk_close(&talk);
    for (unsigned i = 1; i <= 4; i++)
        g_assert_true(scene.connection->requests[i]->cut);
    scene_check(&scene, "GET / 15/24 200, GET / 30/10 200, GET / 47/10 200, GET / 47/10 200, GET / 60/10 200");
}

static void
take_fin(struct scene *scene)
{
    struct segment fin = scene_segment(scene, false, 0);
    fin.flags = SEGMENT_ACK | SEGMENT_FIN;
    analysis_take(scene->analysis, &fin);
    analysis_read(scene->analysis, &fin);
}

/* What ends an answer may be in what the snap length has cut: of the first one DATA's header is. */
static void
test_snap_end(void)
{
    enum { SEEN = 14 };
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    talk_get(&talk, 3, "/x");
    talk_get(&talk, 5, "/y");
    send_all(&scene, &talk, true);
    talk_fields(&talk, false, 0, 3, ":status 200");
    talk_data(&talk, false, 3, "12345678901234567890", true);
    scene_send(&scene, false, (const char *)talk.said[false]->data, talk.said[false]->len, SEEN);
    talk_turn(&talk);
    talk_fields(&talk, false, 0, 5, ":status 200");
    send_all(&scene, &talk, false);
    talk_close(&talk);
    take_fin(&scene);
    g_assert_false(scene.connection->requests[1]->ending == ENDING_TRUNCATED);
    g_assert_true(scene.connection->requests[2]->ending == ENDING_TRUNCATED);
    scene_check(&scene, "GET / 15/24 200, GET /x 16/10 200, GET /y 16/10 200");
}

/* A server that ends within an answer truncates it. */
static void
test_truncated(void)
{
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    talk_get(&talk, 3, "/x");
    talk_get(&talk, 5, "/y");
    talk_fields(&talk, false, 0, 3, ":status 200");
    talk_fields(&talk, false, HTTP2_END_STREAM, 5, ":status 204");
    send_all(&scene, &talk, true);
    send_all(&scene, &talk, false);
    talk_close(&talk);
    take_fin(&scene);
    g_assert_true(scene.connection->requests[1]->ending == ENDING_TRUNCATED);
    g_assert_false(scene.connection->requests[2]->ending == ENDING_TRUNCATED);
    scene_check(&scene, "GET / 15/24 200, GET /x 16/10 200, GET /y 16/10 204");
}

/* Upgrade: the request of HTTP/1.1 is stream 1. */
static void
test_upgrade(void)
{
    struct talk talk;
    struct scene scene;
    scene_open(&scene, 80, 1000);
    talk_open(&talk);
    scene_say(&scene, true, "GET /up HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n");
    scene_say(&scene, false, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
    talk_greet(&talk);
    talk_fields(&talk, false, 0, 1, ":status 200");
    send_all(&scene, &talk, true);
    send_all(&scene, &talk, false);
    talk_turn(&talk);
    talk_get(&talk, 3, "/x");
    talk_data(&talk, false, 1, "up", true);
    talk_fields(&talk, false, HTTP2_END_STREAM, 3, ":status 404");
    send_all(&scene, &talk, true);
    send_all(&scene, &talk, false);
    talk_close(&talk);
    g_assert_cmpint(scene.connection->requests[0]->protocol, ==, PROTOCOL_HTTP);
    g_assert_cmpint(scene.connection->requests[1]->protocol, ==, PROTOCOL_HTTP2);
    scene_check(&scene, "GET /up 71/21 200, GET /x 18/10 404!");
}

/* Likewise where the server goes on with frames without a word. */
static void
test_upgrade_without_switching(void)
{
    struct talk talk;
    struct scene scene;
    scene_open(&scene, 80, 1000);
    talk_open(&talk);
    scene_say(&scene, true, "GET /up HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nupgrade: x, H2C\r\n\r\n");
    talk_greet(&talk);
    talk_fields(&talk, false, HTTP2_END_STREAM, 1, ":status 200");
    send_all(&scene, &talk, false);
    send_all(&scene, &talk, true);
    talk_turn(&talk);
    talk_get(&talk, 3, "/x");
    talk_fields(&talk, false, HTTP2_END_STREAM, 3, ":status 404");
    send_all(&scene, &talk, true);
    send_all(&scene, &talk, false);
    talk_close(&talk);
    scene_check(&scene, "GET /up 74/10 200, GET /x 18/10 404!");
}

/* More than are kept: the oldest are given up. */
static void
test_many(void)
{
    enum { STREAMS_MOST = 4096, MORE = 3 };
    struct talk talk;
    struct scene scene;
    open_talk(&talk, &scene);
    for (uint32_t i = 0; i < STREAMS_MOST + MORE; i++) {
        talk_turn(&talk);
        talk_get(&talk, 3 + 2 * i, "/x");
        send_all(&scene, &talk, true);
    }
    talk_close(&talk);
    for (unsigned i = 0; i < STREAMS_MOST + MORE; i++)
        g_assert_cmpint(scene.connection->requests[1 + i]->ending == ENDING_LOST, ==, i < MORE);
    scene_close(&scene);
}

/* A client's table of fields may have 65 536 bytes: what refers to a larger one is not known. */
static void
test_table(void)
{
    /* RFC 7541: the table's size changes (§6.3); GET, http, and /a, which is added (§6.2.1); then /a by its number */
    static const char sizes[][5] = { "\x3f\xe1\xff\x03", "\x3f\xe2\xff\x03" };
    static const char adds[] = "\x82\x86\x44\x02/a", refers[] = "\x82\x86\xbe";
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct talk talk;
        struct scene scene;
        open_talk(&talk, &scene);
        char *first = g_strconcat(sizes[i], adds, NULL);
        talk_frame(&talk, true, HTTP2_HEADERS, HTTP2_END_HEADERS | HTTP2_END_STREAM, 3, first, strlen(first));
        talk_frame(&talk, true, HTTP2_HEADERS, HTTP2_END_HEADERS | HTTP2_END_STREAM, 5, refers, strlen(refers));
        send_all(&scene, &talk, true);
        g_free(first);
        talk_close(&talk);
        for (unsigned request = 1; request <= 2; request++)
            g_assert_cmpstr(scene.connection->requests[request]->operation, ==, i == 0 ? "GET /a" : "");
        scene_close(&scene);
    }
}

/* Bytes that are no HTTP/2, but begin with zeros and small numbers. */
static void
test_others(void)
{
    static const struct {
        const char *bytes;
        size_t length;
    } others[] = {
        { "\0\0\0\0\0\0\0\15\0\0\0\0\0\0\0\0", 16 },          /* Channel Access */
        { "\0\0\0\57\0\1\0\13\0\0\0\5\0\6client", 20 },       /* Kafka */
        { "\0\35\0\1\1\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\1", 21 }, /* DNS over TCP */
        { "\0\0\0\10\4\322\26\57", 8 },                       /* PostgreSQL's SSLRequest */
        { "\0\0\4\1\0\0\0\0\3\0\0\0\0\0\0\0", 16 },           /* HEADERS that go on nowhere */
        { "\0\0\4\10\0\0\0\0\0\0\0\0\0", 13 },                /* WINDOW_UPDATE by nothing */
        { "\0\0\4\10\0\0\0\0\0\0\0\1\0xxxxxxxxx", 22 },       /* and what is no frame */
        { "\0\0\10\0\0\0\0\0\1abcdefgh", 17 },                /* DATA alone may be anything */
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
        struct scene scene;
        scene_open(&scene, 80, 1000);
        scene_send(&scene, true, others[i].bytes, others[i].length, others[i].length);
        g_assert_false(scene.connection->session == SESSION_MESSAGES &&
                       scene.connection->exchanges.protocol == PROTOCOL_HTTP2);
        scene_close(&scene);
    }
}

/* A server that does not speak it. */
static void
test_refused(void)
{
    struct talk talk;
    struct scene scene;
    scene_open(&scene, 80, 1000);
    talk_open(&talk);
    talk_greet(&talk);
    send_all(&scene, &talk, true);
    talk_close(&talk);
    scene_say(&scene, false, "HTTP/1.1 400 Bad Request\r\n\r\n");
    g_assert_true(scene.connection->session != SESSION_MESSAGES);
    scene_close(&scene);
}

/* What a client says who wants no more: all that it awaited is there (curl), a call that watches (gRPC), nothing has
 * come, the server has said that it failed, and all had been said. */
static void
test_cancelled(void)
{
    static const char cancelled[] =
        "GET /length 21/25 200, /pkg.Service/Method 41/38 , GET / 13 -, GET / 13/10 500!, GET / 13/24 200";
    static const enum outcome outcomes[] = { OUTCOME_CANCELLED, OUTCOME_CANCELLED, OUTCOME_RESET, OUTCOME_CANCELLED,
                                             OUTCOME_ANSWERED };
    struct talk talk;
    struct scene scene;
    scene_open(&scene, 80, 1000);
    talk_open(&talk);
    talk_greet(&talk);
    talk_get(&talk, 1, "/length");
    talk_fields(&talk, true, 0, 3, GRPC);
    for (uint32_t id = 5; id <= 9; id += 2)
        talk_get(&talk, id, "/");
    send_all(&scene, &talk, true);
    talk_fields(&talk, false, 0, 1, ":status 200, content-length 2");
    talk_data(&talk, false, 1, "ab", false);
    talk_fields(&talk, false, 0, 3, ":status 200, content-type application/grpc");
    talk_frame(&talk, false, HTTP2_DATA, 0, 3, "\0\0\0\0\1x", 6);
    talk_fields(&talk, false, 0, 7, ":status 500");
    talk_fields(&talk, false, 0, 9, ":status 200");
    talk_data(&talk, false, 9, "whole", true);
    send_all(&scene, &talk, false);
    talk_turn(&talk);
    talk_number(&talk, true, HTTP2_RST_STREAM, 1, 5);
    for (uint32_t id = 3; id <= 9; id += 2)
        talk_number(&talk, true, HTTP2_RST_STREAM, id, 8);
    send_all(&scene, &talk, true);
    for (unsigned i = 0; i < G_N_ELEMENTS(outcomes); i++) {
        const struct request *request = scene.connection->requests[i];
        g_assert_cmpint(request_outcome(&scene.analysis->requests, request), ==, outcomes[i]);
        g_assert_cmpint(request_has_error(request), ==, request->response.status[0] == '5');
        g_assert_false(request->open);
    }
    talk_close(&talk);
    scene_check(&scene, cancelled);
}

/* Event streams, tunnels that the server opens, and calls of several messages of a side are streams; a long poll says
 * that it is one. */
static void
test_waiting(void)
{
    static const char expected_ones[] =
        "GET /events 21/44 200 stream, CONNECT a:1 23/10 200 stream, CONNECT b:1 15/14 403!, GET /poll 30/10 200 poll, "
        "GET /late 30/10 200, /pkg.Service/Method 62/38  stream, /pkg.Service/Method 44/41  stream, "
        "/pkg.Service/Method 44/26 ";
    struct talk talk;
    struct scene scene;
    scene_open(&scene, 80, 1000);
    talk_open(&talk);
    talk_greet(&talk);
    talk_get(&talk, 1, "/events");
    talk_fields(&talk, true, 0, 3, ":method CONNECT, :authority a:1");
    talk_fields(&talk, true, 0, 5, ":method CONNECT, :authority b:1");
    talk_fields(&talk, true, HTTP2_END_STREAM, 7, ":method GET, :scheme http, :path /poll, prefer wait=5");
    talk_fields(&talk, true, HTTP2_END_STREAM, 9,
                ":method GET, :scheme http, :path /late, prefer respond-async, prefer wait=5");
    for (uint32_t id = 11; id <= 15; id += 2) {
        talk_fields(&talk, true, 0, id, GRPC);
        talk_frame(&talk, true, HTTP2_DATA, 0, id, "\0\0\0\0\1x\0\0\0\0\1x", id == 11 ? 12 : 6);
    }
    send_all(&scene, &talk, true);
    talk_fields(&talk, false, 0, 1, ":status 200, content-type text/event-stream; x=y");
    talk_data(&talk, false, 1, "data: 1", false);
    for (uint32_t id = 3; id <= 9; id += 2)
        talk_fields(&talk, false, 0, id, id == 5 ? ":status 403" : ":status 200");
    for (uint32_t id = 11; id <= 15; id += 2) {
        talk_fields(&talk, false, 0, id, ":status 200, content-type application/grpc");
        talk_frame(&talk, false, HTTP2_DATA, 0, id, "\0\0\0\0\1x", 6);
    }
    talk_frame(&talk, false, HTTP2_DATA, 0, 13, "\0\0\0\0\1x", 6);
    send_all(&scene, &talk, false);
    talk_close(&talk);
    scene_check(&scene, expected_ones);
}

/* A segment that begins amid a header: its frame would end elsewhere. */
static void
test_resumes(void)
{
    static const uint8_t amid[] = { 0, 8, 0, 0, 1, 0x5d, 5, 'd', 'd', 'd', 'd', 'd' };
    static const uint8_t data[] = { 0, 0, 2, HTTP2_DATA, 0, 0, 0, 0, 3, 'd', 'd', 0, 0, 9, HTTP2_DATA, 1, 0, 0, 0, 3 };
    /* fields in HEADERS and CONTINUATION, of another stream, and not at all */
    static const uint8_t goes_on[] = { 0, 0, 1, HTTP2_HEADERS,      0, 0, 0, 0, 3, 0x82,
                                       0, 0, 1, HTTP2_CONTINUATION, 4, 0, 0, 0, 3, 0x84 };
    static const uint8_t other[] = { 0, 0, 1, HTTP2_HEADERS,      0, 0, 0, 0, 3, 0x82,
                                     0, 0, 1, HTTP2_CONTINUATION, 4, 0, 0, 0, 5, 0x84 };
    const struct http2_frame frame = { .length = 6579300, .type = 100, .stream = 5 };
    g_assert_true(http2_resumes(goes_on, sizeof goes_on, sizeof goes_on, true, true));
    g_assert_false(http2_resumes(other, sizeof other, sizeof other, true, true));
    g_assert_false(http2_resumes(goes_on, 10, 10, true, true));
    g_assert_true(http2_resumes(data, 10, 20, false, false));
    g_assert_false(http2_resumes(data, 10, 10, false, false));
    g_assert_false(http2_resumes(amid, sizeof amid, sizeof amid, false, false));
    g_assert_true(http2_resumes(data, sizeof data, sizeof data, false, false));
    g_assert_false(http2_resumes(data, sizeof data, sizeof data, false, true));
    g_assert_false(http2_frame_is_valid(&frame, false));
}

void
http2_tests_add(void)
{
    g_test_add_func("/http2/cuts", test_cuts);
    g_test_add_func("/http2/resumes", test_resumes);
    g_test_add_func("/http2/bytes", test_bytes);
    g_test_add_func("/http2/middle", test_middle);
    g_test_add_func("/http2/gap", test_gap);
    g_test_add_func("/http2/gap-in-content", test_gap_in_content);
    g_test_add_func("/http2/gap-in-fields", test_gap_in_fields);
    g_test_add_func("/http2/greeting-within-preface", test_greeting_within_preface);
    g_test_add_func("/http2/greeting-crosses", test_greeting_crosses);
    g_test_add_func("/http2/snap", test_snap);
    g_test_add_func("/http2/snap-within", test_snap_within);
    g_test_add_func("/http2/snap-end", test_snap_end);
    g_test_add_func("/http2/truncated", test_truncated);
    g_test_add_func("/http2/upgrade", test_upgrade);
    g_test_add_func("/http2/upgrade-without-switching", test_upgrade_without_switching);
    g_test_add_func("/http2/many", test_many);
    g_test_add_func("/http2/table", test_table);
    g_test_add_func("/http2/others", test_others);
    g_test_add_func("/http2/refused", test_refused);
    g_test_add_func("/http2/cancelled", test_cancelled);
    g_test_add_func("/http2/waiting", test_waiting);
}
