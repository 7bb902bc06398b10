/* test-websocket.c
 * Messages of a WebSocket that ids pair: JSON-RPC and GraphQL in texts, however frames and segments cut them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "scene.h"
#include "unit.h"

#define GRAPHQL(id, query) "{\"id\":\"" id "\",\"type\":\"subscribe\",\"payload\":{\"query\":\"" query "\"}}"

static const char accepted[] = "GET /chat 42/56 101 stream";

enum { CONTINUATION, TEXT, BINARY, PING = 9, LAST = 0x80, COMPRESSED = 0x40 };

static void
open_scene(struct scene *scene)
{
    scene_open(scene, 80, 1000);
    scene->settings.websocket_ids = true;
    scene_say(scene, true, "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
    scene_say(scene, false, "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\n\r\n");
}

/* Appends a frame, RFC 6455 §5.2. */
static void
add_frame(GString *bytes, bool from_client, unsigned first, const char *content, size_t n)
{
    static const char key[] = "K\xf0Y\1";
    const char mask = from_client ? '\x80' : '\0';
    g_string_append_c(bytes, (char)first);
    g_string_append_c(bytes, (char)(mask | (n < 126 ? (int)n : n < 65536 ? 126 : 127)));
    for (unsigned i = n < 126 ? 0 : n < 65536 ? 2 : 8; i > 0; i--)
        g_string_append_c(bytes, (char)((uint64_t)n >> 8 * (i - 1)));
    if (from_client)
        g_string_append_len(bytes, key, 4);
    for (size_t i = 0; i < n; i++)
        g_string_append_c(bytes, (char)(from_client ? content[i] ^ key[i % 4] : content[i]));
}

static void
say_frame(struct scene *scene, bool from_client, unsigned first, const char *content)
{
    GString *bytes = g_string_new("");
    add_frame(bytes, from_client, first, content, strlen(content));
    scene_send(scene, from_client, bytes->str, bytes->len, bytes->len);
    g_string_free(bytes, TRUE);
}

static void
say(struct scene *scene, bool from_client, const char *content)
{
    say_frame(scene, from_client, LAST | TEXT, content);
}

static void
check(struct scene *scene, const char *expected)
{
    char *whole = g_strdup_printf("%s%s%s", accepted, *expected ? ", " : "", expected);
    scene_check(scene, whole);
    g_free(whole);
}

