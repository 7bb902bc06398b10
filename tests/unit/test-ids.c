/* test-ids.c
 * The ids that requests carry, and whose they are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "http2-talk.h"
#include "scene.h"
#include "unit.h"

#define TRACE       "0af7651916cd43dd8448eb211c80319c"
#define SPAN        "b7ad6b7169203331"
#define PARENT      "05e3ac9a4f6e3b90"
#define TRACEPARENT "00-" TRACE "-" SPAN "-01"
#define OK          "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

static void
open_scene(struct scene *scene)
{
    scene_open(scene, 80, 1000);
    scene->analysis->requests.wants_ids = true;
}

static uint64_t
hash_of(const char *text)
{
    struct found_ids found = { .count = 0 };
    id_found(&found, ID_REQUEST, (const uint8_t *)text, strlen(text));
    g_assert_cmpuint(found.count, ==, 1);
    return found.all[0].hash;
}

static uint64_t
hash_of_client(const char *text)
{
    uint8_t address[16];
    const bool ipv6 = strchr(text, ':');
    g_assert_cmpint(inet_pton(ipv6 ? AF_INET6 : AF_INET, text, address), ==, 1);
    return address_hash(address, ipv6);
}

/* Whether `expected`, "1 trace abc", is this id. */
static bool
is_expected(const char *expected, const struct request_id *id)
{
    static const char *const kinds[] = { "trace", "span", "parent", "request", "text", "client" };
    char **words = g_strsplit(expected, " ", -1);
    const bool is_it = (uint32_t)atoi(words[0]) == id->number && strcmp(words[1], kinds[id->kind]) == 0 &&
                       (id->kind == ID_CLIENT ? hash_of_client(words[2]) : hash_of(words[2])) == id->hash;
    g_strfreev(words);
    return is_it;
}

/* Compares the ids of all requests with `expected`, as "1 trace abc, 1 span def, 2 request ghi", in which the numbers
 * are the requests', in whatever order those of a request are; and closes the scene. */
static void
check(struct scene *scene, const char *expected)
{
    char **each = g_strsplit(expected, ", ", -1);
    const struct requests *requests = &scene->analysis->requests;
    unsigned count, all = 0;
    analysis_end(scene->analysis);
    for (unsigned i = 0; each[i]; i++) {
        const struct request_id *ids = request_ids_of(requests, (uint32_t)atoi(each[i]), &count);
        unsigned at = 0;
        while (at < count && !is_expected(each[i], &ids[at]))
            at++;
        if (at == count)
            g_error("%s is not there", each[i]);
        all++;
    }
    for (unsigned number = 1; number <= requests->count; number++) {
        request_ids_of(requests, number, &count);
        all -= count;
    }
    g_assert_cmpuint(all, ==, 0);
    g_strfreev(each);
    scene_close(scene);
}

/* What a request with this field carries. */
static void
check_field(const char *field, const char *expected)
{
    struct scene scene;
    open_scene(&scene);
    scene.settings.id_headers = "X-Trace, x-job-id";
    char *text = g_strdup_printf("GET / HTTP/1.1\r\nHost: h\r\n%s\r\nAccept: */*\r\n\r\n", field);
    scene_say(&scene, true, text);
    scene_say(&scene, false, OK);
    check(&scene, expected);
    g_free(text);
}

/* In what trace a request with these fields stands, as "TRACE PARENT"; "": that is not known. `bytes`: of a segment. */
static void
check_trace(const char *fields, const char *expected, size_t bytes)
{
    struct scene scene;
    open_scene(&scene);
    scene.analysis->requests.wants_traces = true;
    char *text = g_strdup_printf("GET / HTTP/1.1\r\nHost: h\r\n%s\r\nAccept: */*\r\n\r\n", fields);
    for (size_t at = 0; at < strlen(text); at += bytes) {
        const size_t length = MIN(strlen(text) - at, bytes);
        scene_send(&scene, true, text + at, length, length);
    }
    scene_say(&scene, false, OK);
    analysis_end(scene.analysis);
    const struct trace_context *context = request_ids_trace(&scene.analysis->requests, 1);
    GString *got = g_string_new("");
    for (unsigned i = 0; context && i < TRACE_ID_BYTES; i++)
        g_string_append_printf(got, "%02x", context->trace[i]);
    for (unsigned i = 0; context && i < PARENT_ID_BYTES; i++)
        g_string_append_printf(got, "%s%02x", i == 0 ? " " : "", context->parent[i]);
    g_assert_cmpstr(got->str, ==, expected);
    g_string_free(got, TRUE);
    g_free(text);
    scene_close(&scene);
}

