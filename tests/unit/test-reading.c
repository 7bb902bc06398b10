/* test-reading.c
 * Messages read from bytes: the same however segments cut them, and what they mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "core/protocol/memcached/memcached_looks.h"
#include "exchanges.h"
#include "scene.h"
#include "unit.h"

static void
open_scene(struct scene *scene)
{
    scene_open(scene, 80, 1000);
}

static void
send(struct scene *scene, bool from_client, const char *bytes, size_t n)
{
    scene_send(scene, from_client, bytes, n, n);
}

/* Its first request and the answer are in a segment each. */
static void
open_exchange(struct scene *scene, const struct exchange *exchange)
{
    open_scene(scene);
    send(scene, true, exchange->first.bytes, exchange->first.length);
    send(scene, false, exchange->first_answer.bytes, exchange->first_answer.length);
}

static void
test_cuts(const void *data)
{
    const struct exchange *exchange = data;
    size_t asked = exchange->asked.length, answered = exchange->answered.length;
    for (size_t cut = 0; cut < asked + answered; cut++) {
        struct scene scene;
        size_t first = MIN(cut, asked), second = cut > asked ? cut - asked : 0;
        open_exchange(&scene, exchange);
        send(&scene, true, exchange->asked.bytes, first);
        send(&scene, true, exchange->asked.bytes + first, asked - first);
        send(&scene, false, exchange->answered.bytes, second);
        send(&scene, false, exchange->answered.bytes + second, answered - second);
        g_test_message("cut at %zu", cut);
        scene_check(&scene, exchange->expected);
    }
}

/* One byte a segment, answers as well. */
static void
test_bytes(const void *data)
{
    const struct exchange *exchange = data;
    struct scene scene;
    open_exchange(&scene, exchange);
    for (size_t i = 0; i < exchange->asked.length; i++)
        send(&scene, true, exchange->asked.bytes + i, 1);
    for (size_t i = 0; i < exchange->answered.length; i++)
        send(&scene, false, exchange->answered.bytes + i, 1);
    scene_check(&scene, exchange->expected);
}

/* Opaques tell, also after a loss; quiet gets and the noop that ends them are one request. */
static void
test_binary(void)
{
    static const char asked[] =
        PACKET("\x80", "\x00", "\1", "\0", "\7") "a" PACKET("\x80", "\x0d", "\1", "\0", "\10") "b" PACKET(
            "\x80", "\x0d", "\1", "\0", "\11") "c" PACKET("\x80", "\x0a", "\0", "\0", "\12")
            PACKET("\x80", "\x11", "\1", "\0", "\13") "q" PACKET("\x80", "\x04", "\1", "\0", "\14") "d";
    static const char lost[] = PACKET("\x81", "\x00", "\0", "\1", "\7");
    static const char answered[] =
        PACKET("\x81", "\x0d", "\1", "\0", "\11") "c" PACKET("\x81", "\x0a", "\0", "\0", "\12");
    static const char last[] = PACKET("\x81", "\x04", "\0", "\1", "\14");
    struct scene scene;
    for (unsigned loss = 0; loss < 2; loss++) {
        open_scene(&scene);
        send(&scene, true, asked, sizeof asked - 1);
        if (loss)
            scene.seq[false] += sizeof lost - 1;
        else
            send(&scene, false, lost, sizeof lost - 1);
        if (!loss)
            send(&scene, false, answered, sizeof answered - 1);
        else
            scene.seq[false] += sizeof answered - 1;
        send(&scene, false, last, sizeof last - 1);
        scene_check(&scene, loss ? "get a 25 lost, getkq b 74 lost, delete d 25/24 NOT_FOUND"
                                 : "get a 25/24 NOT_FOUND, getkq b 74/49 , delete d 25/24 NOT_FOUND");
    }
}

/* Quiet gets that no `mn` ends may have any number of answers: which belong to them and which to the next command is
 * not known, but what is asked after a pause is. */
static void
test_group_without_end(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "mg a k v q\r\nmg b k v\r\nmg c k v\r\n");
    scene_say(&scene, false, "VA 2 ka\r\nhi\r\nVA 2 kb\r\nho\r\nVA 2 kc\r\nhe\r\n");
    scene.step_ns = 1000000000;
    scene_say(&scene, true, "get d\r\n");
    scene_say(&scene, false, "END\r\n");
    scene_check(&scene, "mg a 22 lost, mg c 10 lost, get d 7/5 miss");
}

/* CONNECT and Upgrade end the framing: what follows is told apart by turns. */
static void
test_tunnel(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "CONNECT h:1 HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "HTTP/1.1 200 Go\r\n\r\n");
    scene_say(&scene, true, "GET /inside HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "xyz");
    g_assert_cmpint(scene.connection->requests[1]->protocol, ==, PROTOCOL_TURNS);
    scene_check(&scene, "CONNECT h:1 24/19 200 stream, GET /inside 24/3 ");
}

/* Behind 101 messages are counted by direction, and are nobody's; a ping and the second frame of a message are none. */
static void
test_websocket(void)
{
    static const char asked[] = "\x81\x82KEYSab\x89\x80KEYS\x02\xfe\0\x7eKEYS";
    static const char pushed[] = "\x01\x01x\x80\x01y\x82\x7f\0\0\0\0\0\0\0\1z\x81\2hi";
    const size_t n_asked = sizeof asked - 1, n_pushed = sizeof pushed - 1;
    char rest[126] = "";
    for (size_t cut = 0; cut < n_asked + n_pushed; cut++) {
        struct scene scene;
        open_scene(&scene);
        scene_say(&scene, true, "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
        scene_say(&scene, false, "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\n\r\n");
        const size_t first = MIN(cut, n_asked), second = cut > n_asked ? cut - n_asked : 0;
        send(&scene, true, asked, first);
        send(&scene, true, asked + first, n_asked - first);
        send(&scene, true, rest, sizeof rest);
        scene.step_ns = 1000000000;
        send(&scene, false, pushed, second);
        send(&scene, false, pushed + second, n_pushed - second);
        const struct request *request = scene.connection->request;
        g_assert_cmpuint(request->parts.content[true], ==, 2);
        g_assert_cmpuint(request->parts.content[false], ==, 3);
        g_assert_cmpint(request_outcome(&scene.analysis->requests, request), ==, OUTCOME_ANSWERED);
        g_test_message("cut at %zu", cut);
        scene_check(&scene, "GET /chat 42/56 101 stream");
    }
}

/* Where bytes of it are missing, or are no frames, it is not known how many messages there were; and it is no turn. */
static void
test_websocket_gap(void)
{
    for (unsigned gap = 0; gap < 2; gap++) {
        struct scene scene;
        open_scene(&scene);
        scene_say(&scene, true, "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
        scene_say(&scene, false, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
        scene_say(&scene, true, "\x81\x82KEYSab");
        if (gap)
            scene.seq[false] += 4;
        else
            scene_say(&scene, false, "none");
        scene_say(&scene, false, "\x81\2hi");
        scene_give_up(&scene);
        g_assert_cmpuint(scene.connection->request->parts.content[true], ==, 1);
        g_assert_cmpuint(scene.connection->request->parts.content[false], ==, CONTENT_UNKNOWN);
        scene_check(&scene, "GET /chat 42/56 101 stream");
    }
}

/* What a server streams is no answer: MONITOR ends the framing. */
static void
test_streams(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    scene_say(&scene, true, "*1\r\n$7\r\nMONITOR\r\n");
    scene_say(&scene, false, "+OK\r\n");
    scene_say(&scene, false, "+1.5 \"PING\"\r\n");
    scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n");
    scene_say(&scene, false, "+1.6 x\n");
    g_assert_cmpint(scene.connection->requests[0]->protocol, ==, PROTOCOL_REDIS);
    g_assert_cmpint(scene.connection->requests[2]->protocol, ==, PROTOCOL_TURNS);
    scene_check(&scene, "PING 14/7 , MONITOR 17/18  stream, PING 14/7 ");
}

/* Of a body only the head is captured: its length is known. */
static void
test_snap(void)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n12345678901234567890123456789012345678901234567890";
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
    scene_send(&scene, false, answer, sizeof answer - 1, 41);
    scene_send(&scene, false, answer, sizeof answer - 1, 50);
    scene_check(&scene, "GET /1 19/89 200, GET /2 19/89 200");
}

/* Where an answer's head is cut off, it lasts until the client asks again, as by turns. */
static void
test_cut_head(void)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345";
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 2; i++) {
        scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
        scene_send(&scene, false, answer, sizeof answer - 1, 20);
        scene_say(&scene, false, "more");
    }
    scene_check(&scene, "GET / 18/47 200, GET / 18/47 200");
}

/* Two at a time, thirteen times: what is missing the eleventh time is not given to others. */
static void
check_two(bool from_client, const char *expected)
{
    struct scene scene;
    GString *all = g_string_new(NULL);
    open_scene(&scene);
    for (unsigned i = 0; i < 13; i++) {
        if (from_client && i == 10)
            scene.seq[true] += 28;
        else
            scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n");
        if (!from_client && i == 10)
            scene.seq[false] += 14;
        else
            scene_say(&scene, false, "+PONG\r\n+PONG\r\n");
        g_string_append(all, i == 10 ? expected : i == 12 ? "PING 14/7 , PING 14/7 " : "PING 14/7 , PING 14/7 , ");
    }
    scene_check(&scene, all->str);
    g_string_free(all, TRUE);
}

/* A server's answers are lost: the requests of that time have none, those after it have their own. */
static void
test_loss(void)
{
    check_two(false, "PING 14 lost, PING 14 lost, ");
}

/* What the server owes to requests that the capture does not have is not given to others. */
static void
test_lost_requests(void)
{
    check_two(true, "");
}

#define GET_X  "*2\r\n$3\r\nGET\r\n$1\r\nx\r\n"
#define INCR_X "*2\r\n$4\r\nINCR\r\n$1\r\nx\r\n"
#define PING   "*1\r\n$4\r\nPING\r\n"

/* With some always in flight, an answer that is lost is told by what the next ones look like: they are placed then. */
static void
test_lost_answer_in_flight(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, GET_X INCR_X INCR_X PING);
    scene.seq[false] += 5;
    scene_say(&scene, false, ":1\r\n");
    scene_give_up(&scene);
    g_assert_cmpuint(scene.connection->requests[1]->response.first_frame, ==, 0);
    scene_say(&scene, false, ":2\r\n");
    g_assert_cmpuint(scene.connection->requests[1]->response.first_frame, ==, 2);
    g_assert_cmpuint(scene.connection->requests[2]->response.first_frame, ==, 3);
    scene_say(&scene, false, "+PONG\r\n");
    scene_check(&scene, "GET 20 lost, INCR 21/4 , INCR 21/4 , PING 14/7 ");
}

