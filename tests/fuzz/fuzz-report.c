/* fuzz-report.c
 * latency-report's reading of JSON lines, which has no tree of them (members.h), and the figures that it makes. What it
 * makes must be JSON.
 *
 * Input: the lines of files, one file after the other, with a byte 0 between two.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include <glib.h>
#include <json-glib/json-glib.h>
#include <wsutil/wmem/wmem.h>

#include "../../latency-report/figures.h"

/* 2026-11-01 and a day later: bounds of seeds' captures do not matter. */
#define FIRST_NS INT64_C(1793491200000000000)
#define DAY_NS   INT64_C(86400000000000)

/* The lines that lines_next_text() hands over begin so. */
static bool
is_typed(const char *line)
{
    static const char before[] = "{\"type\":\"";
    return strncmp(line, before, strlen(before)) == 0 && strchr(line + strlen(before), '"');
}

/* As the page's program does. Texts may be no UTF-8: the files are. */
static void
check(const GString *figures)
{
    JsonParser *parser = json_parser_new();
    GError *error = NULL;
    g_assert(!g_utf8_validate(figures->str, (gssize)figures->len, NULL) ||
             json_parser_load_from_data(parser, figures->str, (gssize)figures->len, &error));
    g_object_unref(parser);
}

static void
gather(struct gathering *gathering, char *lines, const GPtrArray *names)
{
    gathering_begin_file(gathering, names->len);
    for (char *line = lines, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        char *own = g_strdup(line); /* of its own length, for AddressSanitizer */
        if (is_typed(own))
            gathering_take(gathering, own);
        g_free(own);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gathering gathering;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    gathering_init(&gathering, FIRST_NS, FIRST_NS + DAY_NS);
    for (const uint8_t *end = data + size; data < end;) {
        const uint8_t *next = memchr(data, '\0', (size_t)(end - data));
        char *lines = g_strndup((const char *)data, (size_t)((next ? next : end) - data));
        gather(&gathering, lines, names);
        g_ptr_array_add(names, g_strdup_printf("%u.jsonl", names->len));
        g_free(lines);
        data = next ? next + 1 : end;
    }
    gathering_finish(&gathering);
    GString *figures = figures_new(&gathering, names);
    check(figures);
    g_string_free(figures, TRUE);
    gathering_clear(&gathering);
    g_ptr_array_free(names, TRUE);
    return 0;
}
