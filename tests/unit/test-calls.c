/* test-calls.c
 * Which request caused which, of requests that a test makes up.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>
#include <time.h>

#include <glib.h>

#include "core/calls/calls_host.h"
#include "core/calls/same_hosts.h"
#include "core/request/request.h"
#include "scene.h"
#include "table/call_source.h"

enum { NS_PER_MS = 1000000 };

/* Requests of a capture: what was asked whom, when. Hosts are numbers, the last byte of their address. */
struct story {
    struct settings settings;
    struct requests requests;
    struct calls *calls;
    uint32_t n_connections;
    uint32_t frame;
    bool is_halfway; /* connections began before the capture */
    GPtrArray *made; /* to be freed */
};

static void
story_open(struct story *story, const char *same_hosts)
{
    *story = (struct story){ .settings = { .same_hosts = same_hosts, .call_percent = 101 },
                             .made = g_ptr_array_new_with_free_func(g_free) };
    story->requests.settings = &story->settings;
    story->calls = calls_new(&story->settings);
}

static void
story_close(struct story *story)
{
    calls_free(story->calls);
    g_free(story->requests.ids.all);
    g_ptr_array_free(story->made, TRUE);
}

static struct endpoint
host(unsigned number, uint16_t port)
{
    return (struct endpoint){ .address = { 10, 0, 0, (uint8_t)number }, .port = port };
}

static struct connection *
connect_hosts(struct story *story, unsigned client, unsigned server)
{
    struct connection *connection = g_new0(struct connection, 1);
    connection->tcp = g_new0(struct tcp_part, 1);
    g_ptr_array_add(story->made, connection->tcp);
    g_ptr_array_add(story->made, connection);
    connection->number = ++story->n_connections;
    connection->endpoint[0] = host(client, (uint16_t)(1024 + connection->number));
    connection->endpoint[1] = host(server, 80);
    connection->ended_ns = INT64_MAX;
    connection->tcp->connect.syn_frame = story->is_halfway ? 0 : 1;
    return connection;
}

/* A request that the client makes on a connection, in milliseconds; `end_ms` -1: it has no response. */
static struct request
ask_on(struct story *story, struct connection *connection, const char *operation, double begin_ms, double end_ms)
{
    struct request request = {
        .connection = connection,
        .operation = operation,
        .number = ++story->requests.count,
        .first_ns = (int64_t)(begin_ms * NS_PER_MS),
        .last_ns = (int64_t)(begin_ms * NS_PER_MS),
        .first_frame = ++story->frame,
        .by_messages = true,
        .protocol = PROTOCOL_HTTP,
    };
    if (end_ms >= 0) {
        request.response.first_ns = request.response.last_ns = (int64_t)(end_ms * NS_PER_MS);
        request.response.first_frame = request.response.last_frame = ++story->frame;
    }
    return request;
}

/* The same on a connection of its own, taken at once. Returns its number. */
static uint32_t
ask(struct story *story, unsigned client, unsigned server, const char *operation, double begin_ms, double end_ms)
{
    const struct request request = ask_on(story, connect_hosts(story, client, server), operation, begin_ms, end_ms);
    calls_take(story->calls, &story->requests, &request);
    return request.number;
}

static void
check(struct story *story, uint32_t number, enum call_rule rule, uint32_t cause, unsigned candidates)
{
    calls_tell(story->calls, &story->requests.ids);
    const struct call *call = calls_find(story->calls, number);
    g_assert_nonnull(call);
    g_assert_cmpstr(call_rule_name(call->rule), ==, call_rule_name(rule));
    g_assert_cmpuint(call->cause, ==, cause);
    g_assert_cmpuint(call->candidates, ==, candidates);
}

/* The same of one with ids, letters of which are one each; capitals are words of a comment. */
static uint32_t
ask_with(struct story *story, unsigned client, unsigned server, const char *ids, double begin_ms, double end_ms)
{
    const struct request request =
        ask_on(story, connect_hosts(story, client, server), client == 1 ? "GET /a" : "GET /b", begin_ms, end_ms);
    for (const char *id = ids; *id; id++)
        request_ids_add(&story->requests, &request, g_ascii_isupper(*id) ? ID_TEXT : ID_REQUEST,
                        (uint64_t)g_ascii_tolower(*id));
    calls_take(story->calls, &story->requests, &request);
    return request.number;
}

/* A browser (1) asks a web server (2), which asks a database (3). */
static void
check_only(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t page = ask(&story, 1, 2, "GET /a", 10, 20), call = ask(&story, 2, 3, "GET /b", 12, 15);
    const uint32_t later = ask(&story, 1, 2, "GET /c", 30, 40), second = ask(&story, 2, 3, "GET /b", 32, 35);
    check(&story, page, CALL_NONE, 0, 0);
    check(&story, call, CALL_ONLY, page, 1);
    check(&story, second, CALL_ONLY, later, 1);
    g_assert_false(calls_find(story.calls, page)->is_call);
    g_assert_true(calls_find(story.calls, call)->is_call);
    g_assert_cmpuint(calls_told(story.calls, CALL_ONLY), ==, 2);
    g_assert_cmpuint(calls_told(story.calls, CALL_NONE), ==, 0);
    story_close(&story);
}