/* Likewise where it is a request that is lost: what is answered meanwhile may be that. */
static void
test_lost_request_in_flight(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, INCR_X);
    scene.seq[true] += sizeof INCR_X - 1;
    scene_say(&scene, true, PING GET_X GET_X);
    scene_say(&scene, false, ":1\r\n");
    scene_say(&scene, false, ":2\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    scene_say(&scene, false, "$-1\r\n");
    scene_say(&scene, false, "$-1\r\n");
    scene_check(&scene, "INCR 21/4 , PING 14/7 , GET 20/5 nil, GET 20/5 nil");
}

/* Elements of a list whose beginning is lost are no answers. */
static void
test_elements(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "*4\r\n$6\r\nLRANGE\r\n$1\r\nx\r\n$1\r\n0\r\n$1\r\n1\r\n" GET_X PING);
    scene.seq[false] += sizeof "*2\r\n" - 1;
    scene_say(&scene, false, "$1\r\na\r\n");
    scene_give_up(&scene);
    scene_say(&scene, false, "$1\r\nb\r\n$-1\r\n");
    scene_say(&scene, false, ":1\r\n");
    g_assert_true(scene.connection->exchanges.is_lost);
    scene_say(&scene, false, "+PONG\r\n");
    scene_check(&scene, "LRANGE 37 lost, GET 20 lost, PING 14/7 ");
}

/* The end of a line that is lost is no number. */
static void
test_rest_of_line(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "get z\r\n");
    scene_say(&scene, false, "END\r\n");
    scene_say(&scene, true, "get a\r\nincr b 1\r\nincr b 1\r\n");
    scene.seq[false] += sizeof "VALUE a " - 1;
    scene_say(&scene, false, "0 5\r\nhello\r\nEND\r\n");
    scene_give_up(&scene);
    scene_say(&scene, false, "7\r\n");
    scene_say(&scene, false, "8\r\n");
    const struct connection *connection = scene.connection;
    g_assert_cmpuint(connection->requests[2]->response.first_frame, !=, 4);
    g_assert_cmpuint(connection->requests[3]->response.first_frame, !=, 4);
    scene_close(&scene);
}

/* After a silence what is lost may have been asked together with what follows. */
static void
test_silence_behind_gap(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    scene_say(&scene, false, "+PONG\r\n");
    scene.frame += 100000;
    scene.seq[true] += sizeof PING - 1;
    scene_say(&scene, true, PING);
    scene_give_up(&scene);
    scene_say(&scene, false, "+PONG\r\n");
    scene_check(&scene, "PING 14/7 , PING 14 -");
}

/* After a silence nothing is in flight; but where the last bytes are missing, too, they may have been answers. */
static void
test_silence_before_gap(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING PING PING);
    scene.seq[false] += 7;
    scene_say(&scene, false, "+PONG\r\n");
    scene.seq[false] += 7;
    scene.frame += 100000;
    scene_say(&scene, true, PING);
    scene_give_up(&scene);
    scene_say(&scene, false, "+PONG\r\n");
    scene_check(&scene, "PING 14 lost, PING 14 lost, PING 14 lost, PING 14/7 ");
}

/* One long request does not say that others are, too. */
static void
test_short_behind_long(void)
{
    struct scene scene;
    char echo[400];
    snprintf(echo, sizeof echo, "*2\r\n$4\r\nECHO\r\n$300\r\n%0300u\r\n", 0);
    open_scene(&scene);
    scene_say(&scene, true, echo);
    scene.seq[true] += sizeof PING - 1;
    scene_say(&scene, true, PING);
    scene_say(&scene, false, "$2\r\nno\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    scene_give_up(&scene);
    g_assert_cmpuint(scene.connection->requests[1]->response.first_frame, ==, 5);
    scene_check(&scene, "ECHO 322/8 , PING 14/7 ");
}

/* A client that has always had its answers before it asks anew need not wait for them: what is lost is not told by
 * that.
 */
static void
test_no_habit(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 12; i++) {
        scene_say(&scene, true, PING PING);
        scene_say(&scene, false, "+PONG\r\n+PONG\r\n");
    }
    scene_say(&scene, true, PING PING PING);
    scene.seq[false] += 7;
    scene_say(&scene, false, "+PONG\r\n");
    scene_give_up(&scene);
    scene_say(&scene, true, PING);
    scene_say(&scene, false, "+PONG\r\n");
    g_assert_cmpuint(scene.connection->requests[27]->response.first_frame, ==, 0);
    scene_close(&scene);
}

/* A client that has always had two in flight when it had asked has no more, where nothing else tells. */
static void
test_habit(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 12; i++) {
        scene_say(&scene, true, PING PING);
        if (i == 9)
            scene.seq[false] += 7;
        else
            scene_say(&scene, false, "+PONG\r\n");
        scene_say(&scene, false, "+PONG\r\n");
        scene_give_up(&scene);
    }
    g_assert_true(scene.connection->requests[18]->ending == ENDING_LOST);
    for (uint32_t i = 19; i < scene.connection->n_requests; i++)
        g_assert_cmpuint(scene.connection->requests[i]->response.first_frame, >,
                         scene.connection->requests[i]->first_frame);
    scene_close(&scene);
}

