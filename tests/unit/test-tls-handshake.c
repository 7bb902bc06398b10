/* test-tls-handshake.c
 * Handshakes of TLS, from conversations of few records: whole, each byte in a segment of its own, and without some.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "core/protocol/tls/tls_handshake.h"
#include "core/protocol/tls/tls_hello.h"
#include "scene.h"
#include "unit.h"

enum { HANDSHAKE = 22, ALERT = 21, STEP_NS = 1000 };

/* `segments`: > from the client, < from the server, ! and | likewise, but not captured, then its records: type and
 * length; C a ClientHello, E one with early data, V one in SSLv2's format, W likewise of a wrong length, X a
 * ServerHello behind such a header, S2 and S3 a ServerHello of TLS 1.2 or 1.3, R a HelloRetryRequest, P3 one of a
 * session, a2.40 an alert; t what is no TLS. `facts`: segments of the hellos and the end, and the rest. */
static const struct {
    const char *name, *segments, *facts;
} cases[] = {
    { "1.3", ">C <S3,20:1,23:30,23:800,23:69 >20:1,23:69,23:200 <23:200", "1>2 3 complete TLS 1.3 h.example" },
    { "1.3-resumed", ">C <P3,23:30,23:53 >23:53 <23:200", "1>2 3 complete TLS 1.3 h.example resumed" },
    { "1.3-retried", ">C <R,20:1 >20:1,C <S3,23:30,23:69 >23:69", "1>4 5 complete TLS 1.3 h.example retried" },
    { "1.3-certificate", ">C <S3,23:900,23:69 >23:900 >23:280 >23:69 <23:50", "1>2 5 complete TLS 1.3 h.example" },
    { "1.3-certificate-packed", ">C <S3,23:900,23:69 >23:1300 <23:50 >23:69", "1>2 0 unfinished TLS 1.3 h.example" },
    { "1.3-early-data", ">E >23:69 <P3,23:900,23:69 >23:21,23:53", "1>3 4 complete TLS 1.3 h.example resumed" },
    { "1.3-alert", ">C <S3,23:900,23:69 >23:19", "1>2 3 failed TLS 1.3 h.example encrypted" },
    { "1.2", ">C <S2,22:800,22:4 >22:37,20:1,22:40 <20:1,22:40 >23:200", "1>2 4 complete TLS 1.2 h.example" },
    { "1.2-resumed", ">C <S2,20:1,22:40 >20:1,22:40 <23:50", "1>2 3 complete TLS 1.2 h.example resumed" },
    { "1.2-false-start", ">C <S2,22:4 >22:37,20:1,22:40 >23:200 <20:1,22:40", "1>2 4 complete TLS 1.2 h.example" },
    { "refused", ">C <a2.40", "1>0 2 failed  h.example handshake_failure" },
    { "warned", ">C <a1.112,S2,22:4 >22:37,20:1,22:40 <20:1,22:40", "1>2 4 complete TLS 1.2 h.example" },
    { "closed", ">C <S2,22:4 >a1.0", "1>2 3 failed TLS 1.2 h.example close_notify" },
    { "starttls", "<t >t <t >C <S3,23:69 >23:69", "4>5 6 complete TLS 1.3 h.example later" },
    { "not-tls", ">t <t", "none" },
    { "no-answer", ">C", "1>0 0 unfinished  h.example" },
    { "answered-otherwise", ">C <t", "1>0 0 unfinished  h.example" },
    { "renegotiated", ">C <S2,22:4 >22:37,20:1,22:40 <20:1,22:40 >22:90 <22:90", "1>2 4 complete TLS 1.2 h.example" },
    { "1.2-end-missing", ">C <S2,22:4 >22:37,20:1,22:40 |20:1,22:40 >23:200 <23:50",
      "1>2 0 unfinished TLS 1.2 h.example" },
    { "1.3-end-missing", ">C <S3,23:69 !23:69 >23:300 <23:50", "1>2 0 unfinished TLS 1.3 h.example" },
    { "1.3-answer-missing", ">C |S3,23:69 >23:69 <23:50", "1>0 0 unfinished  h.example" },
    { "sslv2", ">V <S2,22:800,22:4 >22:37,20:1,22:40 <20:1,22:40 >23:200", "1>2 4 complete TLS 1.2 " },
    { "sslv2-refused", ">V <a2.40", "1>0 2 failed   handshake_failure" },
    { "sslv2-wrong", ">W <S2,22:800,22:4 >22:37,20:1,22:40 <20:1,22:40", "none" },
    { "sslv2-later", ">C <S2,22:4 >V,22:37,20:1,22:40 <20:1,22:40", "1>2 0 unfinished TLS 1.2 h.example" },
    { "sslv2-retried", ">V <a1.112 >V <S2,22:4 >22:37,20:1,22:40 <20:1,22:40", "1>0 0 unfinished  " },
    { "sslv2-server", ">C <X", "1>0 0 unfinished  h.example" },
    { "sslv2-both", ">V <V", "1>0 0 unfinished  " },
    { "sslv2-missing", "!V <S2,22:800,22:4 >22:37,20:1,22:40 <20:1,22:40", "none" },
    { "hello-missing", "!C <S3,23:69 >23:69 <23:50", "none" },
};