/* What OpenTelemetry's propagators take from a header, in whatever segments it comes. */
static void
test_traces(void)
{
    static const char both[] = TRACE " " SPAN, padded[] = "0000000000000000" SPAN " " PARENT;
    for (size_t bytes = 7; bytes < 1000; bytes *= 5) {
        check_trace("traceparent: " TRACEPARENT, both, bytes);
        check_trace("b3: " TRACE "-" SPAN "-1-" PARENT, both, bytes);
        check_trace("B3: " SPAN "-" PARENT, padded, bytes);
        check_trace("X-B3-TraceId: " TRACE "\r\nX-B3-SpanId: " SPAN "\r\nX-B3-ParentSpanId: " PARENT, both, bytes);
        check_trace("x-b3-spanid: " PARENT "\r\nx-b3-traceid: " SPAN, padded, bytes);
        check_trace("b3: " TRACE "-B7AD6B7169203331", both, bytes);
        /* whatever comes first, one header counts rather than another */
        check_trace("b3: " SPAN "-" PARENT "\r\ntraceparent: " TRACEPARENT, both, bytes);
        check_trace("traceparent: " TRACEPARENT "\r\nb3: " SPAN "-" PARENT, both, bytes);
        check_trace("b3: " TRACE "-" SPAN "\r\nX-B3-TraceId: " SPAN "\r\nX-B3-SpanId: " PARENT, both, bytes);
        check_trace("traceparent: " TRACEPARENT "\r\ntraceparent: " TRACEPARENT, both, bytes);
    }
}

/* What no tracer goes on with, for nobody can tell what is meant; and other ids, which name no trace. */
static void
test_no_traces(void)
{
    check_trace("traceparent: 00-" TRACE "-B7AD6B7169203331-01", "", 1000);
    check_trace("traceparent: 00-" TRACE "-" SPAN "-01-x", "", 1000);
    check_trace("traceparent: " TRACEPARENT "\r\ntraceparent: 00-" TRACE "-" PARENT "-01", "", 1000);
    check_trace("traceparent: " TRACEPARENT "\r\ntraceparent: 00-" TRACE "-" PARENT "-01\r\ntraceparent: " TRACEPARENT,
                "", 30);
    check_trace("X-B3-TraceId: " TRACE, "", 1000);
    check_trace("X-B3-SpanId: " SPAN, "", 1000);
    check_trace("X-B3-TraceId: " TRACE "0\r\nX-B3-SpanId: " SPAN, "", 1000);
    check_trace("b3: 0", "", 1000);
    check_trace("b3: " TRACE, "", 1000);
    check_trace("b3: " SPAN "ab-" SPAN, "", 1000);
    check_trace("X-Request-Id: " TRACE, "", 1000);
}

/* Traces of earlier requests come in their place; not if it is too long ago. Who does not want them pays nothing. */
static void
test_traces_in_order(void)
{
    struct scene scene;
    open_scene(&scene);
    struct requests *requests = &scene.analysis->requests;
    struct trace_context context = { .trace = { 1 }, .parent = { 2 }, .field = TRACE_B3 };
    for (uint32_t number = 2; number < 4 * REQUEST_IDS_LATE; number += 2)
        request_ids_add_trace(requests, number, &context);
    context.parent[0] = 3;
    request_ids_add_trace(requests, 4 * REQUEST_IDS_LATE - 7, &context);
    request_ids_add_trace(requests, 3, &context);
    g_assert_cmpint(request_ids_trace(requests, 4 * REQUEST_IDS_LATE - 7)->parent[0], ==, 3);
    g_assert_cmpint(request_ids_trace(requests, 2)->parent[0], ==, 2);
    g_assert_null(request_ids_trace(requests, 3));
    request_ids_add_trace(requests, 4 * REQUEST_IDS_LATE - 2, &context);
    g_assert_null(request_ids_trace(requests, 4 * REQUEST_IDS_LATE - 2));
    scene_close(&scene);
    open_scene(&scene);
    scene_say(&scene, true, "GET / HTTP/1.1\r\nHost: h\r\ntraceparent: " TRACEPARENT "\r\n\r\n");
    g_assert_null(scene.analysis->requests.ids.traces);
    scene_close(&scene);
}