/* Whether a response has the length it says or is to a HEAD is not known, if the request is not: what follows tells. */
static void
test_head_in_doubt(void)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", empty[] = "HTTP/1.1 204 OK\r\n\r\n";
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true,
              "GET /1 HTTP/1.1\r\n\r\nHEAD /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\nGET /4 HTTP/1.1\r\n\r\n");
    scene.seq[false] += sizeof empty - 1;
    scene_say(&scene, false, head);
    scene_say(&scene, false, empty);
    scene_say(&scene, false, empty);
    scene_check(&scene, "GET /1 19 lost, HEAD /2 20/38 200, GET /3 19/19 204, GET /4 19/19 204");
}

/* In the middle of a long answer, which fills segments, no other begins. */
static void
test_middle_of_answer(void)
{
    enum { SEGMENT = 1448, PART = 4 };
    GString *answer = g_string_new("*362\r\n:");
    while (answer->len < 2 * SEGMENT)
        g_string_append(answer, ":1\r\n");
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, PING);
    send(&scene, false, "+PONG\r\n", 7);
    scene_say(&scene, true, GET_X INCR_X PING);
    scene.seq[false] += SEGMENT;
    send(&scene, false, answer->str + 7, SEGMENT);
    send(&scene, false, answer->str + 7, PART);
    scene_say(&scene, false, ":7\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    g_string_free(answer, TRUE);
    scene_check(&scene, "PING 14/7 , GET 20 lost, INCR 21/4 , PING 14/7 ");
}

/* Of an answer that has no end, and whose request is not known, not every frame is kept. */
static void
test_endless(void)
{
    static const char bytes[1000] = "";
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    for (unsigned i = 0; i < 8; i++)
        scene_say(&scene, true, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    scene.seq[false] += 18;
    scene_say(&scene, false, "$100000000\r\n");
    scene_give_up(&scene);
    for (unsigned i = 0; i < 20000; i++) {
        send(&scene, false, bytes, sizeof bytes);
        g_assert_true(i > 1000 || scene.connection->tcp->undecided);
    }
    g_assert_null(scene.connection->tcp->undecided);
    scene_close(&scene);
}

/* Answers with opaques that nobody asked for are searched for in vain, but not the next one that somebody did. */
static void
test_searches(void)
{
    static const char asked[] = PACKET("\x80", "\x0a", "\0", "\0", "\7") PACKET("\x80", "\x0a", "\0", "\0", "\10")
        PACKET("\x80", "\x0a", "\0", "\0", "\11");
    static const char known[] = PACKET("\x80", "\x0a", "\0", "\0", "\6");
    static const char known_answer[] = PACKET("\x81", "\x0a", "\0", "\0", "\6");
    static const char strange[] = PACKET("\x81", "\x0a", "\0", "\0", "\1");
    static const char answered[] = PACKET("\x81", "\x0a", "\0", "\0", "\10");
    struct scene scene;
    open_scene(&scene);
    send(&scene, true, known, sizeof known - 1);
    send(&scene, false, known_answer, sizeof known_answer - 1);
    send(&scene, true, asked, sizeof asked - 1);
    for (unsigned i = 0; i < 5000; i++)
        send(&scene, false, strange, sizeof strange - 1);
    send(&scene, false, answered, sizeof answered - 1);
    scene_check(&scene, "noop 24/24 , noop 24 lost, noop 24/24 , noop 24 -");
}

/* A value's line without a name says nothing of one: what was in memory before is none. */
static void
test_nameless(void)
{
    struct memcached_words words;
    memcached_split((const uint8_t *)"VALUE k", 7, &words);
    uint64_t named = memcached_looks_of_answer(&words);
    memcached_split((const uint8_t *)"VALUE", 5, &words);
    uint64_t nameless = memcached_looks_of_answer(&words);
    g_assert_cmphex(nameless, ==, (uint32_t)named);
}

/* What begins like a protocol and is none goes by turns. */
static void
test_nonsense(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "SSH-2.0-x\r\n");
    scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
    scene_say(&scene, false, "abc");
    scene_check(&scene, "GET / 18/11 , GET / 18/3 ");
}

/* A line that is no request of the protocol, of a client that waits, is a turn; the next requests have their answers.
 * Where it may have been several, they are lost. */
static void
test_unknown_line(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 2; i++) {
        scene_say(&scene, true, "get a\r\n");
        scene_say(&scene, false, "END\r\n");
        scene_say(&scene, true, "nonsense\r\n");
        scene_say(&scene, false, "ERROR\r\n");
    }
    scene_say(&scene, true, "get a\r\n");
    scene_say(&scene, false, "END\r\n");
    scene_say(&scene, true, "nonsense\r\nand more\r\n");
    scene_say(&scene, false, "ERROR\r\n");
    scene_say(&scene, true, "get a\r\n");
    scene_say(&scene, false, "ERROR\r\n");
    scene_check(&scene, "get a 7/5 miss,  10/7 , get a 7/5 miss,  10/7 , get a 7/5 miss,  20/7 , get a 7 -");
}

/* What stands behind a message and is none, of a client that waits: it is counted as the message's, in a segment of its
 * own as nobody's, and the next request has its answer. */
static void
test_surplus(void)
{
#define OK   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n12"
#define POST "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab"
    static const struct {
        const char *asked, *asked_more, *answered, *answered_more, *expected;
    } cases[] = {
        { "GET / HTTP/1.1\r\n\r\n", "", OK "\n", "", "GET / 18/41 200" },
        { "GET / HTTP/1.1\r\n\r\n", "", OK "\r\n", "", "GET / 18/42 200" },
        { "GET / HTTP/1.1\r\n\r\n", "", OK "x", "", "GET / 18/41 200" },
        { "GET / HTTP/1.1\r\n\r\n", "", OK, "x", "GET / 18/40 200" },
        { "GET / HTTP/1.1\r\n\r\n", "", OK, "one\r\ntwo", "GET / 18/40 200" },
        { "HEAD / HTTP/1.1\r\n\r\n", "", OK, "", "HEAD / 19/40 200" },
        { "HEAD / HTTP/1.1\r\n\r\n", "", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "12", "HEAD / 19/38 200" },
        { "GET / HTTP/1.1\r\n\r\n", "", "HTTP/1.1 204 No\r\n\r\n12", "", "GET / 18/21 204" },
        { "GET / HTTP/1.1\r\n\r\n", "", "HTTP/1.1 304 No\r\n\r\n1\n2", "34", "GET / 18/22 304" },
        { POST "\r\n", "", OK, "", "POST / 42/40 200" },
        { POST "cd", "", OK, "", "POST / 42/40 200" },
        { POST, "cd", OK, "", "POST / 40/40 200" },
        { POST, "c\r\nd", OK, "", "POST / 40/40 200" },
    };
    struct scene scene;
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *expected = g_string_new(cases[i].expected);
        open_scene(&scene);
        scene_say(&scene, true, cases[i].asked);
        scene_say(&scene, true, cases[i].asked_more);
        scene_say(&scene, false, cases[i].answered);
        scene_say(&scene, false, cases[i].answered_more);
        for (unsigned n = 0; n < 3; n++) {
            scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
            scene_say(&scene, false, OK);
            g_string_append(expected, ", GET / 18/40 200");
        }
        g_test_message("case %u", i);
        scene_check(&scene, expected->str);
        g_string_free(expected, TRUE);
    }
}

/* Who expects 100 sends the body when the server wants it, RFC 9110 §10.1.1. Refused, a client may ask something else
 * instead; what it sends before an answer, or behind a 100, is the body, whatever that looks like. */
