/* test-tls-turn.c
 * What turns of TLS are without keys: conversations in which records have nothing but a type and a length.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "core/request/tls_cursor.h"
#include "core/request/tls_turn.h"
#include "scene.h"
#include "unit.h"

enum { HANDSHAKE = 22 };

/* `segments`: > from the client, < from the server, * from the server before it has what the client said last; then its
 * records: type and length, or h and the length of a hello, v for one in SSLv2's format. `turns`: the role of each, and
 * its first frames. */
static const struct {
    const char *name, *segments, *turns;
} cases[] = {
    { "1.3", ">h200 <h90,20:1,23:30,23:800,23:69 >20:1,23:69 <23:200 <23:200 >23:90 <23:300 >23:19",
      "handshake 1>2, on 3>4, request 6>7, alert 8" },
    { "1.3-at-once", ">h200 <h90,20:1,23:30,23:800,23:53 >20:1,23:53 >23:90 <23:300",
      "handshake 1>2, on 3, request 4>5" },
    { "1.3-in-a-segment", ">h200 <h90,20:1,23:30,23:53 >20:1,23:53,23:90 <23:300", "handshake 1>2, request 3>4" },
    { "1.3-without-ccs", ">h200 <h90,23:30,23:53 >23:53 >23:53 <23:300", "handshake 1>2, on 3, request 4>5" },
    { "1.3-two-hellos", ">h200 <h90,20:1 >20:1,h230 <h90,23:30,23:69 >23:69 >23:90 <23:300",
      "handshake 1>2, on 3>4, on 5, request 6>7" },
    { "1.3-tickets", ">h200 <h90,20:1,23:30,23:69 >20:1,23:69 >23:90 *23:200 <23:300",
      "handshake 1>2, on 3>5, request 4>6" },
    { "1.3-certificate", ">h200 <h90,20:1,23:30,23:69 >20:1,23:900 >23:280 >23:69 >23:90 <23:300",
      "handshake 1>2, on 3, request 6>7" },
    { "1.3-certificate-packed", ">h200 <h90,20:1,23:30,23:69 >20:1,23:1300 <23:200 >23:90 <23:300",
      "handshake 1>2, on 3>4, request 5>6" },
    { "1.3-early-data", ">h200 >20:1,23:90 <h90,20:1,23:30,23:69 <23:300 >23:21,23:53 >23:90 <23:300",
      "handshake 1>3, on 5, request 6>7" },
    { "1.2", ">h200 <22:90,22:800,22:4 >22:37,20:1,22:40 <20:1,22:40 >23:53 <23:300 >21:26",
      "handshake 1>2, on 3>4, request 5>6, alert 7" },
    { "sslv2", ">v <22:90,22:800,22:4 >22:37,20:1,22:40 <20:1,22:40 >23:53 <23:300 >21:26",
      "handshake 1>2, on 3>4, request 5>6, alert 7" },
    { "1.2-resumed", ">h200 <22:90,20:1,22:40 >20:1,22:40,23:90 <23:300", "handshake 1>2, request 3>4" },
    { "1.2-renegotiated",
      ">h200 <22:90 >22:37,20:1,22:40 <20:1,22:40 >23:90 <23:300 >22:250 <22:900 >22:80,20:1,22:40 <22:40",
      "handshake 1>2, on 3>4, request 5>6, handshake 7>8, on 9>10" },
    { "alerts-of-both", ">23:90 <23:300 >23:19 <23:19", "request 1>2, alert 3>4" },
    { "two-bytes", ">23:19 <23:19 >23:19 <23:300 >23:19 <23:20", "request 1>2, request 3>4, request 5>6" },
    { "not-alone", ">23:19 >23:90 <23:300 >23:20", "request 1>3, request 4" },
    { "begun-before", ">23:90 <23:300 >22:40 <22:40", "request 1>2, handshake 3>4" },
};

static void
append_record(GByteArray *payload, const char *text)
{
    static const uint8_t sslv2[2 + 9 + 18 + 16] = { 0x80, 9 + 18 + 16, 1, 3, 1, 0, 18, 0, 0, 0, 16 };
    bool is_hello = *text == 'h';
    if (*text == 'v') {
        g_byte_array_append(payload, sslv2, sizeof sslv2);
        return;
    }
    const char *colon = strchr(text, ':');
    unsigned bytes = (unsigned)atoi(is_hello ? text + 1 : colon + 1);
    uint8_t type = is_hello ? HANDSHAKE : (uint8_t)atoi(text);
    const uint8_t header[] = { type, 3, 3, (uint8_t)(bytes >> 8), (uint8_t)bytes };
    g_byte_array_append(payload, header, sizeof header);
    unsigned begin = payload->len;
    g_byte_array_set_size(payload, begin + bytes);
    memset(payload->data + begin, 0xa5, bytes);
    const uint8_t hello[] = { 1, 0, (uint8_t)((bytes - 4) >> 8), (uint8_t)(bytes - 4) };
    if (is_hello)
        memcpy(payload->data + begin, hello, sizeof hello);
}

/* Returns how many bytes that were. */
static uint32_t
send(struct scene *scene, const char *text, uint32_t before)
{
    GByteArray *payload = g_byte_array_new();
    char **records = g_strsplit(text + 1, ",", -1);
    for (char **each = records; *each; each++)
        append_record(payload, *each);
    struct segment segment = scene_segment(scene, *text == '>', payload->len);
    segment.payload = payload->data;
    segment.captured_bytes = payload->len;
    segment.ack -= *text == '*' ? before : 0;
    scene->connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
    uint32_t bytes = payload->len;
    g_strfreev(records);
    g_byte_array_free(payload, TRUE);
    return bytes;
}

static void
test_case(const void *data)
{
    static const char *const names[] = {
        [TLS_NONE] = "request", [TLS_HANDSHAKE] = "handshake", [TLS_HANDSHAKE_GOES_ON] = "on", [TLS_ALERT] = "alert"
    };
    const size_t number = GPOINTER_TO_SIZE(data);
    struct scene scene;
    uint32_t bytes = 0;
    scene_open(&scene, 443, 1000);
    char **segments = g_strsplit(cases[number].segments, " ", -1);
    for (char **each = segments; *each; each++)
        bytes = send(&scene, *each, bytes);
    GString *turns = g_string_new("");
    for (uint32_t i = 0; i < scene.connection->n_requests; i++) {
        const struct request *request = scene.connection->requests[i];
        g_string_append_printf(turns, "%s%s %u", i ? ", " : "", names[tls_turn_role(request)], request->first_frame);
        if (request->response.first_frame)
            g_string_append_printf(turns, ">%u", request->response.first_frame);
    }
    g_assert_cmpstr(turns->str, ==, cases[number].turns);
    g_string_free(turns, TRUE);
    g_strfreev(segments);
    scene_close(&scene);
}

void
tls_turn_tests_add(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *path = g_strdup_printf("/tls-turn/%s", cases[i].name);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
        g_free(path);
    }
}