/* What a client asks, in all forms, and what it is answered: each a text; a frame of its own. */
static const char *const asked[] = {
    "{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,{\"id\":9}],\"id\":1}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":[\"id\"]}",
    " { \"id\" : \"1\" , \"params\" : \"\\\"}{\" , \"method\" : \"echo\" } ",
    "[{\"method\":\"batch\",\"id\":7}]",
    "{\"id\":-3,\"method\":\"fail\"}",
    "{\"id\":8,\"result\":true}",
    "{\"type\":\"connection_init\"}",
    "{\"id\":\"0b4c3f1e-7a52-4c0f\",\"type\":\"subscribe\",\"payload\":{\"query\":\"query Users{users{id}}\","
    "\"operationName\":\"Users\"}}",
    GRAPHQL("2", "\\n subscription{ticks}"),
    "{\"id\":4,\"method\":\"old\"}",
    "{\"id\":\"5\",\"type\":\"start\",\"payload\":{}}",
    "not JSON",
};
static const char *const answered[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ask\"}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"tick\",\"params\":{\"id\":1,\"result\":2}}",
    "{\"type\":\"connection_ack\"}",
    "{\"jsonrpc\":\"2.0\",\"result\":{\"id\":4,\"error\":{\"code\":1}},\"id\":\"1\"}",
    "{\"id\":1,\"result\":\"\\\\\"}",
    "{\"error\":{\"data\":{\"code\":5},\"message\":\"code\",\"code\":-32601},\"id\":-3}",
    "{\"id\":\"2\",\"type\":\"next\",\"payload\":{\"data\":{}}}",
    "{\"id\":\"0b4c3f1e-7a52-4c0f\",\"type\":\"error\",\"payload\":[]}",
    "{\"id\":\"2\",\"type\":\"next\",\"payload\":{\"data\":{}}}",
    "{\"id\":\"2\",\"type\":\"complete\"}",
    "{\"id\":4,\"result\":null,\"error\":\"none\"}",
    "{\"id\":\"5\",\"type\":\"complete\"}",
};
static const char dialogue[] = "sum 67/24 , echo 62/65 , fail 31/70 -32601!, Users 121/57 error!, "
                               "subscribe 80/48  poll, old 29/39 error!, subscribe 44/30 ";

static GString *
frames_of(bool from_client, const char *const *texts, size_t n)
{
    GString *bytes = g_string_new("");
    for (size_t i = 0; i < n; i++)
        add_frame(bytes, from_client, LAST | TEXT, texts[i], strlen(texts[i]));
    return bytes;
}

/* The same however segments cut it. */
static void
test_cuts(void)
{
    GString *asks = frames_of(true, asked, G_N_ELEMENTS(asked));
    GString *answers = frames_of(false, answered, G_N_ELEMENTS(answered));
    for (size_t cut = 0; cut < asks->len + answers->len; cut++) {
        struct scene scene;
        const size_t first = MIN(cut, asks->len), second = cut > asks->len ? cut - asks->len : 0;
        open_scene(&scene);
        scene_send(&scene, true, asks->str, first, first);
        scene_send(&scene, true, asks->str + first, asks->len - first, asks->len - first);
        scene_send(&scene, false, answers->str, second, second);
        scene_send(&scene, false, answers->str + second, answers->len - second, answers->len - second);
        g_assert_cmpuint(scene.connection->requests[0]->parts.content[true], ==, CONTENT_UNKNOWN);
        g_test_message("cut at %zu", cut);
        check(&scene, dialogue);
    }
    g_string_free(asks, TRUE);
    g_string_free(answers, TRUE);
}

static void
send_bytes(struct scene *scene, bool from_client, const GString *bytes, size_t each)
{
    for (size_t at = 0; at < bytes->len; at += each) {
        const size_t n = MIN(each, bytes->len - at);
        scene_send(scene, from_client, bytes->str + at, n, n);
    }
}

/* And with a byte in each. */
static void
test_bytes(void)
{
    struct scene scene;
    GString *asks = frames_of(true, asked, G_N_ELEMENTS(asked));
    GString *answers = frames_of(false, answered, G_N_ELEMENTS(answered));
    open_scene(&scene);
    send_bytes(&scene, true, asks, 1);
    send_bytes(&scene, false, answers, 1);
    check(&scene, dialogue);
    g_string_free(asks, TRUE);
    g_string_free(answers, TRUE);
}

/* Long messages, whose ids stand at their ends, in one frame and in several, between which there are pings. */
static void
test_long(void)
{
    static const size_t lengths[] = { 100, 600, 70000 };
    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++)
        for (unsigned each = 10; each <= 100000; each *= 10) {
            struct scene scene;
            char *rest = g_strnfill(lengths[i], 'x');
            char *asks = g_strdup_printf("{\"method\":\"long\",\"params\":\"%s\",\"id\":1}", rest);
            char *answers = g_strdup_printf("{\"result\":\"%s\",\"id\":1}", rest);
            const size_t half = lengths[i] / 2, n = strlen(answers);
            GString *bytes = g_string_new("");
            open_scene(&scene);
            add_frame(bytes, true, LAST | TEXT, asks, strlen(asks));
            send_bytes(&scene, true, bytes, each);
            const size_t n_asks = bytes->len;
            g_string_truncate(bytes, 0);
            add_frame(bytes, false, TEXT, answers, half);
            add_frame(bytes, false, LAST | PING, "ping", 4);
            add_frame(bytes, false, CONTINUATION, answers + half, n - half - 2);
            add_frame(bytes, false, LAST | CONTINUATION, answers + n - 2, 2);
            const size_t n_answers = bytes->len;
            add_frame(bytes, false, LAST | TEXT, "{}", 2);
            send_bytes(&scene, false, bytes, each);
            char *expected = g_strdup_printf("long %zu/%zu ", n_asks, n_answers);
            check(&scene, expected);
            g_string_free(bytes, TRUE);
            g_free(expected);
            g_free(answers);
            g_free(asks);
            g_free(rest);
        }
}