static void
test_expectation(void)
{
#define REFUSED "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n"
#define PUT     "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 18\r\n\r\n"
#define CHUNKED "PUT / HTTP/1.1\r\nexpect: x, 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n"
#define PLAIN   "PUT / HTTP/1.1\r\nContent-Length: 18\r\n\r\n"
#define BODY    "GET / HTTP/1.1\r\n\r\n"
    static const struct {
        const char *asked, *answered, *asked_more, *answered_more, *expected;
    } cases[] = {
        { PUT, REFUSED, "", "", "PUT / 60/38 417!" },
        { CHUNKED, REFUSED, "", "", "PUT / 71/38 417!" },
        { PUT, REFUSED, BODY, OK, "PUT / 60/38 417!, GET / 18/40 200" },
        { PUT, REFUSED, "abcdefghijklmnopqr", "", "PUT / 78/38 417!" },
        { PUT, REFUSED, "abcd", "", NULL },
        { PUT, "HTTP/1.1 100 Continue\r\n\r\n", BODY, OK, "PUT / 78/40 200" },
        { PUT, "", BODY, OK, "PUT / 78/40 200" },
        { PUT BODY, "", "", OK, "PUT / 78/40 200" },
        { CHUNKED, "HTTP/1.1 100 Continue\r\n\r\n", "12\r\n" BODY "\r\n0\r\n\r\n", OK, "PUT / 100/40 200" },
        { PLAIN, REFUSED, BODY, "", "PUT / 56/38 417!" },
    };
    struct scene scene;
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *expected = g_string_new(cases[i].expected);
        open_scene(&scene);
        scene_say(&scene, true, cases[i].asked);
        scene_say(&scene, false, cases[i].answered);
        scene_say(&scene, true, cases[i].asked_more);
        scene_say(&scene, false, cases[i].answered_more);
        g_test_message("case %u", i);
        for (unsigned n = 0; n < 3 && cases[i].expected; n++) {
            scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
            scene_say(&scene, false, OK);
            g_string_append(expected, ", GET / 18/40 200");
        }
        scene_check(&scene, cases[i].expected ? expected->str : "PUT / 64/38 417!");
        g_string_free(expected, TRUE);
    }
}

/* A replica asks for all changes once. How far it has got is no request, and what it is told answers none; be it that the
 * capture begins in the middle. */
static void
test_replica(void)
{
#define ACK  "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$2\r\n14\r\n"
#define SET  "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"
#define SYNC "*3\r\n$5\r\nPSYNC\r\n$40\r\n0123456789012345678901234567890123456789\r\n$2\r\n-1\r\n"
    struct scene scene;
    for (unsigned middle = 0; middle < 2; middle++) {
        open_scene(&scene);
        if (!middle) {
            scene_say(&scene, true, "*3\r\n$8\r\nREPLCONF\r\n$4\r\ncapa\r\n$3\r\neof\r\n");
            scene_say(&scene, false, "+OK\r\n");
            scene_say(&scene, true, SYNC);
            scene_say(&scene, false, "\n");
            scene_say(&scene, false, "+FULLRESYNC 0123456789012345678901234567890123456789 0\r\n");
            scene_say(&scene, false, "$5\r\n*\r\n*\r");
        }
        for (unsigned n = 0; n < 3; n++) {
            scene_say(&scene, true, ACK);
            scene_say(&scene, false, SET SET);
            scene_say(&scene, false, "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n");
        }
        g_assert_cmpint(scene.connection->session, ==, SESSION_MESSAGES);
        scene_check(&scene, middle ? "" : "REPLCONF 37/5 , PSYNC 70/338  stream");
    }
    /* replicas ask for SYNC in a line */
    open_scene(&scene);
    scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    scene_say(&scene, true, "SYNC\r\n");
    scene_say(&scene, false, "$3\r\nabc");
    scene_say(&scene, true, "REPLCONF ACK 14\r\n");
    scene_say(&scene, false, SET);
    scene_check(&scene, "PING 14/7 , SYNC 6/34  stream");
    open_scene(&scene);
    scene_say(&scene, true, SYNC);
    scene_say(&scene, false, "-ERR unknown command\r\n");
    scene_say(&scene, true, "*1\r\n$4\r\nSYNC\r\n");
    scene_say(&scene, false, "-NOMASTERLINK no\r\n");
    scene_say(&scene, true, "*1\r\n$4\r\nPING\r\n");
    scene_say(&scene, false, "+PONG\r\n");
    scene_check(&scene, "PSYNC 70/22 ERR! stream, SYNC 14/18 NOMASTERLINK! stream, PING 14/7 ");
}

/* Surplus that comes when the client has asked again: what the server says before it has the request answers nothing,
 * and what it says then goes by turns until the client asks once more. */
static void
test_late_surplus(void)
{
    struct scene scene;
    for (unsigned late = 0; late < 2; late++) {
        open_scene(&scene);
        scene_say(&scene, true, "HEAD / HTTP/1.1\r\n\r\n");
        scene_say(&scene, false, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        scene_say(&scene, true, "GET /a HTTP/1.1\r\n\r\n");
        scene.seq[true] -= late ? 0 : 19;
        scene_say(&scene, false, "12");
        scene.seq[true] += late ? 0 : 19;
        scene_say(&scene, false, OK);
        scene_say(&scene, true, "GET /b HTTP/1.1\r\n\r\n");
        scene_say(&scene, false, OK);
        scene_check(&scene, late ? "HEAD / 19/38 200, GET /a 19/42 , GET /b 19/40 200"
                                 : "HEAD / 19/38 200, GET /a 19/40 200, GET /b 19/40 200");
    }
}

/* Any token is a method, RFC 9110 §9.1, also behind bytes that are missing. RTSP is another protocol. */
static void
test_methods(void)
{
    static const char *const methods[] = { "REPORT", "PURGE", "M-SEARCH", "RPC_IN_DATA", "SUBSCRIBE", "x" };
    struct scene scene;
    for (unsigned i = 0; i < G_N_ELEMENTS(methods); i++) {
        char *asked = g_strdup_printf("%s / HTTP/1.1\r\n\r\n", methods[i]);
        char *wanted =
            g_strdup_printf("%s / %u/40 200, %s / %u/40 200, %s / %u/40 200", methods[i], (unsigned)strlen(asked),
                            methods[i], (unsigned)strlen(asked), methods[i], (unsigned)strlen(asked));
        open_scene(&scene);
        scene_say(&scene, true, asked);
        scene_say(&scene, false, OK);
        scene_say(&scene, true, asked);
        scene_say(&scene, false, OK);
        scene.seq[false] += 40;
        scene.step_ns = 1000000000;
        scene_say(&scene, true, asked);
        scene_say(&scene, false, OK);
        g_assert_cmpint(scene.connection->request->protocol, ==, PROTOCOL_HTTP);
        scene_check(&scene, wanted);
        g_free(asked);
        g_free(wanted);
    }
    open_scene(&scene);
    scene_say(&scene, true, "OPTIONS rtsp://h RTSP/1.0\r\nCSeq: 1\r\n\r\n");
    scene_say(&scene, false, "RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n");
    g_assert_cmpint(scene.connection->request->protocol, ==, PROTOCOL_TURNS);
    scene_close(&scene);
}

/* A method that is not common, and a path longer than what is looked at of a line. */
static void
test_long_line(void)
{
    struct scene scene;
    GString *asked = g_string_new("REPORT /");
    for (unsigned i = 0; i < 100; i++)
        g_string_append(asked, "0123456789");
    const size_t cut = asked->len;
    g_string_append(asked, " HTTP/1.1\r\n\r\n");
    open_scene(&scene);
    send(&scene, true, asked->str, cut);
    send(&scene, true, asked->str + cut, asked->len - cut);
    scene_say(&scene, false, OK);
    g_assert_cmpint(scene.connection->request->protocol, ==, PROTOCOL_HTTP);
    g_assert_cmpuint(scene.connection->request->request_bytes, ==, asked->len);
    scene_close(&scene);
    g_string_free(asked, TRUE);
}

/* Fields as RFC 9112 has receivers read them: blanks before a colon and behind a value, lines that go on, fields that
 * come again. */
static void
test_fields(void)
{
    static const struct {
        const char *fields, *body;
    } cases[] = {
        { "Content-Length : 2\r\n", "ab" },
        { "Content-Length: 2 \r\n", "ab" },
        { "Content-Length:\r\n\t2\r\n", "ab" },
        { "Content-Length: 2, 2\r\nContent-Length: 2\r\n", "ab" },
        { "Transfer-Encoding: chunked \r\n", "2\r\nab\r\n0\r\n\r\n" },
        { "Transfer-Encoding : gzip,\r\n  Chunked\r\n", "2\r\nab\r\n0\r\n\r\n" },
        { "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n\r\n" },
        { "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n\r\n" },
        { "X: y\r\n Content-Length: 7\r\nContent-Length: 2\r\nY: z\r\n 7\r\n", "ab" },
        { "Transfer-Encoding: identity\r\nContent-Length: 2\r\n", "ab" },
    };
    struct scene scene;
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *answer = g_strdup_printf("HTTP/1.1 200 OK\r\n%s\r\n%s", cases[i].fields, cases[i].body);
        char *asked = g_strdup_printf("POST / HTTP/1.1\r\n%s\r\n%s", cases[i].fields, cases[i].body);
        char *both = g_strconcat(answer, OK, NULL), *two = g_strconcat(asked, "GET /2 HTTP/1.1\r\n\r\n", NULL);
        char *wanted = g_strdup_printf("POST / %zu/%zu 200, GET /2 19/40 200", strlen(asked), strlen(answer));
        open_scene(&scene);
        scene_say(&scene, true, two);
        scene_say(&scene, false, both);
        g_test_message("case %u", i);
        scene_check(&scene, wanted);
        g_free(answer);
        g_free(asked);
        g_free(both);
        g_free(two);
        g_free(wanted);
    }
}