static void
test_fields(void)
{
    check_field("traceparent: " TRACEPARENT, "1 trace " TRACE ", 1 span " SPAN);
    check_field("TraceParent:" TRACEPARENT " ", "1 trace " TRACE ", 1 span " SPAN);
    check_field("traceparent: cc-" TRACE "-" SPAN "-01-what-comes-later", "1 trace " TRACE ", 1 span " SPAN);
    check_field("b3: " TRACE "-" SPAN "-1-" PARENT, "1 trace " TRACE ", 1 span " SPAN ", 1 parent " PARENT);
    check_field("b3: " SPAN "-" PARENT, "1 trace " SPAN ", 1 span " PARENT);
    check_field("X-B3-TraceId: " TRACE "\r\nX-B3-SpanId: " SPAN "\r\nX-B3-ParentSpanId: " PARENT,
                "1 trace " TRACE ", 1 span " SPAN ", 1 parent " PARENT);
    check_field("X-Request-Id: 7b1e-42", "1 request 7b1e-42");
    check_field("x-correlation-id: \t7b1e-42", "1 request 7b1e-42");
    check_field("uber-trace-id: " TRACE ":" SPAN ":0:1", "1 trace " TRACE ", 1 span " SPAN);
    check_field("uber-trace-id: " TRACE "%3A" SPAN "%3a" PARENT "%3A1",
                "1 trace " TRACE ", 1 span " SPAN ", 1 parent " PARENT);
    check_field("X-Amzn-Trace-Id: Self=1-67891234-12456789abcdef012345678; Root=1-67891233-abcdef012345678912345678",
                "1 span 1-67891234-12456789abcdef012345678, 1 trace 1-67891233-abcdef012345678912345678");
    check_field("X-Cloud-Trace-Context: " TRACE "/12345678901;o=1", "1 trace " TRACE ", 1 span 12345678901");
    check_field("X-Datadog-Trace-Id: 8448318829", "1 trace 8448318829");
    check_field("X-TRACE: abcdef\r\nX-Job-Id : job/17;a", "1 request abcdef, 1 request job/17;a");
}

/* Whom the last proxy names as its client: with a port, in brackets, or as IPv6 has an address of IPv4. */
static void
test_clients(void)
{
    check_field("X-Forwarded-For: 10.0.0.7", "1 client 10.0.0.7");
    check_field("X-Forwarded-For: 10.0.0.7, 192.168.1.9", "1 client 192.168.1.9");
    check_field("x-forwarded-for: unknown,\t10.0.0.8 ", "1 client 10.0.0.8");
    check_field("X-Forwarded-For: 10.0.0.7\r\nX-Forwarded-For: 10.0.0.8", "1 client 10.0.0.8");
    check_field("X-Forwarded-For: 10.0.0.7:4711", "1 client 10.0.0.7");
    check_field("X-Forwarded-For: 2001:DB8::7", "1 client 2001:db8::7");
    check_field("X-Forwarded-For: [2001:db8::7]", "1 client 2001:db8::7");
    check_field("X-Forwarded-For: [2001:db8::7]:4711", "1 client 2001:db8::7");
    check_field("X-Forwarded-For: ::ffff:10.0.0.7", "1 client 10.0.0.7");
    check_field("Forwarded: for=10.0.0.7", "1 client 10.0.0.7");
    check_field("Forwarded: For=\"[2001:db8:cafe::17]:4711\"", "1 client 2001:db8:cafe::17");
    check_field("forwarded: for=192.0.2.60;proto=http;by=203.0.113.43", "1 client 192.0.2.60");
    check_field("Forwarded: by=\"_proxy\" ; for=\"10.0.0.7:_port\"", "1 client 10.0.0.7");
    check_field("Forwarded: for=10.0.0.1, for=10.0.0.2;proto=https", "1 client 10.0.0.2");
    check_field("Forwarded: for=\"a, for=\", for=10.0.0.2", "1 client 10.0.0.2");
    check_field("X-Real-IP: 10.0.0.7", "1 client 10.0.0.7");
    check_field("X-Real-IP: ::1", "1 client ::1");
    check_field("X-Real-IP: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.3\r\nForwarded: for=10.0.0.2", "1 client 10.0.0.3");
    check_field("Forwarded: for=10.0.0.2\r\nX-Real-IP: 10.0.0.1", "1 client 10.0.0.2");
    check_field("X-Real-IP: 10.0.0.1\r\nX-Request-Id: 7b1e-42", "1 request 7b1e-42, 1 client 10.0.0.1");
    check_field("X-Forwarded-For: 10.0.0.7\r\nb3: " TRACE "-" SPAN "-1-" PARENT "\r\nX-Request-Id: 7b1e-42",
                "1 trace " TRACE ", 1 span " SPAN ", 1 parent " PARENT ", 1 request 7b1e-42, 1 client 10.0.0.7");
}

