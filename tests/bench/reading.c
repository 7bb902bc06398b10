/* reading.c
 * What it costs to read JSON lines: reading FILE prints, for each reader, the time of a line, of which all whole
 * numbers are added up. json-glib and wsutil's json_parse() are what plugin/json/tokens.c is compared with
 * (docs/performance-internal.md). In the repository's folder, with Debian's libjson-glib-dev:
 *
 *   gcc -O2 -Iplugin $(pkg-config --cflags wireshark json-glib-1.0) tests/bench/reading.c plugin/json/tokens.c \
 *       $(pkg-config --libs json-glib-1.0) -lwsutil -o reading
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* getline() */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-glib/json-glib.h>
#include <wsutil/wsjson.h>

#include "json/tokens.h"

static uint64_t sum;

static void
add_node(JsonNode *node)
{
    if (JSON_NODE_HOLDS_OBJECT(node)) {
        GList *values = json_object_get_values(json_node_get_object(node));
        for (GList *each = values; each; each = each->next)
            add_node(each->data);
        g_list_free(values);
    } else if (JSON_NODE_HOLDS_ARRAY(node)) {
        JsonArray *array = json_node_get_array(node);
        for (unsigned i = 0; i < json_array_get_length(array); i++)
            add_node(json_array_get_element(array, i));
    } else if (json_node_get_value_type(node) == G_TYPE_INT64) {
        sum += (uint64_t)json_node_get_int(node);
    }
}

static void
read_by_json_glib(char *line, size_t length)
{
    static JsonParser *parser;
    if (!parser)
        parser = json_parser_new_immutable();
    if (json_parser_load_from_data(parser, line, (gssize)length, NULL))
        add_node(json_parser_get_root(parser));
}

static void
read_by_wsutil(char *line, size_t length)
{
    static jsmntok_t *tokens;
    static unsigned room = 1024;
    int count;
    (void)length;
    while (!tokens || (count = json_parse(line, tokens, room)) == JSMN_ERROR_NOMEM)
        tokens = g_renew(jsmntok_t, tokens, room *= 2);
    for (int i = 0; i < count; i++)
        if (tokens[i].type == JSMN_PRIMITIVE)
            sum += (uint64_t)strtoll(line + tokens[i].start, NULL, 10);
}

static void
read_by_tokens(char *line, size_t length)
{
    static struct tokens tokens;
    size_t wrong;
    if (tokens_read(&tokens, line, length, &wrong) != TOKENS_ONE)
        return;
    for (unsigned i = 0; i < tokens.count; i++)
        if (tokens.all[i].kind == TOKEN_INTEGER)
            sum += (uint64_t)tokens.all[i].integer;
}

static void
read_nothing(char *line, size_t length)
{
    (void)line;
    (void)length;
}

static void
measure(const char *name, void (*read)(char *line, size_t length), const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    unsigned lines = 0;
    const clock_t begin = clock();
    sum = 0;
    while (file && (length = getline(&line, &room, file)) > 0) {
        read(line, (size_t)length);
        lines++;
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%-20s %8.2f s %10.0f ns a line, sum %" PRIu64 "\n", name, seconds, seconds / lines * 1e9, sum);
    free(line);
    if (file)
        fclose(file);
}

int
main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    measure("json-glib", read_by_json_glib, argv[1]);
    measure("wsutil", read_by_wsutil, argv[1]);
    measure("plugin/json/tokens.c", read_by_tokens, argv[1]);
    measure("lines alone", read_nothing, argv[1]);
    return EXIT_SUCCESS;
}