/* Nothing is a call that is not within: it began earlier, ended later, or has no response and began later. */
static void
check_within(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t page = ask(&story, 1, 2, "GET /a", 10, 20);
    const uint32_t early = ask(&story, 2, 3, "GET /1", 9, 15), late = ask(&story, 2, 3, "GET /2", 12, 21);
    const uint32_t unanswered = ask(&story, 2, 3, "GET /three", 13, -1);
    const uint32_t after = ask(&story, 2, 3, "GET /four", 25, -1);
    check(&story, early, CALL_NONE, 0, 0);
    check(&story, late, CALL_NONE, 0, 0);
    check(&story, unanswered, CALL_ONLY, page, 1);
    check(&story, after, CALL_NONE, 0, 0);
    /* What is still outstanding may be the cause of what comes. */
    const uint32_t open = ask(&story, 1, 2, "GET /open", 40, -1), within = ask(&story, 2, 3, "GET /five", 50, 60);
    check(&story, within, CALL_ONLY, open, 1);
    story_close(&story);
}

/* Of the same time, the frame that comes first is earlier. */
static void
check_frames(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t before = ask(&story, 2, 3, "GET /b", 10, 20), page = ask(&story, 1, 2, "GET /a", 10, 30);
    const uint32_t behind = ask(&story, 2, 3, "GET /c", 10, 20);
    check(&story, before, CALL_NONE, 0, 0);
    check(&story, behind, CALL_ONLY, page, 1);
    story_close(&story);
}

static void
check_several(void)
{
    struct story story;
    story_open(&story, NULL);
    ask(&story, 1, 2, "GET /a", 10, 20);
    ask(&story, 1, 2, "GET /c", 11, 21);
    const uint32_t call = ask(&story, 2, 3, "GET /b", 12, 15);
    check(&story, call, CALL_SEVERAL, 0, 2);
    story_close(&story);
}

/* What is asked for with nothing outstanding is asked for on the host's own account at other times, too. */
static void
check_background(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t page = ask(&story, 1, 2, "GET /a", 10, 20);
    const uint32_t call = ask(&story, 2, 3, "GET /b", 12, 13), beat = ask(&story, 2, 3, "GET /beat/1", 14, 15);
    const uint32_t alone = ask(&story, 2, 3, "GET /beat/2", 50, 51);
    ask(&story, 1, 2, "GET /a", 60, 70);
    ask(&story, 2, 3, "GET /b", 62, 63);
    check(&story, call, CALL_ONLY, page, 1);
    check(&story, beat, CALL_SEVERAL, 0, 1);
    check(&story, alone, CALL_NONE, 0, 0);
    story_close(&story);
}

/* A host most of whose operations are also asked for with nothing outstanding is asked by others than the capture has.
 */
static void
check_partial(void)
{
    static const char *const operations[] = { "GET /a", "GET /b", "GET /c" };
    struct story story;
    story_open(&story, NULL);
    ask(&story, 1, 2, "GET /", 0, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(operations); i++) {
        ask(&story, 1, 2, "GET /", 10 * i + 5, 10 * i + 9);
        ask(&story, 2, 3, operations[i], 10 * i + 6, 10 * i + 7);
        ask(&story, 2, 3, operations[i], 10 * i + 10, 10 * i + 11);
    }
    ask(&story, 1, 2, "GET /", 90, 99);
    const uint32_t rare = ask(&story, 2, 3, "GET /rare", 92, 93);
    check(&story, rare, CALL_SEVERAL, 0, 1);
    story_close(&story);
}

/* Where all of an operation's calls but one have several candidates, that one's single candidate need not be it. */
static void
check_crowded(void)
{
    struct story story;
    story_open(&story, NULL);
    for (unsigned i = 0; i < 10; i++) {
        ask(&story, 1, 2, "GET /", 20 * i, 20 * i + 25);
        ask(&story, 2, 3, "GET /audit", 20 * i + 22, 20 * i + 23);
    }
    ask(&story, 1, 2, "GET /", 220, 240);
    const uint32_t single = ask(&story, 2, 3, "GET /audit", 230, 231);
    check(&story, single, CALL_SEVERAL, 0, 1);
    story_close(&story);
}

/* On a host that is never idle, what few requests have a call of is the host's own. */
static void
check_rare(void)
{
    struct story story;
    uint32_t beat = 0, page = 0, call = 0;
    story_open(&story, NULL);
    for (unsigned i = 0; i < 30; i++) {
        page = ask(&story, 1, 2, "GET /a", 10 * i, 10 * i + 10);
        call = ask(&story, 2, 3, "GET /b", 10 * i + 3, 10 * i + 4);
        if (i % 10 == 5)
            beat = ask(&story, 2, 3, "GET /beat", 10 * i + 7, 10 * i + 8);
    }
    check(&story, call, CALL_ONLY, page, 1);
    check(&story, beat, CALL_SEVERAL, 0, 1);
    story_close(&story);
}

/* On one that is idle half of the time it would also be asked for then. */
static void
check_rare_on_idle(void)
{
    struct story story;
    uint32_t call = 0, page = 0;
    story_open(&story, NULL);
    for (unsigned i = 0; i < 40; i++) {
        page = ask(&story, 1, 2, "GET /a", 10 * i, 10 * i + 5);
        if (i % 4 == 3)
            call = ask(&story, 2, 3, "GET /miss", 10 * i + 2, 10 * i + 3);
    }
    check(&story, call, CALL_ONLY, page, 1);
    story_close(&story);
}

/* A stream is open all the time: what a host does then need not be for it. */
static void
check_stream(void)
{
    struct story story;
    story_open(&story, NULL);
    struct request stream = ask_on(&story, connect_hosts(&story, 1, 2), "GET /events", 1, 100);
    stream.is_stream = true;
    stream.response.first_ns = 2 * NS_PER_MS;
    calls_take(story.calls, &story.requests, &stream);
    const uint32_t call = ask(&story, 2, 3, "GET /b", 50, 60);
    check(&story, call, CALL_SEVERAL, 0, 1);
    story_close(&story);
}