/* Of the field that counts most, what is no address names nobody, whatever the others say. */
static void
test_no_clients(void)
{
    static const char *const values[] = {
        "",           "unknown",       "_hidden",           "-",    ",",         "10.0.0.7,",    "10.0.0.256", "10.0.0",
        "10.0.0.7:",  "10.0.0.7:47 1", "10.0.0.7 5.5.5",    "[::1", "[::1]x",    "[::1]:",       "[]",         ":",
        "\"10.0.0.7", "fe80::1%eth0",  "1:2:3:4:5:6:7:8:9", "[10",  "10.0.0.7;", "a.example:80", "::g",        "[",
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
        char *listed = g_strconcat("X-Forwarded-For: ", values[i], NULL);
        char *alone = g_strconcat("X-Real-IP: ", values[i], NULL);
        char *quoted = g_strconcat("Forwarded: for=\"", values[i], "\"", NULL);
        check_field(listed, "");
        check_field(alone, "");
        check_field(quoted, "");
        g_free(listed);
        g_free(alone);
        g_free(quoted);
    }
    check_field("X-Forwarded-For: unknown\r\nX-Real-IP: 10.0.0.7", "");
    check_field("Forwarded: for=unknown\r\nX-Real-IP: 10.0.0.7", "");
    check_field("Forwarded: by=10.0.0.7;proto=http", "");
    check_field("Forwarded: for", "");
    check_field("Forwarded: for=", "");
    check_field("Forwarded: 10.0.0.7", "");
    check_field("Forwarded: for=\"10.0.0.7", "");
    check_field("Forwarded: before=10.0.0.7", "");
    check_field("X-Forwarded: 10.0.0.7", "");
    check_field("X-Forwarded-Fo: 10.0.0.7", "");
}

/* Long values, and bytes that no address has. */
static void
test_hostile_clients(void)
{
    static const char ended[] = "GET / HTTP/1.1\r\nX-Real-IP: 10.0.0.7\0\r\n\r\n";
    char *commas = g_strnfill(20000, ','), *brackets = g_strnfill(20000, '['), *colons = g_strnfill(20000, ':');
    char *listed = g_strdup_printf("X-Forwarded-For: %s 10.0.0.7", commas);
    char *nested = g_strdup_printf("X-Forwarded-For: %s::1]", brackets);
    char *long_port = g_strdup_printf("Forwarded: for=\"10.0.0.7%s\"", colons);
    struct scene scene;
    check_field(listed, "1 client 10.0.0.7");
    check_field(nested, "");
    check_field(long_port, "");
    open_scene(&scene);
    scene_send(&scene, true, ended, sizeof ended - 1, sizeof ended - 1);
    scene_say(&scene, false, OK);
    check(&scene, "");
    g_free(commas);
    g_free(brackets);
    g_free(colons);
    g_free(listed);
    g_free(nested);
    g_free(long_port);
}

/* Of any case the same id; and what both a proxy and its client have named the same is one. */
static void
test_same(void)
{
    check_field("traceparent: 00-" TRACE "-B7AD6B7169203331-01", "1 trace " TRACE ", 1 span " SPAN);
    check_field("X-Request-Id: 7B1E-42\r\nX-Correlation-Id: 7b1e-42", "1 request 7b1e-42");
}

/* What is no id, or says nothing. */
static void
test_none(void)
{
    check_field("traceparent: ff-" TRACE "-" SPAN "-01", "");
    check_field("traceparent: 00-" TRACE "-" SPAN "-01-x", "");
    check_field("traceparent: 00-" TRACE "-" SPAN "-0", "");
    check_field("traceparent: 00-" TRACE "-0000000000000000-01", "");
    check_field("traceparent: 00-00000000000000000000000000000000-" SPAN "-01", "");
    check_field("traceparent: 00-" TRACE "-" SPAN "_01", "");
    check_field("traceparent: 00-0af7651916cd43dd8448eb211c80319g-" SPAN "-01", "");
    check_field("b3: 1", "");
    check_field("b3: sampled-always", "");
    check_field("X-Request-Id: 12345", "");
    check_field("X-Request-Id:", "");
    check_field("X-Request-Id", "");
    check_field("X-Request-Ids: abcdef123", "");
    check_field("X-Request-Id: two words", "");
    check_field("X-Other: abc\r\n X-Request-Id: 7b1e-42", "");
    check_field("uber-trace-id: " TRACE "%20" SPAN, "1 trace " TRACE);
}