static void
append(GByteArray *bytes, const char *hex)
{
    for (; *hex; hex += 2) {
        const char digits[] = { hex[0], hex[1], '\0' };
        const uint8_t byte = (uint8_t)strtoul(digits, NULL, 16);
        g_byte_array_append(bytes, &byte, 1);
    }
}

static void
append_record(GByteArray *bytes, uint8_t type, const GByteArray *fragment)
{
    const uint8_t header[] = { type, 3, 3, (uint8_t)(fragment->len >> 8), (uint8_t)fragment->len };
    g_byte_array_append(bytes, header, sizeof header);
    g_byte_array_append(bytes, fragment->data, fragment->len);
}

/* SNI h.example; then 42, early_data. */
#define SNI   "0000000e000c000009682e6578616d706c65"
#define EARLY "002a0000"

/* What a hello in SSLv2's format begins with, of six ciphers and a challenge of 16 bytes, and all of its bytes. */
#define SSLV2 "802b010301001200000010"

enum { SSLV2_BYTES = 2 + 9 + 18 + 16 };

static void
append_hello(GByteArray *bytes, const char *word)
{
    GByteArray *body = g_byte_array_new();
    GString *extensions = g_string_new("");
    bool asks = *word == 'C' || *word == 'E';
    append(body, "0303");
    if (*word == 'R')
        append(body, "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");
    else
        g_byte_array_set_size(body, body->len + 32);
    append(body, asks ? "00"
                        "00021301"
                        "0100"
                      : "00"
                        "1301"
                        "00");
    if (asks)
        g_string_append(extensions, *word == 'E' ? SNI EARLY : SNI);
    else if (word[1] != '2')
        g_string_append(extensions, *word == 'P' ? "002b00020304"
                                                   "002900020000"
                                                 : "002b00020304");
    const uint8_t length[] = { 0, (uint8_t)(extensions->len / 2) };
    g_byte_array_append(body, length, sizeof length);
    append(body, extensions->str);
    const uint8_t header[] = { asks ? 1 : 2, 0, 0, (uint8_t)body->len };
    g_byte_array_prepend(body, header, sizeof header);
    append_record(bytes, HANDSHAKE, body);
    g_byte_array_free(body, TRUE);
    g_string_free(extensions, TRUE);
}

static void
append_word(GByteArray *bytes, const char *word)
{
    if (*word == 't') {
        append(bytes, "48454c4c4f0d0a");
    } else if (*word == 'X') {
        append(bytes, "802b0103010200002603030000000000");
        g_byte_array_set_size(bytes, bytes->len + 29);
    } else if (*word == 'V' || *word == 'W') {
        append(bytes, *word == 'V' ? SSLV2 : "802c010301001200000010");
        g_byte_array_set_size(bytes, bytes->len + 18 + 16);
        memset(bytes->data + bytes->len - 34, 0xa5, 34);
    } else if (*word == 'a') {
        const uint8_t alert[] = { ALERT, 3, 3, 0, 2, (uint8_t)(word[1] - '0'), (uint8_t)atoi(word + 3) };
        g_byte_array_append(bytes, alert, sizeof alert);
    } else if (g_ascii_isalpha(*word)) {
        append_hello(bytes, word);
    } else {
        GByteArray *fragment = g_byte_array_new();
        g_byte_array_set_size(fragment, (unsigned)atoi(strchr(word, ':') + 1));
        memset(fragment->data, 0xa5, fragment->len);
        append_record(bytes, (uint8_t)atoi(word), fragment);
        g_byte_array_free(fragment, TRUE);
    }
}

/* In parts of so many bytes, each a segment. Frames are numbered by the whole ones. */
static void
send(struct scene *scene, const char *text, uint32_t frame, unsigned part)
{
    bool from_client = *text == '>' || *text == '!', captured = *text == '>' || *text == '<';
    GByteArray *bytes = g_byte_array_new();
    char **words = g_strsplit(text + 1, ",", -1);
    for (char **each = words; *each; each++)
        append_word(bytes, *each);
    for (unsigned at = 0; at < bytes->len; at += part) {
        unsigned n = MIN(part, bytes->len - at);
        struct segment segment = scene_segment(scene, from_client, n);
        if (!captured)
            continue;
        segment.frame = scene->frame = frame * 10000 + at;
        segment.time_ns = (int64_t)frame * 1000000000;
        segment.payload = bytes->data + at;
        segment.captured_bytes = n;
        scene->connection = analysis_take(scene->analysis, &segment);
        analysis_read(scene->analysis, &segment);
    }
    g_strfreev(words);
    g_byte_array_free(bytes, TRUE);
}