/* The body of a response whose last coding is another ends with the connection: RFC 9112 §6.3. */
static void
test_last_coding(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "GET / HTTP/1.1\r\n\r\n");
    scene_say(&scene, false,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\nContent-Length: 1\r\n\r\n0\r\n\r\n");
    scene_say(&scene, false, "more");
    scene_check(&scene, "GET / 18/81 200");
}

/* A command without a key, which is the last in its segment: nothing is read behind it. */
static void
test_keyless(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "get a\r\n");
    scene_say(&scene, false, "END\r\n");
    scene_say(&scene, true, "get\r\n");
    scene_say(&scene, false, "ERROR\r\n");
    scene_check(&scene, "get a 7/5 miss, get 5/7 ERROR!");
}

/* A request line in two segments is HTTP's when it is whole, before anybody has answered; not before. */
static void
test_line_in_segments(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_shake_hands(&scene);
    scene_say(&scene, true, "GET /a HT");
    g_assert_cmpuint(scene.connection->n_requests, ==, 0);
    scene_say(&scene, true, "TP/1.1\r\nHost: a\r\n\r\n");
    g_assert_true(scene.connection->session == SESSION_MESSAGES);
    g_assert_cmpuint(scene.connection->n_requests, ==, 1);
    scene_say(&scene, false, "HTTP/1.1 204 OK\r\n\r\n");
    scene_check(&scene, "GET /a 28/19 204");
}

#define ZK_PING                 "\0\0\0\x08\xff\xff\xff\xfe\0\0\0\x0b"
#define ZK_PONG                 "\0\0\0\x10\xff\xff\xff\xfe\0\0\0\0\0\0\0\7\0\0\0\0"
#define ZK_AUTH                 "\0\0\0\x1c\xff\xff\xff\xfc\0\0\0\x64\0\0\0\0\0\0\0\6digest\0\0\0\2me"
#define ZK_AUTHED               "\0\0\0\x10\xff\xff\xff\xfc\0\0\0\0\0\0\0\7\0\0\0\0"
#define ZK_EXISTS(xid)          "\0\0\0\x0f\0\0\0" xid "\0\0\0\3\0\0\0\2/e\1"
#define ZK_GET(xid)             "\0\0\0\x0f\0\0\0" xid "\0\0\0\4\0\0\0\2/g\1"
#define ZK_DELETE(xid)          "\0\0\0\x12\0\0\0" xid "\0\0\0\2\0\0\0\2/d\xff\xff\xff\xff"
#define ZK_SAID(xid, error)     "\0\0\0\x10\0\0\0" xid "\0\0\0\0\0\0\0\7" error
#define ZK_OK                   "\0\0\0\0"
#define ZK_NO_NODE              "\xff\xff\xff\x9b"
#define SEND_TEXT(client, text) send(&scene, client, text, sizeof(text) - 1)

/* Pings have one number, and two in flight are answered in their order. Behind a gap that may have had the answer to
 * one, and until a request that came after it is answered, or the client has been silent, none is told from the others.
 */
static void
test_zookeeper_pings(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, ZK_GET("\1"));
    SEND_TEXT(false, ZK_SAID("\1", ZK_NO_NODE));
    SEND_TEXT(true, ZK_PING ZK_PING);
    SEND_TEXT(false, ZK_PONG ZK_PONG);
    SEND_TEXT(true, ZK_PING);
    scene.seq[false] += sizeof ZK_PONG - 1;
    SEND_TEXT(true, ZK_GET("\2"));
    SEND_TEXT(false, ZK_SAID("\2", ZK_NO_NODE));
    scene_give_up(&scene);
    SEND_TEXT(true, ZK_PING ZK_GET("\3"));
    SEND_TEXT(false, ZK_PONG ZK_SAID("\3", ZK_NO_NODE));
    SEND_TEXT(true, ZK_PING);
    SEND_TEXT(false, ZK_PONG);
    scene_check(&scene, "getData /g 19/20 NoNode!, ping 12/20 , ping 12/20 , ping 12 lost, getData /g 19/20 NoNode!, "
                        "ping 12 lost, getData /g 19/20 NoNode!, ping 12/20 ");
}

/* In the middle of a connection, or where bytes of the client are missing, the next answer to a ping may be to another
 * one, however long both sides have been silent: a server may stall. */
static void
test_zookeeper_doubt(void)
{
    enum { SILENCE = 2000000 }; /* of steps of 1 us */
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, ZK_PING);
    SEND_TEXT(false, ZK_PONG);
    SEND_TEXT(false, ZK_PONG);
    SEND_TEXT(true, ZK_AUTH);
    SEND_TEXT(false, ZK_AUTHED);
    SEND_TEXT(true, ZK_GET("\1"));
    SEND_TEXT(false, ZK_SAID("\1", ZK_NO_NODE));
    scene.seq[true] += sizeof ZK_PING - 1;
    scene.frame += SILENCE;
    SEND_TEXT(true, ZK_PING);
    scene.frame += SILENCE;
    SEND_TEXT(false, ZK_PONG ZK_PONG);
    scene_check(&scene, "ping 12 lost, auth digest 32 lost, getData /g 19/20 NoNode!, ping 12 lost");
}

/* Of many parts of a multi that was undone only the first are looked at, which do not say which one has failed. */
static void
test_zookeeper_multi(void)
{
    enum { PARTS = 60, HEAD = 20, PART = 13, LAST = 9 };
    static const char asked[] = "\0\0\0\x24\0\0\0\1\0\0\0\x0e"
                                "\0\0\0\2\0\xff\xff\xff\xff\0\0\0\2/d\xff\xff\xff\xff"
                                "\xff\xff\xff\xff\1\xff\xff\xff\xff";
    static const char head[] = "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\7\0\0\0\0";
    static const char part[] = "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0", last[] = "\xff\xff\xff\xff\1\xff\xff\xff\xff";
    char said[HEAD + PARTS * PART + LAST];
    struct scene scene;
    memcpy(said, head, HEAD);
    said[2] = (char)((sizeof said - 4) >> 8);
    said[3] = (char)(sizeof said - 4);
    for (unsigned i = 0; i < PARTS; i++)
        memcpy(said + HEAD + i * PART, part, PART);
    memcpy(said + HEAD + PARTS * PART, last, LAST);
    open_scene(&scene);
    send(&scene, true, asked, sizeof asked - 1);
    send(&scene, false, said, sizeof said);
    scene_check(&scene, "multi delete /d 40/809 failed!");
}