/* What was outstanding before the capture may be the cause as long as a request of the capture took. */
static void
check_halfway(void)
{
    struct story story;
    story_open(&story, NULL);
    story.is_halfway = true;
    ask(&story, 1, 2, "GET /a", 10, 20);
    const uint32_t call = ask(&story, 2, 3, "GET /b", 12, 15);
    const uint32_t page = ask(&story, 1, 2, "GET /c", 30, 40), second = ask(&story, 2, 3, "GET /b", 32, 35);
    check(&story, call, CALL_SEVERAL, 0, 1);
    check(&story, second, CALL_ONLY, page, 1);
    story_close(&story);
}

/* A connection of which bytes are missing may have had another request. */
static void
check_gaps(void)
{
    struct story story;
    story_open(&story, NULL);
    struct connection *torn = connect_hosts(&story, 1, 2);
    struct request before = ask_on(&story, torn, "GET /1", 10, 11), behind = ask_on(&story, torn, "GET /2", 50, 51);
    torn->has_gaps = true;
    calls_take(story.calls, &story.requests, &before);
    calls_take(story.calls, &story.requests, &behind);
    ask(&story, 1, 2, "GET /a", 20, 30);
    const uint32_t call = ask(&story, 2, 3, "GET /b", 22, 25);
    const uint32_t page = ask(&story, 1, 2, "GET /c", 60, 70), second = ask(&story, 2, 3, "GET /b", 62, 65);
    check(&story, call, CALL_SEVERAL, 0, 1);
    check(&story, second, CALL_ONLY, page, 1);
    story_close(&story);
}

/* A proxy (2) asks the server (3) for what it was asked for. */
static void
check_same(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t a = ask(&story, 1, 2, "GET /a", 10, 20), b = ask(&story, 1, 2, "GET /b", 11, 21);
    const uint32_t passed_b = ask(&story, 2, 3, "GET /b", 12, 15), passed_a = ask(&story, 2, 3, "GET /a", 13, 16);
    ask(&story, 1, 2, "GET /a", 14, 30);
    ask(&story, 1, 2, "GET /b", 14, 30);
    const uint32_t twice = ask(&story, 2, 3, "GET /a", 15, 18);
    check(&story, passed_a, CALL_SAME, a, 1);
    check(&story, passed_b, CALL_SAME, b, 1);
    check(&story, twice, CALL_SEVERAL, 0, 2);
    story_close(&story);
}

/* Half of its calls come after their cause, with nothing outstanding: the capture may lack requests like that cause. */
static void
check_partial_after(void)
{
    struct story story;
    story_open(&story, NULL);
    ask(&story, 1, 2, "GET /", 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        const char id[] = { (char)('a' + i), '\0' };
        ask_with(&story, 1, 2, id, 20 * i + 5, 20 * i + 9);
        ask_with(&story, 2, 3, "", 20 * i + 6, 20 * i + 7);
        ask_with(&story, 2, 3, id, 20 * i + 10, 20 * i + 11);
    }
    ask(&story, 1, 2, "GET /", 90, 99);
    const uint32_t rare = ask(&story, 2, 3, "GET /rare", 92, 93);
    check(&story, rare, CALL_SEVERAL, 0, 1);
    story_close(&story);
}

/* Not where any such call is for something else. */
static void
check_not_same(void)
{
    struct story story;
    story_open(&story, NULL);
    ask(&story, 1, 2, "GET /a/1", 10, 20);
    ask(&story, 1, 2, "GET /b/1", 11, 21);
    const uint32_t call = ask(&story, 2, 3, "GET /a/1", 12, 15);
    ask(&story, 1, 2, "GET /b/2", 30, 40);
    ask(&story, 2, 3, "GET /a/2", 32, 35);
    check(&story, call, CALL_SEVERAL, 0, 2);
    story_close(&story);
}

/* Whatever else is outstanding. */
static void
check_id(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t x = ask_with(&story, 1, 2, "x", 10, 20), y = ask_with(&story, 1, 2, "y", 11, 21);
    ask_with(&story, 1, 2, "", 12, 22);
    const uint32_t call_y = ask_with(&story, 2, 3, "y", 13, 14), call_x = ask_with(&story, 2, 3, "qx", 13, 15);
    const uint32_t none = ask_with(&story, 2, 3, "z", 13, 15);
    check(&story, call_x, CALL_ID, x, 1);
    check(&story, call_y, CALL_ID, y, 1);
    check(&story, none, CALL_SEVERAL, 0, 3);
    story_close(&story);
}

/* Of those with an id of the call, those that have most in common with it may be its cause. */
static void
check_id_twice(void)
{
    struct story story;
    story_open(&story, NULL);
    ask_with(&story, 1, 2, "t", 10, 20);
    const uint32_t nearer = ask_with(&story, 1, 2, "ts", 11, 21);
    ask_with(&story, 1, 2, "", 11, 21);
    const uint32_t both = ask_with(&story, 2, 3, "t", 12, 15), near = ask_with(&story, 2, 3, "st", 12, 16);
    check(&story, both, CALL_SEVERAL, 0, 2);
    check(&story, near, CALL_ID, nearer, 1);
    story_close(&story);
}