/* Who does not want them has none. */
static void
test_unwanted(void)
{
    struct scene scene;
    open_scene(&scene);
    scene.analysis->requests.wants_ids = false;
    scene_say(&scene, true, "GET / HTTP/1.1\r\nX-Request-Id: 7b1e-42\r\n\r\n");
    scene_say(&scene, false, OK);
    check(&scene, "");
}

/* Fields stand in any segment of a request, and two requests in one; a body is none, nor is a response. What comes
 * after the fields is read as ever. */
static void
test_segments(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "POST /a HTTP/1.1\r\nX-Request-Id: first-1\r\nContent-");
    scene_say(&scene, true, "Length: 27\r\nX-Corre");
    scene_say(&scene, true, "lation-Id: first-2\r\n\r\n\r\nX-Request-Id: body-body\r\n");
    scene_say(&scene, false, "HTTP/1.1 200 OK\r\nX-Request-Id: answered-1\r\nContent-Length: 0\r\n\r\n");
    scene_say(&scene, true,
              "GET /b HTTP/1.1\r\nX-Request-Id: second-1\r\n\r\nPOST /c HTTP/1.1\r\nX-Request-Id: third-1\r\n"
              "Transfer-Encoding: gzip,\r\n chunked\r\n\r\n2\r\nab\r\n0\r\nX-Request-Id: trailer-1\r\n\r\n"
              "GET /d HTTP/1.1\r\nHost: h\r\nX-Request-Id: fourth-1\r\n\r\n");
    scene_say(&scene, false, OK OK OK);
    g_assert_cmpuint(scene.analysis->requests.count, ==, 4);
    check(&scene, "1 request first-1, 1 request first-2, 2 request second-1, 3 request third-1, 4 request fourth-1");
}

/* The request is the same whether ids are wanted or not. */
static void
test_same_requests(void)
{
    for (unsigned wants = 0; wants < 2; wants++) {
        struct scene scene;
        open_scene(&scene);
        scene.analysis->requests.wants_ids = wants;
        scene_say(&scene, true, "GET /a HTTP/1.1\r\nX-Request-Id: first-1\r\nPrefer: wait=10\r\n\r\n");
        scene_say(&scene, false, OK);
        scene_say(&scene, true, "POST /b HTTP/1.1\r\nX-Request-Id: second-1\r\nContent-Length:\r\n 3\r\n\r\nabc");
        scene_say(&scene, false, OK);
        scene_check(&scene, "GET /a 59/38 200 poll, POST /b 68/38 200");
    }
}

/* Behind bytes that are missing nobody knows which request a field is of. */
static void
test_gap(void)
{
    struct scene scene;
    open_scene(&scene);
    scene_say(&scene, true, "GET /a HTTP/1.1\r\nX-Request-Id: first-1\r\n");
    scene.seq[true] += 20;
    scene_say(&scene, true, "X-Correlation-Id: first-2\r\n\r\n");
    scene_say(&scene, false, OK);
    scene_say(&scene, true, "GET /b HTTP/1.1\r\nX-Request-Id: second-1\r\n\r\n");
    scene_say(&scene, false, OK);
    scene_give_up(&scene);
    check(&scene, "1 request first-1, 2 request second-1");
}

/* So many ids of a request, however many fields it has; one that is too long is none. */
static void
test_hostile(void)
{
    struct scene scene;
    open_scene(&scene);
    GString *text = g_string_new("GET / HTTP/1.1\r\n");
    char *longest = g_strnfill(ID_MOST, 'x'), *longer = g_strnfill(100000, 'y');
    g_string_append_printf(text, "X-Request-Id: %s\r\nX-Request-Id: %sx\r\nX-Request-Id: %s\r\n", longest, longest,
                           longer);
    for (unsigned i = 0; i < 10000; i++)
        g_string_append_printf(text, "X-Request-Id: many-%u\r\n", i);
    g_string_append(text, "\r\n");
    for (size_t at = 0; at < text->len; at += 1000) {
        const size_t length = MIN(text->len - at, 1000);
        scene_send(&scene, true, text->str + at, length, length);
    }
    scene_say(&scene, false, OK);
    char *expected = g_strdup_printf("1 request %s, 1 request many-0, 1 request many-1, 1 request many-2", longest);
    check(&scene, expected);
    g_free(expected);
    g_free(longest);
    g_free(longer);
    g_string_free(text, TRUE);
}

