/* fuzz-report.c
 * latency-report's reading of JSON lines, and the figures that it makes. What it makes must be JSON, as Wireshark reads
 * it.
 *
 * Input: the lines of files, one file after the other, with a byte 0 between two.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>
#include <wsutil/wsjson.h>

#include "../../latency-report/figures.h"

/* 2026-11-01 and a day later: bounds of seeds' captures do not matter. */
#define FIRST_NS INT64_C(1793491200000000000)
#define DAY_NS   INT64_C(86400000000000)

static void
gather(struct gathering *gathering, struct tokens *tokens, char *lines, const GPtrArray *names)
{
    gathering_begin_file(gathering, names->len);
    for (char *line = lines, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        char *own = g_strdup(line); /* of its own length, for AddressSanitizer */
        size_t wrong;
        if (tokens_read(tokens, own, strlen(own), &wrong) == TOKENS_ONE && tokens->all[0].kind == TOKEN_OBJECT) {
            struct record record = record_of(&tokens->all[0]);
            gathering_take(gathering, &record);
        }
        g_free(own);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gathering gathering;
    struct tokens tokens = { 0 };
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    gathering_init(&gathering, FIRST_NS, FIRST_NS + DAY_NS);
    for (const uint8_t *end = data + size; data < end;) {
        const uint8_t *next = memchr(data, '\0', (size_t)(end - data));
        char *lines = g_strndup((const char *)data, (size_t)((next ? next : end) - data));
        gather(&gathering, &tokens, lines, names);
        g_ptr_array_add(names, g_strdup_printf("%u.jsonl", names->len));
        g_free(lines);
        data = next ? next + 1 : end;
    }
    gathering_finish(&gathering);
    GString *figures = figures_new(&gathering, names);
    g_assert(json_validate((const uint8_t *)figures->str, figures->len));
    g_string_free(figures, TRUE);
    tokens_clear(&tokens);
    gathering_clear(&gathering);
    g_ptr_array_free(names, TRUE);
    return 0;
}