/* What has an id that is none, or one that can be written in several ways, asks nothing; and numbers are no texts. */
static void
test_odd_ids(void)
{
    static const char *const ids[] = { "null", "1.5",          "1e3",
                                       "-",    "true",         "{\"id\":1}",
                                       "[1]",  "\"a\\u0062\"", "1234567890123456789" };
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < G_N_ELEMENTS(ids); i++) {
        char *asks = g_strdup_printf("{\"method\":\"odd\",\"id\":%s}", ids[i]);
        char *answers = g_strdup_printf("{\"id\":%s,\"result\":1}", ids[i]);
        say(&scene, true, asks);
        say(&scene, false, answers);
        g_free(asks);
        g_free(answers);
    }
    say(&scene, true, "{\"method\":\"number\",\"id\":12}");
    say(&scene, false, "{\"id\":\"12\",\"result\":1}");
    say(&scene, true, "{\"method\":\"text\",\"id\":\"13\"}");
    say(&scene, false, "{\"id\":13,\"result\":1}");
    check(&scene, "number 33 -, text 33 -");
}

/* An id that is used again before its answer: nobody knows which is whose, nor from then on. */
static void
test_again(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, "{\"method\":\"a\",\"id\":1}");
    say(&scene, true, "{\"method\":\"b\",\"id\":1}");
    say(&scene, true, "{\"method\":\"c\",\"id\":2}");
    say(&scene, false, "{\"id\":1,\"result\":1}");
    say(&scene, true, "{\"method\":\"d\",\"id\":1}");
    say(&scene, false, "{\"id\":1,\"result\":1}");
    say(&scene, false, "{\"id\":2,\"result\":1}");
    check(&scene, "a 27 lost, b 27 lost, c 27/21 , d 27 lost");
}

/* More of these than are remembered: nothing pairs any more. */
static void
test_again_and_again(void)
{
    enum { KEPT = 32 };
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 2 * KEPT + 4; i++) {
        char *asks = g_strdup_printf("{\"method\":\"a\",\"id\":%u}", i / 2);
        say(&scene, true, asks);
        g_free(asks);
    }
    say(&scene, false, "{\"id\":0,\"result\":1}");
    say(&scene, false, "{\"id\":33,\"result\":1}");
    g_assert_cmpuint(scene.connection->n_requests, ==, 2 * KEPT + 2);
    for (uint32_t i = 1; i < scene.connection->n_requests; i++)
        g_assert_cmpint(request_outcome(&scene.analysis->requests, scene.connection->requests[i]), ==, OUTCOME_LOST);
    scene_close(&scene);
}

/* An id that comes again once it was answered. */
static void
test_one_id(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 3; i++) {
        say(&scene, true, "{\"method\":\"a\",\"id\":1}");
        say(&scene, false, "{\"id\":1,\"result\":1}");
    }
    check(&scene, "a 27/21 , a 27/21 , a 27/21 ");
}

/* A client that wants no answer any more; one may be on its way when it uses the id again. */
static void
test_cancelled(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, GRAPHQL("1", "subscription{a}"));
    say(&scene, true, "{\"id\":\"1\",\"type\":\"complete\"}");
    say(&scene, true, GRAPHQL("1", "{b}"));
    say(&scene, false, "{\"id\":\"1\",\"type\":\"next\"}");
    g_assert_cmpint(scene.connection->requests[1]->ending, ==, ENDING_CANCELLED);
    check(&scene, "subscribe 73 - poll, subscribe 61 lost");
}