/* A word of a comment is an id if it is one in a header. */
static void
check_id_text(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t x = ask_with(&story, 1, 2, "x", 10, 20);
    ask_with(&story, 1, 2, "W", 11, 21);
    const uint32_t by_header = ask_with(&story, 2, 3, "XW", 12, 15), by_word = ask_with(&story, 2, 3, "W", 13, 15);
    check(&story, by_header, CALL_ID, x, 1);
    check(&story, by_word, CALL_SEVERAL, 0, 2);
    story_close(&story);
}

/* What is asked for when its cause has been answered: the latest with the id. */
static void
check_after(void)
{
    struct story story;
    story_open(&story, NULL);
    ask_with(&story, 1, 2, "x", 1, 2);
    const uint32_t cause = ask_with(&story, 1, 2, "x", 10, 20);
    ask_with(&story, 1, 2, "y", 25, 50);
    const uint32_t during = ask_with(&story, 2, 3, "x", 19, 22), call = ask_with(&story, 2, 3, "x", 30, 35);
    ask_with(&story, 1, 2, "x", 40, 50);
    check(&story, call, CALL_AFTER, cause, 1);
    check(&story, during, CALL_AFTER, cause, 1);
    g_assert_cmpint(calls_times(story.calls, cause).call_ns, ==, 1 * NS_PER_MS);
    story_close(&story);
}

/* Asks a database on a connection, with an id or with '\0' for none. */
static uint32_t
ask_database(struct story *story, struct connection *connection, const char *operation, char id, double begin_ms,
             double end_ms)
{
    struct request request = ask_on(story, connection, operation, begin_ms, end_ms);
    request.protocol = PROTOCOL_POSTGRESQL;
    if (id != '\0')
        request_ids_add(&story->requests, &request, ID_REQUEST, (uint64_t)id);
    calls_take(story->calls, &story->requests, &request);
    return request.number;
}

/* Opens so many connections to a database, each for one of two requests that are outstanding; then one `ahead` of the
 * request that uses it. On another one it logs in again behind all that it asks for. Checks the first login, and that
 * one, which nothing follows. */
static void
check_logins(unsigned count, bool ahead, bool is_told)
{
    struct story story;
    uint32_t first = 0, cause = 0;
    story_open(&story, NULL);
    for (unsigned i = 0; i < count; i++) {
        const char id[] = { (char)('a' + i), '\0' };
        struct connection *connection = connect_hosts(&story, 2, 3);
        const double from_ms = 20 * i;
        const uint32_t page = ask_with(&story, 1, 2, id, from_ms, from_ms + 10);
        ask_with(&story, 1, 2, "", from_ms + 1, from_ms + 12);
        const uint32_t login = ask_database(&story, connection, "startup", '\0', from_ms + 2, from_ms + 3);
        if (ahead && i + 1 == count)
            ask_with(&story, 1, 2, "z", from_ms + 4, from_ms + 9);
        ask_database(&story, connection, "SELECT", ahead && i + 1 == count ? 'z' : id[0], from_ms + 5, from_ms + 6);
        first = i == 0 ? login : first;
        cause = i == 0 ? page : cause;
    }
    struct connection *other = connect_hosts(&story, 2, 3);
    const double from_ms = 20 * (count - 1);
    ask_database(&story, other, "SELECT", (char)('a' + count - 1), from_ms + 7, from_ms + 7.5);
    const uint32_t again = ask_database(&story, other, "startup", '\0', from_ms + 8, from_ms + 8.5);
    check(&story, again, CALL_SEVERAL, 0, ahead ? 3 : 2);
    check(&story, first, is_told ? CALL_ID : CALL_SEVERAL, is_told ? cause : 0, is_told ? 1 : 2);
    story_close(&story);
}

/* A connection is opened for the request that is sent on it, if that was never otherwise, as far as is known. */
static void
check_login(void)
{
    check_logins(10, false, true);
    check_logins(9, false, false);
    check_logins(12, true, false);
}

/* An id that many requests have is none of a request. */
static void
check_common_id(void)
{
    struct story story;
    story_open(&story, NULL);
    for (unsigned i = 0; i < 100; i++)
        ask_with(&story, 1, 2, "x", i, i + .5);
    ask_with(&story, 1, 2, "x", 200, 210);
    ask_with(&story, 1, 2, "", 200, 210);
    const uint32_t call = ask_with(&story, 2, 3, "x", 202, 205);
    check(&story, call, CALL_SEVERAL, 0, 2);
    story_close(&story);
}

/* The frame's packet is sent, or read, by the thread. */
static void
note_sent(struct story *story, uint32_t number, uint32_t thread)
{
    calls_threads_note(story->calls->threads.sent, calls_find(story->calls, number)->frame, thread);
}

static void
note_read(struct story *story, uint32_t number, uint32_t thread)
{
    calls_threads_note(story->calls->threads.read, calls_find(story->calls, number)->frame, thread);
}

/* A thread that has read one request and answered none since asks for that. */
static void
check_thread(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t a = ask(&story, 1, 2, "GET /a", 10, 20), b = ask(&story, 1, 2, "GET /b", 11, 21);
    const uint32_t call_b = ask(&story, 2, 3, "GET /c", 12, 15), call_a = ask(&story, 2, 3, "GET /c", 13, 16);
    note_read(&story, a, 101);
    note_read(&story, a, 101);
    note_read(&story, b, 102);
    note_sent(&story, call_a, 101);
    note_sent(&story, call_b, 102);
    check(&story, call_a, CALL_THREAD, a, 1);
    check(&story, call_b, CALL_THREAD, b, 1);
    story_close(&story);
}

