/* test-decrypted.c
 * Messages in TLS records of which what they hide is known: in which frames they count, and where turns go on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/protocol/reading.h"
#include "core/request/tls_cursor.h"
#include "scene.h"
#include "unit.h"

enum { HANDSHAKE = 22, APPLICATION_DATA = 23, AUTHENTICATION = 17 };

/* A segment, and what Wireshark has decrypted with it. */
static void
send_decrypted(struct scene *scene, bool from_client, const uint8_t *payload, size_t n,
               const struct decrypted *decrypted)
{
    struct segment segment = scene_segment(scene, from_client, n);
    segment.payload = payload;
    segment.captured_bytes = (uint32_t)n;
    scene->connection = analysis_take(scene->analysis, &segment);
    if (analysis_wants_decrypted(scene->analysis))
        analysis_read_decrypted(scene->analysis, &segment, decrypted);
    else
        analysis_read(scene->analysis, &segment);
}

static void
send(struct scene *scene, bool from_client, const uint8_t *payload, size_t n, const char *text, bool any)
{
    const uint32_t length = (uint32_t)strlen(text);
    const struct decrypted decrypted = { (const uint8_t *)text, length, &length, length > 0, any };
    send_decrypted(scene, from_client, payload, n, &decrypted);
}

static GByteArray *
make_record(uint8_t type, size_t bytes)
{
    const uint8_t header[] = { type, 3, 3, (uint8_t)(bytes >> 8), (uint8_t)bytes };
    GByteArray *record = g_byte_array_new();
    g_byte_array_append(record, header, sizeof header);
    g_byte_array_set_size(record, (unsigned)(sizeof header + bytes));
    memset(record->data + sizeof header, 0xa5, bytes);
    return record;
}

/* A record of application data in so many segments. `decrypted`: it is. */
static void
hide(struct scene *scene, bool from_client, const char *text, unsigned segments, bool decrypted)
{
    GByteArray *record = make_record(APPLICATION_DATA, strlen(text) + AUTHENTICATION);
    size_t each = record->len / segments;
    for (unsigned i = 0; i < segments; i++) {
        bool last = i + 1 == segments;
        send(scene, from_client, record->data + i * each, last ? record->len - i * each : each,
             last && decrypted ? text : "", last && decrypted);
    }
    g_byte_array_free(record, TRUE);
}

static void
say(struct scene *scene, bool from_client, const char *text)
{
    hide(scene, from_client, text, 1, true);
}

/* The capture does not have it. */
static void
lose(struct scene *scene, bool from_client, const char *text)
{
    scene->seq[from_client] += (uint32_t)(TLS_HEADER_BYTES + strlen(text) + AUTHENTICATION);
}

static void
shake(struct scene *scene, bool from_client)
{
    GByteArray *record = make_record(HANDSHAKE, 100);
    send(scene, from_client, record->data, record->len, "", from_client);
    g_byte_array_free(record, TRUE);
}

/* A hello, which is not encrypted: its length is its record's. */
static void
greet(struct scene *scene)
{
    GByteArray *record = make_record(HANDSHAKE, 100);
    const uint8_t hello[] = { 1, 0, 0, 96 };
    memcpy(record->data + TLS_HEADER_BYTES, hello, sizeof hello);
    send(scene, true, record->data, record->len, "", true);
    g_byte_array_free(record, TRUE);
}

static void
begin_scene(struct scene *scene)
{
    scene_open(scene, 443, 1000);
}

/* Frames 1 to 4. */
static void
open_scene(struct scene *scene)
{
    begin_scene(scene);
    for (unsigned i = 0; i < 4; i++)
        shake(scene, i % 2 == 0);
}

/* Each request after the handshake's two: its operation and frames. */
static void
check_and_close(struct scene *scene, const char *expected)
{
    GString *text = g_string_new("");
    for (uint32_t i = 2; i < scene->connection->n_requests; i++) {
        const struct request *request = scene->connection->requests[i];
        g_string_append_printf(text, "%s%s %u", i > 2 ? ", " : "", request->operation, request->first_frame);
        if (request->response.first_frame)
            g_string_append_printf(text, ">%u-%u", request->response.first_frame, request->response.last_frame);
        else
            g_string_append(text, request->ending == ENDING_LOST ? " lost" : " -");
    }
    g_assert_cmpstr(text->str, ==, expected);
    g_string_free(text, TRUE);
    scene_close(scene);
}

static const char asked[] = "GET /a HTTP/1.1\r\n\r\n", asked_too[] = "GET /b HTTP/1.1\r\n\r\n";
static const char answered[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab";

/* The handshake, of a connection whose SYN is missing, keeps its answers. */
static void
test_pipelined(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, true, asked_too);
    say(&scene, false, answered);
    say(&scene, false, answered);
    for (unsigned i = 0; i < 2; i++)
        g_assert_cmpuint(scene.connection->requests[i]->response.first_frame, ==, 2 * i + 2);
    check_and_close(&scene, "GET /a 5>7-7, GET /b 6>8-8");
}

/* A message counts by the frames in which its records end. */
static void
test_cut_records(void)
{
    struct scene scene;
    open_scene(&scene);
    hide(&scene, true, asked, 3, true);
    hide(&scene, false, "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", 4, true);
    hide(&scene, false, "fifty bytes of which this is the first part, thirty", 2, true);
    hide(&scene, false, "and the others, which are as many as that, but one", 2, true);
    say(&scene, true, asked_too);
    check_and_close(&scene, "GET /a 7>11-15, GET /b 16 -");
}