/* Ids of an earlier request come in its place; not if it is too long ago, or they are too many. */
static void
test_order(void)
{
    struct scene scene;
    unsigned count;
    open_scene(&scene);
    struct requests *requests = &scene.analysis->requests;
    for (uint32_t number = 2; number < 2 * REQUEST_IDS_LATE; number += 2)
        request_ids_add(requests, &(struct request){ .number = number }, ID_REQUEST, number);
    const uint32_t all = requests->ids.count;
    request_ids_add(requests, &(struct request){ .number = 7 }, ID_TEXT, 70);
    for (unsigned i = 0; i < IDS_OF_REQUEST + 3; i++)
        request_ids_add(requests, &(struct request){ .number = 8 }, ID_TEXT, 80 + i % (IDS_OF_REQUEST + 1));
    g_assert_cmpuint(requests->ids.count, ==, all + 1 + IDS_OF_REQUEST - 1);
    const struct request_id *ids = request_ids_of(requests, 8, &count);
    g_assert_cmpuint(count, ==, IDS_OF_REQUEST);
    g_assert_cmpuint(ids[0].hash, ==, 8);
    g_assert_cmpuint(ids[count - 1].hash, ==, 80 + IDS_OF_REQUEST - 2);
    ids = request_ids_of(requests, 7, &count);
    g_assert_cmpuint(count, ==, 1);
    g_assert_cmpuint(ids[0].kind, ==, ID_TEXT);
    for (uint32_t i = 1; i < requests->ids.count; i++)
        g_assert_cmpuint(requests->ids.all[i - 1].number, <=, requests->ids.all[i].number);
    request_ids_add(requests, &(struct request){ .number = 3 }, ID_TEXT, 30);
    request_ids_of(requests, 3, &count);
    g_assert_cmpuint(count, ==, 0);
    scene_close(&scene);
}

/* Sends what the client has said since, `bytes` in each segment. */
static void
send_talk(struct scene *scene, struct talk *talk, size_t bytes)
{
    const GByteArray *said = talk->said[true];
    for (size_t at = 0; at < said->len; at += bytes) {
        const size_t length = MIN(said->len - at, bytes);
        scene_send(scene, true, (const char *)said->data + at, length, length);
    }
    talk_turn(talk);
}

/* Fields of HTTP/2, also those that the table of HPACK has from a request before, and gRPC's metadata; not those behind
 * the content, nor a response's. */
static void
test_http2(void)
{
    static const char get[] = ":method GET, :scheme http, :path /1, x-request-id first-1, traceparent " TRACEPARENT
                              ", x-forwarded-for 10.0.0.7";
    static const char call[] = ":method POST, :scheme http, :path /p.S/M, content-type application/grpc, "
                               "x-job-id third-1, b3 " TRACE "-" SPAN "-1";
    for (size_t bytes = 1; bytes < 300; bytes += 23) {
        struct scene scene;
        struct talk talk;
        open_scene(&scene);
        scene.settings.id_headers = "x-job-id";
        talk_open(&talk);
        talk_greet(&talk);
        talk_long_fields(&talk, true, HTTP2_END_STREAM, 1, get);
        talk_fields(&talk, true, HTTP2_END_STREAM, 3, get);
        talk_fields(&talk, true, 0, 5, call);
        talk_data(&talk, true, 5, "abcd", false);
        talk_fields(&talk, true, HTTP2_END_STREAM, 5, "x-correlation-id trailer-1");
        send_talk(&scene, &talk, bytes);
        talk_fields(&talk, false, HTTP2_END_STREAM, 1, ":status 200, x-request-id answer-1");
        scene_send(&scene, false, (const char *)talk.said[false]->data, talk.said[false]->len, talk.said[false]->len);
        talk_close(&talk);
        check(&scene, "1 request first-1, 1 trace " TRACE ", 1 span " SPAN ", 1 client 10.0.0.7, 2 request first-1"
                      ", 2 trace " TRACE ", 2 span " SPAN ", 2 client 10.0.0.7, 3 request third-1, 3 trace " TRACE
                      ", 3 span " SPAN);
    }
}