/* Not where it has read several, or it is not known who has read one, or another thread asks. */
static void
check_threads_shared(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t a = ask(&story, 1, 2, "GET /a", 10, 20), b = ask(&story, 1, 2, "GET /b", 11, 21);
    const uint32_t loop = ask(&story, 2, 3, "GET /c", 12, 15), worker = ask(&story, 2, 3, "GET /c", 13, 16);
    const uint32_t c = ask(&story, 1, 2, "GET /a", 30, 40);
    ask(&story, 1, 2, "GET /b", 31, 41);
    const uint32_t unknown = ask(&story, 2, 3, "GET /c", 32, 35);
    note_read(&story, a, 101);
    note_read(&story, b, 101);
    note_read(&story, c, 101);
    note_sent(&story, loop, 101);
    note_sent(&story, worker, 102);
    note_sent(&story, unknown, 101);
    check(&story, loop, CALL_SEVERAL, 0, 2);
    check(&story, worker, CALL_SEVERAL, 0, 2);
    check(&story, unknown, CALL_SEVERAL, 0, 2);
    story_close(&story);
}

/* A host that asks itself: no request is its own cause. */
static void
check_loopback(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t first = ask(&story, 1, 1, "GET /a", 10, 20), second = ask(&story, 1, 1, "GET /b", 12, 15);
    check(&story, first, CALL_NONE, 0, 0);
    check(&story, second, CALL_ONLY, first, 1);
    story_close(&story);
}

/* What it asks for on one connection, where a response is missing: no request causes the later ones, though they ask
 * for the same, or have its id. */
static void
check_loopback_connection(void)
{
    struct story story;
    story_open(&story, NULL);
    struct connection *connection = connect_hosts(&story, 1, 1);
    connection->has_gaps = true;
    connection->last_ns = 100 * NS_PER_MS;
    for (unsigned i = 0; i < 20; i++) {
        struct request request = ask_on(&story, connection, "GET /a", 10 + i, i == 0 ? -1 : 10.5 + i);
        request_ids_add(&story.requests, &request, ID_REQUEST, i < 2 ? 'x' : 'a' + i);
        request.ending = i == 0 ? ENDING_LOST : ENDING_NONE;
        calls_take(story.calls, &story.requests, &request);
    }
    for (uint32_t number = 1; number <= 20; number++)
        check(&story, number, CALL_NONE, 0, 0);
    story_close(&story);
}

/* A host where a client, a proxy and a web server are. What the client asks the proxy for is not what the web server is
 * asked for at that time, whether the capture has all of the connections or not. */
static void
check_loopback_proxy(void)
{
    for (unsigned has_gaps = 0; has_gaps <= 1; has_gaps++) {
        struct story story;
        story_open(&story, NULL);
        uint32_t passed[2], asked[2];
        for (unsigned i = 0; i < 2; i++) {
            struct connection *client = connect_hosts(&story, 1, 1), *proxy = connect_hosts(&story, 1, 1);
            client->has_gaps = proxy->has_gaps = has_gaps;
            proxy->endpoint[1].port = 8080;
            const struct request in = ask_on(&story, client, "GET /a", 10 + i, 20 - i);
            const struct request out = ask_on(&story, proxy, "GET /a", 10.1 + i, 19.5 - i);
            calls_take(story.calls, &story.requests, &in);
            calls_take(story.calls, &story.requests, &out);
            asked[i] = in.number;
            passed[i] = out.number;
        }
        check(&story, asked[0], CALL_NONE, 0, 0);
        check(&story, asked[1], CALL_SEVERAL, 0, 2);
        check(&story, passed[0], CALL_SAME, asked[0], 1);
        check(&story, passed[1], CALL_SEVERAL, 0, 2);
        story_close(&story);
    }
}

static void
check_same_hosts(void)
{
    struct story story;
    story_open(&story, "10.0.0.2 = 10.0.0.5, 10.0.0.3=fd00::1");
    const uint32_t page = ask(&story, 1, 2, "GET /a", 10, 20), call = ask(&story, 5, 3, "GET /b", 12, 15);
    check(&story, call, CALL_ONLY, page, 1);
    story_close(&story);
}

/* A request with one id, from a client of its own for each. */
static void
ask_for(struct story *story, unsigned client, unsigned server, uint64_t id, double begin_ms, double end_ms)
{
    const struct request request = ask_on(story, connect_hosts(story, client, server), "GET /a", begin_ms, end_ms);
    request_ids_add(&story->requests, &request, ID_REQUEST, id);
    calls_take(story->calls, &story->requests, &request);
}

/* Returns how many addresses are joined where so many requests to a proxy (2) are sent on from another address (5) to
 * a server (3), and then some client asks some server the same, not as a part of one of these. */
static unsigned
joined_of(unsigned n, unsigned client, unsigned server)
{
    struct story story;
    unsigned count;
    story_open(&story, NULL);
    for (unsigned i = 0; i < n; i++) {
        ask_for(&story, 1, 2, 1000 + i, i * 10, i * 10 + 8);
        ask_for(&story, 5, 3, 1000 + i, i * 10 + 1, i * 10 + 7);
    }
    if (client > 0)
        ask_for(&story, client, server, 1, n * 10, n * 10 + 5);
    calls_tell(story.calls, &story.requests.ids);
    calls_joined(story.calls, &count);
    story_close(&story);
    return count;
}

/* Returns how many addresses are joined where so many requests to a proxy (2) are open at once, half of them with one
 * id, the others with another, and each sixth is sent on (5) with both. */