/* In TLS 1.3 the client may ask with the end of the handshake; the server's tickets tell nothing. */
static void
test_tickets(void)
{
    static const char ticket[] = "a ticket, which is no application data, and as long as this";
    struct scene scene;
    open_scene(&scene);
    shake(&scene, true);
    say(&scene, true, asked);
    hide(&scene, false, ticket, 1, false);
    hide(&scene, false, ticket, 1, false);
    say(&scene, false, answered);
    check_and_close(&scene, "TLS Handshake 5>7-7, GET /a 6>9-9");
}

/* Another protocol is none of ours, be its first record cut or not. */
static void
test_other_protocol(void)
{
    for (unsigned segments = 1; segments <= 2; segments++) {
        struct scene scene;
        open_scene(&scene);
        hide(&scene, true, "SSH-2.0-OpenSSH_9.2p1\r\n", segments, true);
        say(&scene, false, "settings");
        say(&scene, true, asked);
        say(&scene, false, answered);
        check_and_close(&scene, segments == 1 ? "TLS Application Data 5>6-6, TLS Application Data 7>8-8"
                                              : "TLS Application Data 6>7-7, TLS Application Data 8>9-9");
    }
}

/* Without keys; or where they are of no use from here on. */
static void
test_undecrypted(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, false, answered);
    hide(&scene, true, asked_too, 1, false);
    say(&scene, false, answered);
    say(&scene, true, asked);
    check_and_close(&scene, "GET /a 5>6-6, TLS Application Data 7>8-8, TLS Application Data 9 -");
}

/* What had come of an answer before has its own bytes, not those of its records. */
static void
test_undecrypted_end(void)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
                      part[] = "thirty-three bytes are in a part.";
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, true, asked_too);
    say(&scene, false, head);
    hide(&scene, false, part, 2, true);
    say(&scene, false, part);
    hide(&scene, false, part, 2, false);
    g_assert_cmpuint(scene.connection->requests[2]->response.bytes, ==, strlen(head) + 2 * strlen(part));
    check_and_close(&scene, "GET /a 5>7-12, GET /b 6 lost");
}

static void
test_lost_request(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    lose(&scene, true, asked);
    say(&scene, true, asked_too);
    say(&scene, false, answered);
    scene_give_up(&scene);
    check_and_close(&scene, "GET /a 5 lost, TLS Application Data 6>7-7");
}

static void
test_lost_answer(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, true, asked_too);
    lose(&scene, false, answered);
    say(&scene, false, answered);
    say(&scene, true, asked);
    say(&scene, false, answered);
    scene_give_up(&scene);
    check_and_close(&scene, "GET /a 5 lost, GET /b 6 lost, TLS Application Data 8>9-9");
}

/* What fills a hole has Wireshark decrypt what was captured before it, too: each record counts in its own frame. */
static void
test_reordered(void)
{
    const uint32_t n = sizeof answered - 1, lengths[] = { n, n };
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, true, asked_too);
    GByteArray *record = make_record(APPLICATION_DATA, n + AUTHENTICATION);
    GString *both = g_string_new(answered);
    g_string_append(both, answered);
    const struct decrypted decrypted = { (const uint8_t *)both->str, both->len, lengths, 2, true };
    scene.seq[false] += record->len;
    send(&scene, false, record->data, record->len, "", false);
    scene.seq[false] -= 2 * record->len;
    send_decrypted(&scene, false, record->data, record->len, &decrypted);
    scene.seq[false] += record->len;
    g_string_free(both, TRUE);
    g_byte_array_free(record, TRUE);
    say(&scene, true, asked);
    say(&scene, false, answered);
    check_and_close(&scene, "GET /a 5>8-8, GET /b 6>7-7, GET /a 9>10-10");
}

/* The capture has an answer before what it acknowledges. */
static void
test_answer_first(void)
{
    const uint32_t n = TLS_HEADER_BYTES + sizeof asked - 1 + AUTHENTICATION;
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, false, answered);
    scene.seq[true] += n;
    say(&scene, false, answered);
    scene.seq[true] -= n;
    say(&scene, true, asked_too);
    check_and_close(&scene, "GET /a 5>6-6, GET /b 8>7-7");
}

/* The capture has the request later: which answer is whose is not known any more. */
static void
test_early_answer(void)
{
    struct scene scene;
    open_scene(&scene);
    say(&scene, true, asked);
    say(&scene, false, answered);
    say(&scene, false, answered);
    say(&scene, true, asked_too);
    say(&scene, false, answered);
    check_and_close(&scene, "GET /a 5>6-6, TLS Application Data 8>9-9");
}

/* What was sent with the first of the handshake may be asked again. */
static void
test_early_data(void)
{
    struct scene scene;
    begin_scene(&scene);
    greet(&scene);
    say(&scene, true, asked);
    shake(&scene, false);
    shake(&scene, true);
    say(&scene, false, answered);
    say(&scene, true, asked_too);
    say(&scene, false, answered);
    check_and_close(&scene, "TLS Application Data 6>7-7");
}

void
decrypted_tests_add(void)
{
    g_test_add_func("/decrypted/pipelined", test_pipelined);
    g_test_add_func("/decrypted/cut-records", test_cut_records);
    g_test_add_func("/decrypted/tickets", test_tickets);
    g_test_add_func("/decrypted/other-protocol", test_other_protocol);
    g_test_add_func("/decrypted/undecrypted", test_undecrypted);
    g_test_add_func("/decrypted/undecrypted-end", test_undecrypted_end);
    g_test_add_func("/decrypted/lost-request", test_lost_request);
    g_test_add_func("/decrypted/lost-answer", test_lost_answer);
    g_test_add_func("/decrypted/reordered", test_reordered);
    g_test_add_func("/decrypted/answer-first", test_answer_first);
    g_test_add_func("/decrypted/early-answer", test_early_answer);
    g_test_add_func("/decrypted/early-data", test_early_data);
}