/* Behind a gap, what has a number that waits and a body as no answer of its type has is none: the rest of a value. */
static void
test_zookeeper_rest(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, ZK_GET("\1") ZK_DELETE("\2") ZK_EXISTS("\3"));
    scene.seq[false] += 200;
    SEND_TEXT(false, ZK_SAID("\1", ZK_OK) ZK_SAID("\2", ZK_OK) ZK_SAID("\3", ZK_NO_NODE));
    scene_give_up(&scene);
    scene_check(&scene, "getData /g 19 lost, delete /d 22/20 , exists /e 19/20 NoNode");
}

/* More in flight than the parser keeps types of: each is answered, but that a node is not there is an error of those
 * that it has forgotten. */
static void
test_zookeeper_many(void)
{
    enum { MANY = 1500 };
    struct scene scene;
    open_scene(&scene);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < MANY; i++) {
            char asked[] = ZK_EXISTS("\0"), said[] = ZK_SAID("\0", ZK_NO_NODE);
            asked[6] = said[6] = (char)(i >> 8);
            asked[7] = said[7] = (char)i;
            send(&scene, round == 0, round == 0 ? asked : said, (round == 0 ? sizeof asked : sizeof said) - 1);
        }
    analysis_end(scene.analysis);
    for (unsigned i = 0; i < MANY; i++)
        g_assert_cmpuint(scene.connection->requests[i]->response.first_frame, ==, MANY + 1 + i);
    g_assert_false(scene.connection->requests[MANY - 1]->response.failed);
    scene_close(&scene);
}

#define MQTT_CONNECTS            "\x10\x0e\0\4MQTT\5\2\0\x3c\0\0\1c"
#define MQTT_CONNECTED           "\x20\3\0\0\0"
#define MQTT_PUBLISH(id)         "\x32\x0a\0\3a/b\0" id "\0hi"
#define MQTT_ALIAS(id, alias)    "\x32\x0c\0\3a/b\0" id "\3\x23\0" alias "x"
#define MQTT_BY_ALIAS(id, alias) "\x32\x09\0\0\0" id "\3\x23\0" alias "x"
#define MQTT_PUBACK(id)          "\x40\2\0" id

/* A client uses an identifier again as soon as it is free. Where packets of both sides are missing, what is in flight
 * may have been acknowledged, and the next acknowledgement be to another one. */
static void
test_mqtt_again(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, MQTT_CONNECTS);
    SEND_TEXT(false, MQTT_CONNECTED);
    SEND_TEXT(true, MQTT_PUBLISH("\1"));
    scene.seq[false] += sizeof MQTT_PUBACK("\1") - 1;
    SEND_TEXT(true, MQTT_PUBLISH("\1"));
    SEND_TEXT(false, MQTT_PUBACK("\1"));
    SEND_TEXT(true, MQTT_PUBLISH("\1"));
    scene.seq[false] += sizeof MQTT_PUBACK("\1") - 1;
    scene.seq[true] += sizeof MQTT_PUBLISH("\1") - 1;
    SEND_TEXT(false, MQTT_PUBACK("\1"));
    scene_give_up(&scene);
    scene_check(&scene, "CONNECT 16/5 , PUBLISH a/b 12 lost, PUBLISH a/b 12/4 , PUBLISH a/b 12 lost");
}

/* Of a client's aliases the first are kept; where what gave one is missing, too, the topic is not known. */
static void
test_mqtt_aliases(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, MQTT_CONNECTS);
    SEND_TEXT(false, MQTT_CONNECTED);
    SEND_TEXT(true, MQTT_ALIAS("\1", "\x20") MQTT_ALIAS("\2", "\x21") MQTT_BY_ALIAS("\3", "\x20")
                        MQTT_BY_ALIAS("\4", "\x21"));
    SEND_TEXT(false, MQTT_PUBACK("\4") MQTT_PUBACK("\3") MQTT_PUBACK("\2") MQTT_PUBACK("\1"));
    scene_check(&scene,
                "CONNECT 16/5 , PUBLISH a/b 14/4 , PUBLISH a/b 14/4 , PUBLISH a/b 11/4 , PUBLISH alias 33 11/4 ");
}

/* In the middle of a connection, too, what acknowledges the server's is no request, and the server's no answer. */
static void
test_mqtt_middle(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, MQTT_PUBACK("\7"));
    SEND_TEXT(false, MQTT_PUBLISH("\x08"));
    SEND_TEXT(true, MQTT_PUBACK("\x08") "\xc0\0");
    SEND_TEXT(false, MQTT_PUBLISH("\x09") "\xd0\0");
    scene_check(&scene, "PINGREQ 2/2 ");
}

#define NATS_CONNECT   "CONNECT {\"verbose\":false}\r\nSUB _INBOX.a.* 1\r\nSUB fixed 2\r\nPING\r\n"
#define NATS_PING      "PING\r\n"
#define NATS_PONG      "PONG\r\n"
#define NATS_ASK(to)   "PUB svc " to " 1\r\nx\r\n"
#define NATS_SAY(to)   "MSG " to " 1 1\r\ny\r\n"
#define NATS_PULL(to)  "PUB $JS.API.CONSUMER.MSG.NEXT.S.C " to " 0\r\n\r\n"
#define NATS_PULLED(n) "MSG orders." n " 1 $JS.ACK.S.C.1.1.1.1.0 1\r\ny\r\n"

/* Pings are answered in their order. Behind a gap that may have had the answer to one, and until a request that came
 * after it is answered, none is told from the others. */
static void
test_nats_pings(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, NATS_CONNECT);
    SEND_TEXT(false, NATS_PONG);
    SEND_TEXT(true, NATS_PING NATS_PING);
    SEND_TEXT(false, NATS_PONG NATS_PONG);
    SEND_TEXT(true, NATS_PING);
    scene.seq[false] += sizeof NATS_PONG - 1;
    SEND_TEXT(true, NATS_ASK("_INBOX.a.1"));
    SEND_TEXT(false, NATS_SAY("_INBOX.a.1"));
    scene_give_up(&scene);
    SEND_TEXT(true, NATS_PING NATS_ASK("_INBOX.a.2"));
    SEND_TEXT(false, NATS_PONG NATS_SAY("_INBOX.a.2"));
    SEND_TEXT(true, NATS_PING);
    SEND_TEXT(false, NATS_PONG);
    scene_check(&scene, "PING 6/6 , PING 6/6 , PING 6/6 , PING 6 lost, REQUEST svc 25/23 , PING 6 lost, "
                        "REQUEST svc 25/23 , PING 6/6 ");
}

/* A reply subject is used again when it has been answered; asked again before that, whose the answers are is not known.
 * A pull is answered by its subscription. What is answered on another connection is no request. */
static void
test_nats_inboxes(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, NATS_CONNECT);
    SEND_TEXT(false, NATS_PONG);
    SEND_TEXT(true, NATS_ASK("fixed"));
    SEND_TEXT(false, NATS_SAY("fixed"));
    SEND_TEXT(true, NATS_PULL("_INBOX.a.1") NATS_ASK("elsewhere"));
    SEND_TEXT(false, NATS_PULLED("1") NATS_PULLED("2"));
    SEND_TEXT(true, NATS_PULL("_INBOX.a.2"));
    SEND_TEXT(false, NATS_PULLED("3"));
    SEND_TEXT(true, NATS_ASK("fixed") NATS_ASK("fixed"));
    SEND_TEXT(false, NATS_SAY("fixed") NATS_SAY("fixed"));
    SEND_TEXT(true, NATS_PING);
    SEND_TEXT(false, NATS_PONG);
    scene_check(
        &scene,
        "PING 6/6 , REQUEST svc 20/18 , REQUEST $JS.API.CONSUMER.MSG.NEXT.S.C 50/43  poll, "
        "REQUEST $JS.API.CONSUMER.MSG.NEXT.S.C 50/43  poll, REQUEST svc 20 lost, REQUEST svc 20 lost, PING 6/6 ");
}