static unsigned
joined_of_open(unsigned n)
{
    struct story story;
    unsigned count;
    story_open(&story, NULL);
    for (unsigned i = 0; i < n; i++) {
        ask_for(&story, 1, 2, 1000 + i % 2, i, 1000);
        if (i % 6 != 0)
            continue;
        const struct request sent = ask_on(&story, connect_hosts(&story, 5, 3), "GET /a", i + .3, i + .6);
        request_ids_add(&story.requests, &sent, ID_REQUEST, 1000);
        request_ids_add(&story.requests, &sent, ID_REQUEST, 1001);
        calls_take(story.calls, &story.requests, &sent);
    }
    calls_tell(story.calls, &story.requests.ids);
    calls_joined(story.calls, &count);
    story_close(&story);
    return count;
}

/* Where more requests agree with one than are looked at, others may be among them that refute it. */
static void
check_joined_open(void)
{
    g_assert_cmpuint(joined_of_open(60), ==, 1);
    g_assert_cmpuint(joined_of_open(80), ==, 0);
}

static void
check_joined(void)
{
    g_assert_cmpuint(joined_of(12, 0, 0), ==, 1);
    g_assert_cmpuint(joined_of(12, 1, 2), ==, 1);
    g_assert_cmpuint(joined_of(9, 0, 0), ==, 0);  /* too few */
    g_assert_cmpuint(joined_of(12, 1, 5), ==, 0); /* the other address is asked something */
    g_assert_cmpuint(joined_of(12, 5, 2), ==, 0); /* it asks the proxy */
    g_assert_cmpuint(joined_of(12, 5, 3), ==, 0); /* it sends what the proxy was not asked then */
}