/* Nothing comes behind the end that a server confirms. */
static void
test_stopped(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 2; i++) {
        say(&scene, true, GRAPHQL("1", "{b}"));
        say(&scene, false, "{\"id\":\"1\",\"type\":\"data\"}");
        say(&scene, true, "{\"id\":\"1\",\"type\":\"stop\"}");
        say(&scene, false, "{\"id\":\"1\",\"type\":\"complete\"}");
    }
    g_assert_cmpuint(scene.connection->n_requests, ==, 1 + 2);
    for (unsigned i = 0; i < 3; i++)
        g_assert_cmpint(request_outcome(&scene.analysis->requests, scene.connection->requests[i]), ==,
                        OUTCOME_ANSWERED);
    scene_close(&scene);
}

/* Of more ids that were cancelled than are kept, any may be used again. */
static void
test_cancelled_again_and_again(void)
{
    enum { KEPT = 32 };
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i <= KEPT; i++) {
        char *asks = g_strdup_printf("{\"id\":\"%u\",\"type\":\"subscribe\",\"payload\":{\"query\":\"{b}\"}}", i);
        char *cancels = g_strdup_printf("{\"id\":\"%u\",\"type\":\"complete\"}", i);
        say(&scene, true, asks);
        say(&scene, true, cancels);
        g_free(asks);
        g_free(cancels);
    }
    say(&scene, true, GRAPHQL("0", "{b}"));
    say(&scene, false, "{\"id\":\"0\",\"type\":\"next\"}");
    g_assert_cmpuint(scene.connection->n_requests, ==, 1 + KEPT + 1);
    scene_close(&scene);
}

/* GraphQL ignores what stands before a query: blanks, commas, comments. */
static void
test_ignored(void)
{
    static const char *const queries[] = { "#c\\nsubscription{a}", "\\n, #\\t\\n,subscription S{a}",
                                           " subscription{a}" };
    for (unsigned i = 0; i < G_N_ELEMENTS(queries); i++) {
        struct scene scene;
        char *asks =
            g_strdup_printf("{\"id\":\"1\",\"type\":\"subscribe\",\"payload\":{\"query\":\"%s\"}}", queries[i]);
        open_scene(&scene);
        say(&scene, true, asks);
        g_assert_true(scene.connection->requests[1]->awaits_event);
        scene_close(&scene);
        g_free(asks);
    }
}

/* The snap length cuts the client's key: that message is not read, and the next one is. */
static void
test_snap_key(void)
{
    static const char asks[] = "{\"id\":12,\"method\":\"a\"}";
    for (size_t captured = 2; captured < 6; captured++) {
        struct scene scene;
        GString *bytes = g_string_new("");
        open_scene(&scene);
        add_frame(bytes, true, LAST | TEXT, asks, strlen(asks));
        scene_send(&scene, true, bytes->str, bytes->len, captured);
        say(&scene, true, "{\"method\":\"b\",\"id\":1}");
        say(&scene, false, "{\"id\":1,\"result\":1}");
        g_test_message("%zu captured", captured);
        check(&scene, "b 27/21 ");
        g_string_free(bytes, TRUE);
    }
}

/* Where bytes are missing, or are no frames, what waits is lost, and nothing asks any more. */
static void
test_gap(void)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        const bool from_client = kind % 2;
        struct scene scene;
        open_scene(&scene);
        say(&scene, true, "{\"method\":\"a\",\"id\":1}");
        say(&scene, false, "{\"id\":1,\"result\":1}");
        say(&scene, true, "{\"method\":\"a\",\"id\":2}");
        if (kind < 2)
            scene.seq[from_client] += 40;
        else
            scene_say(&scene, from_client, "none");
        say(&scene, from_client, "{\"id\":1,\"result\":1}");
        scene_give_up(&scene);
        say(&scene, false, "{\"id\":2,\"result\":1}");
        say(&scene, true, "{\"method\":\"a\",\"id\":3}");
        say(&scene, false, "{\"id\":3,\"result\":1}");
        g_test_message("kind %u", kind);
        check(&scene, "a 27/21 , a 27 lost");
    }
}