/* The first line may be cut anywhere: HTTP has a CONNECT, too. */
static void
test_nats_connect(void)
{
    static const char connect[] = "CONNECT {\"verbose\":true,\"pedantic\":false}\r\n";
    for (size_t cut = 1; cut < sizeof connect - 1; cut++) {
        struct scene scene;
        open_scene(&scene);
        SEND_TEXT(false, "INFO {\"server_id\":\"N\"}\r\n");
        send(&scene, true, connect, cut);
        send(&scene, true, connect + cut, sizeof connect - 1 - cut);
        SEND_TEXT(false, "+OK\r\n");
        SEND_TEXT(true, "SUB a 1\r\n");
        SEND_TEXT(false, "+OK\r\n");
        scene_check(&scene, "CONNECT 43/5 , SUB a 9/5 ");
    }
}

#define TDS_PACKET(type, status, length) type status "\0" length "\0\0\1\0"
#define TDS_HEADERS                      "\x16\0\0\0\x12\0\0\0\2\0\0\0\0\0\0\0\0\0\1\0\0\0"
#define TDS_BATCH                        TDS_PACKET("\1", "\1", "\x20") TDS_HEADERS "G\0"
#define TDS_ATTENTION                    TDS_PACKET("\6", "\1", "\x08")
#define TDS_DONE(status)                 TDS_PACKET("\4", "\1", "\x15") "\xfd" status "\xc1\0\0\0\0\0\0\0\0\0"

/* What an attention cancels is answered, and has not failed; what the server says to an attention that comes too late
 * answers nothing. A client that asks again had its answer. */
static void
test_tds_attention(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(true, TDS_ATTENTION);
    SEND_TEXT(false, TDS_DONE("\x20\0"));
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(false, TDS_DONE("\2\0"));
    SEND_TEXT(true, TDS_ATTENTION);
    SEND_TEXT(false, TDS_DONE("\x20\0"));
    SEND_TEXT(true, TDS_BATCH);
    scene.seq[false] += sizeof TDS_DONE("\0\0") - 1;
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(false, TDS_DONE("\0\0"));
    scene_give_up(&scene);
    scene_check(&scene, "G 32/21 attention, G 32/21 failed!, G 32 lost, G 32/21 ");
}

#define TDS_SMP(session, length) "S\x08" session "\0" length "\0\0\0\1\0\0\0\4\0\0\0"

/* What stands behind the rest of a session's header is not what no session has asked. */
static void
test_tds_outside(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, TDS_SMP("\0", "\x30") TDS_BATCH);
    SEND_TEXT(false, TDS_SMP("\0", "\x25") TDS_DONE("\0\0"));
    scene.seq[true] += 62;
    SEND_TEXT(true, "\0\0" TDS_BATCH);
    SEND_TEXT(false, TDS_SMP("\0", "\x25") TDS_DONE("\0\0"));
    scene_give_up(&scene);
    scene_check(&scene, "G 48/37 ");
    open_scene(&scene);
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(true, TDS_SMP("\1", "\x30") TDS_BATCH);
    SEND_TEXT(false, TDS_SMP("\0", "\x25") TDS_DONE("\0\0"));
    SEND_TEXT(false, TDS_SMP("\1", "\x25") TDS_DONE("\0\0"));
    scene_check(&scene, "G 32 lost, G 48/37 ");
}

#define TDS_OPTIONS "\0\0\x0b\0\6\1\0\x11\0\1\xff\x0f\0\7\xd0\0\0\0"
#define TLS_HELLO   "\x16\3\1\0\5\1\0\0\1\3"
#define TLS_ANSWER  "\x16\3\3\0\5\2\0\0\1\3"
#define TLS_DATA    "\x17\3\3\0\4data"

/* TLS begins in packets of TDS. If the log-in alone is a record of it, what follows is read; if all is, it goes by
 * turns. */
static void
test_tds_tls(void)
{
    for (unsigned all = 0; all < 2; all++) {
        struct scene scene;
        open_scene(&scene);
        SEND_TEXT(true, TDS_PACKET("\x12", "\1", "\x1a") TDS_OPTIONS);
        SEND_TEXT(false, TDS_PACKET("\4", "\1", "\x1a") TDS_OPTIONS);
        SEND_TEXT(true, TDS_PACKET("\x12", "\1", "\x12") TLS_HELLO);
        SEND_TEXT(false, TDS_PACKET("\x12", "\1", "\x12") TLS_ANSWER);
        SEND_TEXT(true, TDS_PACKET("\x12", "\1", "\x11") TLS_DATA);
        SEND_TEXT(false, TDS_PACKET("\x12", "\1", "\x11") TLS_DATA);
        SEND_TEXT(true, TLS_DATA);
        if (all) {
            SEND_TEXT(false, TLS_DATA);
            SEND_TEXT(true, TLS_DATA TLS_DATA);
            SEND_TEXT(false, TLS_DATA);
        } else {
            SEND_TEXT(false, TDS_DONE("\0\0"));
            SEND_TEXT(true, TDS_BATCH);
            SEND_TEXT(false, TDS_DONE("\2\0"));
        }
        g_assert_cmpint(scene.connection->session == SESSION_MESSAGES, ==, !all);
        scene_check(&scene, all ? "prelogin 26/26 , TLS handshake 18/18 , login 9/9 , TLS Application Data 18/9 "
                                : "prelogin 26/26 , TLS handshake 18/18 , login 9/21 , G 32/21 failed!");
    }
}

/* The beginning of an answer whose rest is missing is not of the request after it. */
static void
test_tds_late(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, TDS_BATCH);
    send(&scene, false, TDS_DONE("\0\0"), 12);
    scene.seq[false] += sizeof TDS_DONE("\0\0") - 1 - 12;
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(false, TDS_DONE("\0\0"));
    scene_give_up(&scene);
    scene_check(&scene, "G 32 lost, G 32/21 ");
}

/* Of a request the snap length has left the header alone: the next answer is not of the one before it. */
static void
test_tds_header_alone(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, TDS_BATCH);
    scene.seq[false] += sizeof TDS_DONE("\0\0") - 1;
    scene_send(&scene, true, TDS_BATCH, sizeof TDS_BATCH - 1, 8);
    SEND_TEXT(false, TDS_DONE("\0\0"));
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(false, TDS_DONE("\0\0"));
    scene_give_up(&scene);
    scene_check(&scene, "G 32 lost, G 32/21 ");
}

#define TDS_SMP_ALONE(flags) "S" flags "\0\0\x10\0\0\0\0\0\0\0\4\0\0\0"

/* Where the capture begins in the middle, a session may begin before it asks, or go on: with its request, or alone. */
static void
test_tds_session_begins(void)
{
    struct scene scene;
    open_scene(&scene);
    SEND_TEXT(true, TDS_SMP_ALONE("\1") TDS_SMP("\0", "\x30") TDS_BATCH);
    SEND_TEXT(false, TDS_SMP("\0", "\x25") TDS_DONE("\0\0"));
    scene_check(&scene, "G 48/37 ");
    for (unsigned bytes = 2; bytes <= 16; bytes += 7) {
        open_scene(&scene);
        send(&scene, true, TDS_SMP_ALONE("\2"), bytes);
        send(&scene, true, &TDS_SMP_ALONE("\2")[bytes], 16 - bytes);
        SEND_TEXT(true, TDS_SMP("\0", "\x30") TDS_BATCH);
        SEND_TEXT(false, TDS_SMP("\0", "\x25") TDS_DONE("\0\0"));
        scene_check(&scene, "G 48/37 ");
    }
}