static void
check_wrong_hosts(void)
{
    static const struct {
        const char *text, *wrong;
    } cases[] = {
        { NULL, NULL },
        { "", NULL },
        { " ", NULL },
        { "10.0.0.1=10.0.0.2", NULL },
        { "fd00::1=10.0.0.2=10.0.0.3 , 10.1.1.1=10.1.1.2", NULL },
        { "10.0.0.1", "not \"10.0.0.1\" alone" },
        { "10.0.0.1=", "not \"\"" },
        { "10.0.0.1=web", "not \"web\"" },
        { "10.0.0.1=10.0.0.2,", "not \"\" alone" },
        { "10.0.0.1=10.0.0.2, 10.0.0.2=10.0.0.3", "and \"10.0.0.2\" stands there twice" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct same_hosts hosts;
        char *wrong = same_hosts_read(cases[i].text, &hosts);
        g_assert_cmpstr(wrong, ==, cases[i].wrong);
        g_assert_true(!wrong || hosts.n == 0);
        g_free(wrong);
        same_hosts_clear(&hosts);
    }
}

/* Each moment counts once, and none outside the cause. */
static void
check_times(void)
{
    struct story story;
    story_open(&story, NULL);
    const uint32_t page = ask(&story, 1, 2, "GET /a", 10, 30);
    ask(&story, 2, 3, "GET /b", 12, 15);
    ask(&story, 2, 3, "GET /c", 13, 18);
    ask(&story, 2, 3, "GET /d", 14, 16);
    struct request stream = ask_on(&story, connect_hosts(&story, 2, 3), "GET /s", 20, 29);
    stream.is_stream = true;
    stream.response.first_ns = 21 * NS_PER_MS;
    calls_take(story.calls, &story.requests, &stream);
    ask(&story, 2, 3, "GET /u", 28, -1);
    calls_tell(story.calls, &story.requests.ids);
    const struct call_times times = calls_times(story.calls, page);
    g_assert_cmpuint(times.calls, ==, 5);
    g_assert_cmpint(times.call_ns, ==, (6 + 1 + 2) * NS_PER_MS);
    g_assert_cmpint(times.call_ns + times.own_ns, ==, 20 * NS_PER_MS);
    const struct call_times none = calls_times(story.calls, stream.number);
    g_assert_cmpint(none.own_ns, ==, 1 * NS_PER_MS);
    story_close(&story);
}

static void
check_retries(void)
{
    struct story story;
    story_open(&story, NULL);
    ask(&story, 1, 2, "GET /a", 10, 90);
    struct request failed = ask_on(&story, connect_hosts(&story, 2, 3), "GET /b", 12, 14);
    failed.response.failed = true;
    calls_take(story.calls, &story.requests, &failed);
    const uint32_t beside = ask(&story, 2, 3, "GET /b", 13, 16), again = ask(&story, 2, 3, "GET /b", 15, 16);
    const uint32_t other = ask(&story, 2, 3, "GET /c", 17, 18);
    calls_tell(story.calls, &story.requests.ids);
    g_assert_false(calls_find(story.calls, failed.number)->is_retry);
    g_assert_false(calls_find(story.calls, beside)->is_retry);
    g_assert_true(calls_find(story.calls, again)->is_retry);
    g_assert_false(calls_find(story.calls, other)->is_retry);
    story_close(&story);
}

static void
note_number(void *data, uint32_t number)
{
    GArray *numbers = data;
    g_array_append_val(numbers, number);
}

/* Taken in any order, and anew: what was told before is forgotten. */
static void
check_anew(void)
{
    struct story story;
    story_open(&story, NULL);
    struct request page = ask_on(&story, connect_hosts(&story, 1, 2), "GET /a", 10, -1);
    struct request early = ask_on(&story, connect_hosts(&story, 2, 3), "GET /b", 12, 15);
    struct request late = ask_on(&story, connect_hosts(&story, 2, 3), "GET /c", 30, 35);
    calls_take(story.calls, &story.requests, &late);
    calls_take(story.calls, &story.requests, &early);
    g_assert_null(calls_find(story.calls, page.number));
    calls_take(story.calls, &story.requests, &page);
    check(&story, early.number, CALL_ONLY, page.number, 1);
    check(&story, late.number, CALL_ONLY, page.number, 1);
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    calls_each(story.calls, page.number, note_number, numbers);
    g_assert_cmpuint(numbers->len, ==, 2);
    g_assert_cmpuint(g_array_index(numbers, uint32_t, 0), ==, early.number);
    page.response.first_ns = page.response.last_ns = 20 * NS_PER_MS;
    page.response.first_frame = page.response.last_frame = ++story.frame;
    calls_take(story.calls, &story.requests, &page);
    check(&story, early.number, CALL_ONLY, page.number, 1);
    check(&story, late.number, CALL_NONE, 0, 0);
    g_array_set_size(numbers, 0);
    calls_each(story.calls, page.number, note_number, numbers);
    g_assert_cmpuint(numbers->len, ==, 1);
    g_array_free(numbers, TRUE);
    story_close(&story);
}

/* So many at once that not all are looked at. */
static void
check_many_open(void)
{
    enum { OPEN = 2000 };
    struct story story;
    story_open(&story, NULL);
    struct connection *in = connect_hosts(&story, 1, 2), *out = connect_hosts(&story, 2, 3);
    for (unsigned i = 0; i < OPEN; i++) {
        const struct request request = ask_on(&story, in, "GET /a", i * .001, 100);
        calls_take(story.calls, &story.requests, &request);
    }
    const struct request call = ask_on(&story, out, "GET /b", 10, 20);
    calls_take(story.calls, &story.requests, &call);
    check(&story, call.number, CALL_SEVERAL, 0, CALL_CANDIDATES);
    story_close(&story);
}

/* Of so many all but one in eight have ended before the call, and some of these before the next. */
static void
check_some_open(void)
{
    enum { OPEN = 2000, LEFT = OPEN / 8, LATE = OPEN / 16 };
    struct story story;
    story_open(&story, NULL);
    struct connection *in = connect_hosts(&story, 1, 2), *out = connect_hosts(&story, 2, 3);
    for (unsigned i = 0; i < OPEN; i++) {
        const double end_ms = i % 8 > 0 ? 5 : i % 16 > 0 ? 40 : 100;
        const struct request request = ask_on(&story, in, "GET /a", i * .001, end_ms);
        calls_take(story.calls, &story.requests, &request);
    }
    const struct request first = ask_on(&story, out, "GET /b", 10, 20), next = ask_on(&story, out, "GET /b", 30, 41);
    const struct request last = ask_on(&story, out, "GET /b", 50, 60);
    calls_take(story.calls, &story.requests, &first);
    calls_take(story.calls, &story.requests, &next);
    calls_take(story.calls, &story.requests, &last);
    check(&story, first.number, CALL_SEVERAL, 0, LEFT);
    check(&story, next.number, CALL_SEVERAL, 0, LATE);
    check(&story, last.number, CALL_SEVERAL, 0, LATE);
    story_close(&story);
}

/* Returns how long it takes to tell the causes of `n` calls while `n` requests are outstanding. */
static double
time_of(uint32_t n)
{
    struct story story;
    story_open(&story, NULL);
    struct connection *in = connect_hosts(&story, 1, 2), *out = connect_hosts(&story, 2, 3);
    for (uint32_t i = 0; i < n; i++) {
        const struct request request = ask_on(&story, in, "GET /a", i * .0001, 1000 + i * .0001);
        calls_take(story.calls, &story.requests, &request);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct request call = ask_on(&story, out, "GET /b", 100 + i * .001, 200 + i * .001);
        calls_take(story.calls, &story.requests, &call);
    }
    const clock_t begin = clock();
    calls_tell(story.calls, &story.requests.ids);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    g_assert_cmpuint(calls_told(story.calls, CALL_SEVERAL), ==, n);
    story_close(&story);
    return seconds;
}

/* Of four times as many, all open at once, it takes four times as long, not sixteen times. */
static void
check_linear(void)
{
    enum { FEW = 4000 };
    g_assert_cmpfloat(time_of(4 * FEW), <, 8 * time_of(FEW));
}

/* Returns how long it takes to tell the causes of `n` calls of as many requests, 64 of which are outstanding at any
 * time, by workers: each is asked soon after its cause, or soon after another call was answered. */
static double
time_in_flight(uint32_t n)
{
    enum { IN_FLIGHT = 64 };
    struct story story;
    struct connection *in[IN_FLIGHT], *out[IN_FLIGHT];
    story_open(&story, NULL);
    story.settings.call_percent = 90;
    for (unsigned i = 0; i < IN_FLIGHT; i++) {
        in[i] = connect_hosts(&story, 1, 2);
        out[i] = connect_hosts(&story, 2, 3);
    }
    for (uint32_t i = 0; i < n; i++) {
        const double begin_ms = i, call_ms = begin_ms + .2 + i * 7 % 5 * .1;
        const struct request request = ask_on(&story, in[i % IN_FLIGHT], "GET /a", begin_ms, begin_ms + 63.5);
        const struct request call = ask_on(&story, out[i % IN_FLIGHT], "GET /b", call_ms, begin_ms + 40 + i * 11 % 23);
        calls_take(story.calls, &story.requests, &request);
        calls_take(story.calls, &story.requests, &call);
    }
    const clock_t begin = clock();
    calls_tell(story.calls, &story.requests.ids);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    g_assert_cmpuint(calls_told(story.calls, CALL_SEVERAL) + calls_told(story.calls, CALL_WORKER), >, n - n / 10);
    story_close(&story);
    return seconds;
}

/* Of four times as many it takes four times as long, however long the capture is; LATENCY_CALLS has them be so many. */
static void
check_in_flight(void)
{
    const char *wanted = g_getenv("LATENCY_CALLS");
    const uint32_t few = wanted ? (uint32_t)atoi(wanted) / 4 : 1000;
    const double seconds = time_in_flight(4 * few);
    g_test_message("%u calls: %.1f s", 4 * few, seconds);
    g_assert_cmpfloat(seconds, <, 8 * time_in_flight(few));
}

/* A capture with so many requests open at once is told in bounded time. */
static void
check_hostile_open(void)
{
    enum { OPEN = 100000, SECONDS = 60 };
    g_assert_cmpfloat(time_of(OPEN), <, SECONDS);
}

static void
say_request(struct scene *scene, const char *path)
{
    char *text = g_strdup_printf("GET %s HTTP/1.1\r\n\r\n", path);
    scene_say(scene, true, text);
    scene_say(scene, false, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    g_free(text);
}

/* When nobody wants causes any more, the captures to come are read without; this one goes on with them. */
static void
check_wanted(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    struct table_source source = { .settings = &scene.settings, .analysis = scene.analysis };
    call_source_begin(&source);
    g_assert_null(source.calls);
    call_source_want(&source);
    call_source_want(&source);
    say_request(&scene, "/a");
    g_assert_nonnull(calls_find(call_source_told(&source), 1));
    call_source_leave(&source);
    call_source_leave(&source);
    say_request(&scene, "/b");
    call_source_want(&source);
    g_assert_nonnull(calls_find(call_source_told(&source), 2));
    call_source_leave(&source);
    call_source_end(&source);
    call_source_begin(&source);
    g_assert_null(source.calls);
    g_assert_null(call_source_told(&source));
    scene_close(&scene);
}

/* While frames come, causes that took long to tell are not told anew at once where they are shown again and again. */
static void
check_lately(void)
{
    struct scene scene;
    scene_open(&scene, 80, 1000);
    struct table_source source = { .settings = &scene.settings, .analysis = scene.analysis };
    call_source_want(&source);
    say_request(&scene, "/a");
    g_assert_nonnull(calls_find(call_source_told_lately(&source), 1));
    source.calls_took_us = G_TIME_SPAN_DAY;
    say_request(&scene, "/b");
    g_assert_nonnull(calls_find(call_source_told_lately(&source), 1));
    g_assert_null(calls_find(call_source_told_lately(&source), 2));
    source.calls_told_us -= 4 * G_TIME_SPAN_DAY;
    g_assert_nonnull(calls_find(call_source_told_lately(&source), 2));
    source.calls_took_us = G_TIME_SPAN_DAY;
    say_request(&scene, "/c");
    g_assert_nonnull(calls_find(call_source_told(&source), 3));
    call_source_end(&source);
    scene_close(&scene);
}

void
calls_tests_add(void)
{
    g_test_add_func("/calls/only", check_only);
    g_test_add_func("/calls/within", check_within);
    g_test_add_func("/calls/frames", check_frames);
    g_test_add_func("/calls/several", check_several);
    g_test_add_func("/calls/background", check_background);
    g_test_add_func("/calls/partial", check_partial);
    g_test_add_func("/calls/partial-after", check_partial_after);
    g_test_add_func("/calls/crowded", check_crowded);
    g_test_add_func("/calls/rare", check_rare);
    g_test_add_func("/calls/rare-on-idle", check_rare_on_idle);
    g_test_add_func("/calls/stream", check_stream);
    g_test_add_func("/calls/halfway", check_halfway);
    g_test_add_func("/calls/gaps", check_gaps);
    g_test_add_func("/calls/same", check_same);
    g_test_add_func("/calls/not-same", check_not_same);
    g_test_add_func("/calls/id", check_id);
    g_test_add_func("/calls/id-twice", check_id_twice);
    g_test_add_func("/calls/id-text", check_id_text);
    g_test_add_func("/calls/after", check_after);
    g_test_add_func("/calls/login", check_login);
    g_test_add_func("/calls/common-id", check_common_id);
    g_test_add_func("/calls/thread", check_thread);
    g_test_add_func("/calls/threads-shared", check_threads_shared);
    g_test_add_func("/calls/loopback", check_loopback);
    g_test_add_func("/calls/loopback-connection", check_loopback_connection);
    g_test_add_func("/calls/loopback-proxy", check_loopback_proxy);
    g_test_add_func("/calls/same-hosts", check_same_hosts);
    g_test_add_func("/calls/joined", check_joined);
    g_test_add_func("/calls/joined-open", check_joined_open);
    g_test_add_func("/calls/wrong-hosts", check_wrong_hosts);
    g_test_add_func("/calls/times", check_times);
    g_test_add_func("/calls/retries", check_retries);
    g_test_add_func("/calls/anew", check_anew);
    g_test_add_func("/calls/many-open", check_many_open);
    g_test_add_func("/calls/some-open", check_some_open);
    g_test_add_func("/calls/linear", check_linear);
    g_test_add_func("/calls/in-flight", check_in_flight);
    g_test_add_func("/calls/hostile-open", check_hostile_open);
    g_test_add_func("/calls/wanted", check_wanted);
    g_test_add_func("/calls/lately", check_lately);
}