static char *
facts_of(const struct connection *connection)
{
    const struct tls_handshake *handshake = connection ? connection->tcp->handshake : NULL;
    if (!handshake || !handshake->number)
        return g_strdup("none");
    return g_strdup_printf("%u>%u %u %s %s %s%s%s%s%s%s", handshake->hello_frame / 10000,
                           handshake->answer_frame / 10000, handshake->end_frame / 10000,
                           tls_result_name(handshake->result), handshake->version, handshake->host,
                           *handshake->alert ? " " : "", handshake->alert, handshake->resumed ? " resumed" : "",
                           handshake->retried ? " retried" : "", handshake->is_first ? "" : " later");
}

static void
check(size_t number, unsigned part)
{
    struct scene scene;
    uint32_t frame = 0;
    scene_open(&scene, 443, STEP_NS);
    char **segments = g_strsplit(cases[number].segments, " ", -1);
    for (char **each = segments; *each; each++)
        send(&scene, *each, ++frame, part);
    analysis_end(scene.analysis);
    char *facts = facts_of(scene.connection);
    g_assert_cmpstr(facts, ==, cases[number].facts);
    g_free(facts);
    g_strfreev(segments);
    scene_close(&scene);
}

static void
test_case(const void *data)
{
    const size_t number = GPOINTER_TO_SIZE(data);
    check(number, G_MAXUINT16);
    check(number, 1);
    check(number, 3);
}

/* Begins with a hello in SSLv2's format in two segments, of which the second is the first frame if that is `late`, and
 * which are sent again; of the first `captured` bytes are there. The server refuses. Returns the facts, without the
 * frames. */
static char *
facts_of_sslv2(uint32_t cut, uint32_t captured, bool late)
{
    struct scene scene;
    GByteArray *hello = g_byte_array_new(), *alert = g_byte_array_new();
    append_word(hello, "V");
    append_word(alert, "a2.40");
    const char *bytes = (const char *)hello->data;
    scene_open(&scene, 443, STEP_NS);
    scene_shake_hands(&scene);
    if (late) {
        scene.seq[true] += SSLV2_BYTES;
        scene_send_late(&scene, true, SSLV2_BYTES - cut, bytes + cut, SSLV2_BYTES - cut, SSLV2_BYTES - cut);
        scene_send_late(&scene, true, SSLV2_BYTES, bytes, cut, captured);
    } else {
        scene_send(&scene, true, bytes, cut, captured);
        scene_send(&scene, true, bytes + cut, SSLV2_BYTES - cut, SSLV2_BYTES - cut);
    }
    scene_send_late(&scene, true, SSLV2_BYTES, bytes, SSLV2_BYTES, SSLV2_BYTES);
    scene_send(&scene, false, (const char *)alert->data, alert->len, alert->len);
    analysis_end(scene.analysis);
    char *facts = facts_of(scene.connection);
    char *rest = g_strdup(strchr(facts, ' ') ? strchr(facts, ' ') + 1 : facts);
    g_free(facts);
    g_byte_array_free(hello, TRUE);
    g_byte_array_free(alert, TRUE);
    scene_close(&scene);
    return rest;
}

/* Split at every byte, in order or not; and all of it in one segment, cut by every snap length. */
static void
test_sslv2_parts(void)
{
    static const char refused[] = "0 failed   handshake_failure";
    enum { SHOWS = 11 };
    for (uint32_t cut = 1; cut <= SSLV2_BYTES; cut++)
        for (unsigned late = 0; late < 2; late++) {
            char *facts = facts_of_sslv2(cut, cut, late && cut < SSLV2_BYTES);
            g_assert_cmpstr(facts, ==, refused);
            g_free(facts);
        }
    for (uint32_t captured = 0; captured < SSLV2_BYTES; captured++) {
        char *facts = facts_of_sslv2(SSLV2_BYTES, captured, false);
        g_assert_cmpstr(facts, ==, captured < SHOWS ? "none" : refused);
        g_free(facts);
    }
}

/* Random bytes behind what a hello begins with: nothing but memory errors can go wrong. */
static void
test_random_hellos(void)
{
    GRand *random = g_rand_new_with_seed(1);
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t bytes[120];
        struct tls_hello hello;
        for (unsigned at = 0; at < sizeof bytes; at++)
            bytes[at] = (uint8_t)(g_rand_int_range(random, 0, 4) ? g_rand_int_range(random, 0, 20)
                                                                 : g_rand_int_range(random, 0, 256));
        gsize n = (gsize)g_rand_int_range(random, 1, sizeof bytes);
        uint8_t *part = g_memdup2(bytes, n);
        tls_hello_read(part, n, i % 2, &hello);
        g_assert_cmpuint(strlen(hello.host), <, TLS_TEXT_ROOM);
        g_assert_cmpuint(strlen(hello.alpn), <, TLS_TEXT_ROOM);
        g_free(part);
    }
    g_rand_free(random);
}

void
tls_handshake_tests_add(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *path = g_strdup_printf("/tls-handshake/%s", cases[i].name);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
        g_free(path);
    }
    g_test_add_func("/tls-handshake/sslv2-parts", test_sslv2_parts);
    g_test_add_func("/tls-handshake/random", test_random_hellos);
}