/* Of a connection's sessions the latest are kept. */
static void
test_tds_sessions(void)
{
    enum { SESSIONS = 65, SESSION_AT = 2, SMP_BYTES = 16 };
    static const char smp[] = "S\x08\0\0\x30\0\0\0\1\0\0\0\4\0\0\0";
    struct scene scene;
    char asked[SMP_BYTES + sizeof TDS_BATCH - 1], answered[SMP_BYTES + sizeof TDS_DONE("\0\0") - 1];
    open_scene(&scene);
    SEND_TEXT(true, TDS_BATCH);
    SEND_TEXT(false, TDS_DONE("\0\0"));
    memcpy(asked, smp, SMP_BYTES);
    memcpy(asked + SMP_BYTES, TDS_BATCH, sizeof TDS_BATCH - 1);
    memcpy(answered, smp, SMP_BYTES);
    answered[4] = (char)sizeof answered;
    memcpy(answered + SMP_BYTES, TDS_DONE("\0\0"), sizeof TDS_DONE("\0\0") - 1);
    for (unsigned i = 1; i < SESSIONS; i++) {
        asked[SESSION_AT] = (char)i;
        send(&scene, true, asked, sizeof asked);
    }
    for (unsigned i = 1; i < SESSIONS; i++) {
        answered[SESSION_AT] = (char)i;
        send(&scene, false, answered, sizeof answered);
    }
    asked[SESSION_AT] = 0;
    send(&scene, true, asked, sizeof asked);
    asked[SESSION_AT] = SESSIONS;
    send(&scene, true, asked, sizeof asked);
    analysis_end(scene.analysis);
    unsigned n_answered = 0;
    for (uint32_t i = 0; i < scene.connection->n_requests; i++)
        n_answered += scene.connection->requests[i]->response.first_frame > 0;
    g_assert_cmpuint(scene.connection->n_requests, ==, SESSIONS + 2);
    g_assert_cmpuint(n_answered, ==, SESSIONS);
    scene_close(&scene);
}

/* What has a request's form alone, and is answered in another, is somebody else's; and a number more goes with it. */
static void
test_zookeeper_mistaken(void)
{
    static const char asked[] = "\0\0\0\x08\0\0\0\5\0\0\0\x6b", said[] = "\0\0\0\x10\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0\0";
    struct scene scene;
    open_scene(&scene);
    send(&scene, true, asked, sizeof asked - 1);
    send(&scene, false, said, sizeof said - 1);
    g_assert_cmpint(scene.connection->session, !=, SESSION_MESSAGES);
    scene_check(&scene, " 12/20 ");
}

/* A connection is read by turns, is held, has messages, goes by turns behind nonsense, and is over once another
 * protocol follows. */
static void
test_session(void)
{
    static const struct {
        bool from_client;
        const char *text;
        enum session session;
    } said[] = {
        { true, "GET /a HT", SESSION_OPENING },
        { true, "TP/1.1\r\nHost: a\r\n\r\n", SESSION_MESSAGES },
        { false, "HTTP/1.1 204 OK\r\n\r\n", SESSION_MESSAGES },
        { true, "\1\2\3\4\n", SESSION_TURNS },
        { false, "\4\3\2\1\n", SESSION_TURNS },
        { true, "*1\r\n$7\r\nMONITOR\r\n", SESSION_OVER },
        { false, "+OK\r\n", SESSION_OVER },
        { false, "+1.0 [0 lua] \"get\" \"a\"\r\n", SESSION_OVER },
        { true, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", SESSION_OVER },
    };
    struct scene scene;
    open_scene(&scene);
    scene_shake_hands(&scene);
    for (unsigned i = 0; i < G_N_ELEMENTS(said); i++) {
        scene_say(&scene, said[i].from_client, said[i].text);
        g_assert_cmpint(scene.connection->session, ==, said[i].session);
    }
    scene_close(&scene);
}

void
reading_tests_add(void)
{
    for (const struct exchange *each = exchanges; each->name; each++) {
        char *cuts = g_strdup_printf("/reading/%s/cuts", each->name);
        char *bytes = g_strdup_printf("/reading/%s/bytes", each->name);
        g_test_add_data_func(cuts, each, test_cuts);
        g_test_add_data_func(bytes, each, test_bytes);
        g_free(cuts);
        g_free(bytes);
    }
    g_test_add_func("/reading/binary", test_binary);
    g_test_add_func("/reading/session", test_session);
    g_test_add_func("/reading/group-without-end", test_group_without_end);
    g_test_add_func("/reading/tunnel", test_tunnel);
    g_test_add_func("/reading/streams", test_streams);
    g_test_add_func("/reading/websocket", test_websocket);
    g_test_add_func("/reading/websocket-gap", test_websocket_gap);
    g_test_add_func("/reading/snap", test_snap);
    g_test_add_func("/reading/cut-head", test_cut_head);
    g_test_add_func("/reading/loss", test_loss);
    g_test_add_func("/reading/lost-requests", test_lost_requests);
    g_test_add_func("/reading/lost-answer-in-flight", test_lost_answer_in_flight);
    g_test_add_func("/reading/lost-request-in-flight", test_lost_request_in_flight);
    g_test_add_func("/reading/elements", test_elements);
    g_test_add_func("/reading/rest-of-line", test_rest_of_line);
    g_test_add_func("/reading/silence-behind-gap", test_silence_behind_gap);
    g_test_add_func("/reading/silence-before-gap", test_silence_before_gap);
    g_test_add_func("/reading/short-behind-long", test_short_behind_long);
    g_test_add_func("/reading/no-habit", test_no_habit);
    g_test_add_func("/reading/habit", test_habit);
    g_test_add_func("/reading/head-in-doubt", test_head_in_doubt);
    g_test_add_func("/reading/middle-of-answer", test_middle_of_answer);
    g_test_add_func("/reading/endless", test_endless);
    g_test_add_func("/reading/searches", test_searches);
    g_test_add_func("/reading/nameless", test_nameless);
    g_test_add_func("/reading/nonsense", test_nonsense);
    g_test_add_func("/reading/unknown-line", test_unknown_line);
    g_test_add_func("/reading/surplus", test_surplus);
    g_test_add_func("/reading/expectation", test_expectation);
    g_test_add_func("/reading/replica", test_replica);
    g_test_add_func("/reading/late-surplus", test_late_surplus);
    g_test_add_func("/reading/methods", test_methods);
    g_test_add_func("/reading/long-line", test_long_line);
    g_test_add_func("/reading/fields", test_fields);
    g_test_add_func("/reading/last-coding", test_last_coding);
    g_test_add_func("/reading/keyless", test_keyless);
    g_test_add_func("/reading/line-in-segments", test_line_in_segments);
    g_test_add_func("/reading/zookeeper-pings", test_zookeeper_pings);
    g_test_add_func("/reading/zookeeper-doubt", test_zookeeper_doubt);
    g_test_add_func("/reading/zookeeper-multi", test_zookeeper_multi);
    g_test_add_func("/reading/zookeeper-rest", test_zookeeper_rest);
    g_test_add_func("/reading/zookeeper-many", test_zookeeper_many);
    g_test_add_func("/reading/nats-pings", test_nats_pings);
    g_test_add_func("/reading/nats-inboxes", test_nats_inboxes);
    g_test_add_func("/reading/nats-connect", test_nats_connect);
    g_test_add_func("/reading/tds-attention", test_tds_attention);
    g_test_add_func("/reading/tds-outside", test_tds_outside);
    g_test_add_func("/reading/tds-tls", test_tds_tls);
    g_test_add_func("/reading/tds-late", test_tds_late);
    g_test_add_func("/reading/tds-header-alone", test_tds_header_alone);
    g_test_add_func("/reading/tds-session-begins", test_tds_session_begins);
    g_test_add_func("/reading/tds-sessions", test_tds_sessions);
    g_test_add_func("/reading/mqtt-again", test_mqtt_again);
    g_test_add_func("/reading/mqtt-aliases", test_mqtt_aliases);
    g_test_add_func("/reading/mqtt-middle", test_mqtt_middle);
    g_test_add_func("/reading/zookeeper-mistaken", test_zookeeper_mistaken);
}
