/* test-line.c
 * JSON lines: what stands in texts, numbers and lists, byte for byte.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <math.h>

#include <glib.h>

#include "json/export_line.h"
#include "table/line_types.h"

static void
test_texts(void)
{
    static const struct {
        const char *text, *json;
    } texts[] = {
        { "", "\"\"" },
        { "GET /a/b", "\"GET /a/b\"" },
        { "</script>", "\"<\\/script>\"" },
        { "\"\\\"", "\"\\\"\\\\\\\"\"" },
        { "\b\t\n\v\f\r\x01\x1f\x7f", "\"\\b\\t\\n\\u000b\\f\\r\\u0001\\u001f\x7f\"" },
        { "Größe", "\"Größe\"" },
        { "\xff", "\"\xef\xbf\xbd\"" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct line line;
        line_init(&line, NULL, NULL);
        line_text(&line, NULL, texts[i].text);
        g_assert_cmpstr(line.text->str, ==, texts[i].json);
        line_clear(&line);
    }
}

static void
test_members(void)
{
    static const struct endpoint ipv4 = { .address = { 10, 0, 255, 1 }, .port = 65535 };
    static const struct endpoint ipv6 = { .address = { 0x20, 1, 0xd, 0xb8, [15] = 1 } };
    uint64_t counts[LINE_TYPES] = { 0 };
    struct line line;
    line_init(&line, NULL, counts);
    line_begin(&line, "request");
    line_array(&line, "none");
    line_end_array(&line);
    line_array(&line, "some");
    line_int(&line, NULL, INT64_MIN);
    line_uint(&line, NULL, UINT64_MAX);
    line_object(&line, NULL);
    line_true(&line, "a");
    line_end_object(&line);
    line_address(&line, &ipv6, true);
    line_end_array(&line);
    line_double(&line, "x", 0.5);
    line_double(&line, "y", (double)NAN);
    line_time(&line, "before", -1);
    line_endpoint(&line, "server", "port", &ipv4, false);
    line_end(&line);
    line_begin(&line, "request");
    line_end(&line);
    g_assert_cmpstr(line.text->str, ==,
                    "{\"type\":\"request\",\"none\":[],\"some\":[-9223372036854775808,18446744073709551615,"
                    "{\"a\":true},\"2001:db8::1\"],\"x\":0.5,\"y\":null,\"server\":\"10.0.255.1\",\"port\":65535}\n"
                    "{\"type\":\"request\"}\n");
    g_assert_cmpuint(counts[line_type_find("request")], ==, 2);
    line_clear(&line);
}

void
line_tests_add(void)
{
    g_test_add_func("/line/texts", test_texts);
    g_test_add_func("/line/members", test_members);
}