/* A query of PostgreSQL, or with `command` one of MySQL, sent in segments of so many bytes, and answered. */
static void
check_sql_in(const char *statement, bool is_mysql, size_t bytes, const char *expected)
{
    static const char asked[] = "Q\0\0\0\x0dSELECT 1", greeted[] = "\x0b\0\0\0\3SELECT 1;\n";
    static const char ready[] = "C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I", ok[] = "\7\0\0\1\0\0\0\2\0\0\0";
    const size_t length = strlen(statement), size = is_mysql ? length + 1 : length + 5;
    GByteArray *said = g_byte_array_new();
    struct scene scene;
    open_scene(&scene);
    if (is_mysql)
        g_byte_array_append(said, (const uint8_t[]){ (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), 0, 3 },
                            5);
    else
        g_byte_array_append(said,
                            (const uint8_t[]){ 'Q', 0, (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size }, 5);
    g_byte_array_append(said, (const uint8_t *)statement, (unsigned)length + !is_mysql);
    if (is_mysql)
        scene_send(&scene, true, greeted, sizeof greeted - 1, sizeof greeted - 1);
    else
        scene_send(&scene, true, asked, sizeof asked, sizeof asked);
    for (unsigned i = 0; i < 2; i++) {
        scene_send(&scene, false, is_mysql ? ok : ready, is_mysql ? sizeof ok - 1 : sizeof ready - 1,
                   is_mysql ? sizeof ok - 1 : sizeof ready - 1);
        for (size_t at = 0; i == 0 && at < said->len; at += bytes) {
            const size_t n = MIN(said->len - at, bytes);
            scene_send(&scene, true, (const char *)said->data + at, n, n);
        }
    }
    g_assert_cmpuint(scene.analysis->requests.count, ==, 2);
    check(&scene, expected);
    g_byte_array_free(said, TRUE);
}

static void
check_sql(const char *statement, const char *expected)
{
    for (unsigned is_mysql = 0; is_mysql < 2; is_mysql++) {
        check_sql_in(statement, is_mysql, 1000000, expected);
        for (size_t bytes = 1; bytes < 1500; bytes += 1 + bytes / 3)
            check_sql_in(statement, is_mysql, bytes, expected);
    }
}

/* Words of comments that look like ids, and traceparents, whatever stands before them. */
static void
test_sql(void)
{
    check_sql("SELECT 2 /*traceparent='" TRACEPARENT "'*/", "2 trace " TRACE ", 2 span " SPAN);
    check_sql("SELECT 2 /*action='%2Findex12345678',traceparent='" TRACEPARENT "',x='a%2D1%5F23456'*/;",
              "2 trace " TRACE ", 2 span " SPAN ", 2 text index12345678, 2 text a-1_23456");
    check_sql("/* 550E8400-e29b-41d4-a716-446655440000 */ SELECT 2 -- request=ab_12345\n + 12345678",
              "2 text 550e8400-e29b-41d4-a716-446655440000, 2 text ab_12345");
    check_sql("SELECT 2 /* short12, abcdefgh and*/ /* 'abcdef12' */ -- x", "2 text abcdef12");
    check_sql("SELECT 12345678-- 12345678", "");
    check_sql("SELECT 'abcd1234', 2 / * 12345678", "");
    check_sql("SELECT 2 /*", "");
    check_sql("SELECT 2 /*a1a1a1a1,b2b2b2b2,c3c3c3c3,d4d4d4d4,e5e5e5e5 " TRACEPARENT "*/",
              "2 trace " TRACE ", 2 span " SPAN ", 2 text a1a1a1a1, 2 text b2b2b2b2");
}

/* The comment at the end of a long statement, of which parsers see the beginning alone. */
static void
test_long_sql(void)
{
    for (size_t length = 420; length < 6000; length += length < 900 ? 37 : 1777) {
        char *columns = g_strnfill(length, 'c');
        char *statement =
            g_strdup_printf("SELECT /*first-123*/ %s FROM t /*second-123,traceparent='" TRACEPARENT "'*/", columns);
        check_sql(statement, "2 text first-123, 2 trace " TRACE ", 2 span " SPAN ", 2 text second-123");
        g_free(statement);
        g_free(columns);
    }
}

/* A statement's ids are those of the Execute, or of what else asks, that is sent with its Parse; one that has been
 * prepared before is executed without them. */
static void
test_extended(void)
{
    static const char bind_and_execute[] = "B\0\0\0\x0c\0\0\0\0\0\0\0\0E\0\0\0\x09\0\0\0\0", sync[] = "\0S\0\0\0\4";
    static const char done[] = "1\0\0\0\4"
                               "2\0\0\0\4C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I";
    static const char again[] = "2\0\0\0\4C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I";
    for (size_t length = 10; length < 5000; length = length * 3 / 2) {
        char *columns = g_strnfill(length, 'c');
        char *statement = g_strdup_printf("SELECT %s FROM t /*request_id='first-123'*/", columns);
        const size_t size = 4 + 1 + strlen(statement) + 1 + 2;
        GByteArray *said = g_byte_array_new();
        struct scene scene;
        open_scene(&scene);
        g_byte_array_append(said, (const uint8_t[]){ 'P', 0, 0, (uint8_t)(size >> 8), (uint8_t)size, 0 }, 6);
        g_byte_array_append(said, (const uint8_t *)statement, (unsigned)strlen(statement) + 1);
        g_byte_array_append(said, (const uint8_t[]){ 0, 0 }, 2);
        g_byte_array_append(said, (const uint8_t *)bind_and_execute, sizeof bind_and_execute - 1);
        g_byte_array_append(said, (const uint8_t *)sync, sizeof sync - 1);
        for (size_t at = 0; at < said->len; at += 700) {
            const size_t n = MIN(said->len - at, 700);
            scene_send(&scene, true, (const char *)said->data + at, n, n);
        }
        scene_send(&scene, false, done, sizeof done - 1, sizeof done - 1);
        scene_send(&scene, true, bind_and_execute, sizeof bind_and_execute - 1, sizeof bind_and_execute - 1);
        scene_send(&scene, true, sync, sizeof sync - 1, sizeof sync - 1);
        scene_send(&scene, false, again, sizeof again - 1, sizeof again - 1);
        g_assert_cmpuint(scene.analysis->requests.count, ==, 2);
        check(&scene, "1 text first-123");
        g_byte_array_free(said, TRUE);
        g_free(statement);
        g_free(columns);
    }
}

/* Where the capture lacks a statement's last bytes, they are not looked at; what it lacks before them does not matter.
 * The requests are the same as without ids. */
static void
test_damaged_sql(void)
{
    enum { LENGTH = 3000, SEGMENT = 1000, CUT = 100 };
    static const char ready[] = "C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I";
    char *columns = g_strnfill(LENGTH, 'c');
    const size_t size = 5 + strlen("SELECT /*first-123*/  /*last-1234*/") + LENGTH + 1;
    for (unsigned damage = 0; damage < 4; damage++) {
        GString *said = g_string_new_len("Q\0\0\0\0", 5);
        g_string_append_printf(said, "SELECT /*first-123*/ %s /*last-1234*/", columns);
        g_string_append_c(said, '\0');
        g_assert_cmpuint(said->len, ==, size);
        said->str[3] = (char)((size - 1) >> 8);
        said->str[4] = (char)(size - 1);
        for (unsigned wants = 0; wants < 2; wants++) {
            struct scene scene;
            open_scene(&scene);
            scene.analysis->requests.wants_ids = wants;
            for (size_t at = 0; at < said->len; at += SEGMENT) {
                const size_t n = MIN(said->len - at, SEGMENT), segment = at / SEGMENT;
                if (damage == 1 && segment == 2)
                    scene.seq[true] += (uint32_t)n;
                else
                    scene_send(&scene, true, said->str + at, n,
                               damage == 2 && segment == 3 ? MIN(n, 8)
                               : damage == 3               ? MIN(n, CUT)
                                                           : n);
            }
            scene_send(&scene, false, ready, sizeof ready - 1, sizeof ready - 1);
            scene_give_up(&scene);
            g_assert_cmpuint(scene.analysis->requests.count, ==, 1);
            const struct request *request = scene.connection->requests[0];
            g_assert_cmpuint(request->request_bytes, ==, damage == 1 ? size - SEGMENT : size);
            g_assert_cmpuint(request->response.bytes, ==, sizeof ready - 1);
            check(&scene, !wants ? "" : damage == 2 ? "1 text first-123" : "1 text first-123, 1 text last-1234");
        }
        g_string_free(said, TRUE);
    }
    g_free(columns);
}

void
ids_tests_add(void)
{
    g_test_add_func("/ids/fields", test_fields);
    g_test_add_func("/ids/same", test_same);
    g_test_add_func("/ids/none", test_none);
    g_test_add_func("/ids/unwanted", test_unwanted);
    g_test_add_func("/ids/segments", test_segments);
    g_test_add_func("/ids/same-requests", test_same_requests);
    g_test_add_func("/ids/gap", test_gap);
    g_test_add_func("/ids/http2", test_http2);
    g_test_add_func("/ids/sql", test_sql);
    g_test_add_func("/ids/long-sql", test_long_sql);
    g_test_add_func("/ids/extended-sql", test_extended);
    g_test_add_func("/ids/damaged-sql", test_damaged_sql);
    g_test_add_func("/ids/hostile", test_hostile);
    g_test_add_func("/ids/clients", test_clients);
    g_test_add_func("/ids/no-clients", test_no_clients);
    g_test_add_func("/ids/hostile-clients", test_hostile_clients);
    g_test_add_func("/ids/order", test_order);
    g_test_add_func("/ids/traces", test_traces);
    g_test_add_func("/ids/no-traces", test_no_traces);
    g_test_add_func("/ids/traces-in-order", test_traces_in_order);
}