/* What is not read may be an answer: lost, unless it comes yet. Or it asks, under an id that waits. */
static void
test_unread(void)
{
    static const unsigned firsts[] = { LAST | TEXT | COMPRESSED, LAST | BINARY, LAST | TEXT };
    for (unsigned i = 0; i < G_N_ELEMENTS(firsts); i++) {
        struct scene scene;
        open_scene(&scene);
        say(&scene, true, "{\"method\":\"a\",\"id\":1}");
        say(&scene, true, "{\"method\":\"a\",\"id\":2}");
        say_frame(&scene, false, firsts[i], "[1]");
        say(&scene, false, "{\"id\":2,\"result\":1}");
        say_frame(&scene, true, firsts[i], "[1]");
        say(&scene, false, "{\"id\":1,\"result\":1}");
        say(&scene, true, "{\"method\":\"a\",\"id\":3}");
        say_frame(&scene, true, firsts[i], "[1]");
        say(&scene, false, "{\"id\":3,\"result\":1}");
        check(&scene, "a 27 lost, a 27/21 , a 27/21 ");
    }
}

/* What was missed does not matter once nothing waits. */
static void
test_unread_before(void)
{
    struct scene scene;
    open_scene(&scene);
    for (unsigned i = 0; i < 2; i++) {
        say(&scene, true, "{\"method\":\"a\",\"id\":1}");
        say_frame(&scene, i == 0 ? false : true, LAST | BINARY, "x");
        say(&scene, false, "{\"id\":1,\"result\":1}");
    }
    check(&scene, "a 27/21 , a 27/21 ");
}

/* The snap length cuts an id, and what stands behind it. */
static void
test_snap(void)
{
    static const char asks[] = "{\"id\":12,\"method\":\"a\",\"params\":\"0123456789\"}";
    static const char answers[] = "{\"id\":12,\"result\":{\"a\":\"0123456789\"}}";
    for (size_t captured = 6; captured < sizeof answers; captured++) {
        struct scene scene;
        GString *bytes = g_string_new("");
        open_scene(&scene);
        add_frame(bytes, true, LAST | TEXT, asks, strlen(asks));
        scene_send(&scene, true, bytes->str, bytes->len, MIN(bytes->len, captured + 4));
        const size_t n_asks = bytes->len;
        g_string_truncate(bytes, 0);
        add_frame(bytes, false, LAST | TEXT, answers, strlen(answers));
        scene_send(&scene, false, bytes->str, bytes->len, captured);
        say(&scene, true, "{\"method\":\"b\",\"id\":1}");
        say(&scene, false, "{\"id\":1,\"result\":1}");
        const bool has_asked = captured >= 2 + strlen("{\"id\":12,\"method\":\"a\""),
                   shows = captured > 2 + strlen("{\"id\":12,\"result\":");
        char *expected = g_strdup_printf(
            has_asked ? shows ? "a %zu/%zu , b 27/21 " : "a %zu lost, b 27/21 " : "b 27/21 ", n_asks, bytes->len);
        g_test_message("%zu captured", captured);
        check(&scene, expected);
        g_free(expected);
        g_string_free(bytes, TRUE);
    }
}

void
websocket_tests_add(void)
{
    g_test_add_func("/websocket/cuts", test_cuts);
    g_test_add_func("/websocket/bytes", test_bytes);
    g_test_add_func("/websocket/long", test_long);
    g_test_add_func("/websocket/odd-ids", test_odd_ids);
    g_test_add_func("/websocket/again", test_again);
    g_test_add_func("/websocket/again-and-again", test_again_and_again);
    g_test_add_func("/websocket/one-id", test_one_id);
    g_test_add_func("/websocket/cancelled", test_cancelled);
    g_test_add_func("/websocket/gap", test_gap);
    g_test_add_func("/websocket/unread", test_unread);
    g_test_add_func("/websocket/snap", test_snap);
    g_test_add_func("/websocket/snap-key", test_snap_key);
    g_test_add_func("/websocket/unread-before", test_unread_before);
    g_test_add_func("/websocket/stopped", test_stopped);
    g_test_add_func("/websocket/cancelled-again-and-again", test_cancelled_again_and_again);
    g_test_add_func("/websocket/ignored", test_ignored);
}
