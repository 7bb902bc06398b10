/* test-tokens.c
 * JSON as RFC 8259 has it, and what is none; and that each kind of line is read as it was written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "json/line_kinds.h"

struct line_of_json {
    const char *line;
    enum tokens_result result;
    unsigned tokens;
};

static const struct line_of_json lines[] = {
    { "{}", TOKENS_ONE, 1 },
    { " { \"a\" : [ 1 , -2.5e+3, {\"b\":null}, true ] , \"c\":\"\" }\r\n", TOKENS_ONE, 11 },
    { "[[],[[]],{}]", TOKENS_ONE, 5 },
    { "\"\\u00e4\\ud83d\\ude00\\n\\/\"", TOKENS_ONE, 1 },
    { "[0,-0,10,1E5,0.5]", TOKENS_ONE, 6 },
    { "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", TOKENS_ONE, 17 },
    { "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", TOKENS_TOO_DEEP, 0 },
    { "{} {}", TOKENS_SEVERAL, 0 },
    { "{}]", TOKENS_SEVERAL, 0 },
    { "", TOKENS_NONE, 0 },
    { "{", TOKENS_NONE, 0 },
    { "{]", TOKENS_NONE, 0 },
    { "[}", TOKENS_NONE, 0 },
    { "[1,]", TOKENS_NONE, 0 },
    { "[,1]", TOKENS_NONE, 0 },
    { "[1 2]", TOKENS_NONE, 0 },
    { "{\"a\"}", TOKENS_NONE, 0 },
    { "{\"a\":}", TOKENS_NONE, 0 },
    { "{\"a\":1,}", TOKENS_NONE, 0 },
    { "{a:1}", TOKENS_NONE, 0 },
    { "{1:1}", TOKENS_NONE, 0 },
    { "[01]", TOKENS_NONE, 0 },
    { "[-]", TOKENS_NONE, 0 },
    { "[+1]", TOKENS_NONE, 0 },
    { "[1.]", TOKENS_NONE, 0 },
    { "[.5]", TOKENS_NONE, 0 },
    { "[1e]", TOKENS_NONE, 0 },
    { "[nul]", TOKENS_NONE, 0 },
    { "[True]", TOKENS_NONE, 0 },
    { "[\"a]", TOKENS_NONE, 0 },
    { "[\"a\\\"]", TOKENS_NONE, 0 },
    { "[\"\\x\"]", TOKENS_NONE, 0 },
    { "[\"\\u12g4\"]", TOKENS_NONE, 0 },
    { "[\"\\ud800\"]", TOKENS_NONE, 0 },
    { "[\"\\ud800\\u0041\"]", TOKENS_NONE, 0 },
    { "[\"\\udc00\"]", TOKENS_NONE, 0 },
    { "[\"\\u0000\"]", TOKENS_NONE, 0 },
    { "[\"\t\"]", TOKENS_NONE, 0 },
    { "[\"\xff\"]", TOKENS_NONE, 0 },
    { "[\"\xc0\x80\"]", TOKENS_NONE, 0 },
};

static void
test_grammar(void)
{
    struct tokens tokens = { 0 };
    for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
        size_t wrong;
        char *line = g_strdup(lines[i].line); /* of its own length, for AddressSanitizer */
        g_test_message("%s", line);
        g_assert_cmpint(tokens_read(&tokens, line, strlen(line), &wrong), ==, lines[i].result);
        if (lines[i].result == TOKENS_ONE) {
            g_assert_cmpuint(tokens.count, ==, lines[i].tokens);
            g_assert_cmpuint(tokens.all[0].size, ==, tokens.count);
        }
        g_free(line);
    }
    tokens_clear(&tokens);
}

/* What is cut anywhere is no JSON, and nothing behind its end is looked at. */
static void
test_cut(void)
{
    static const char whole[] = "{\"a\":[1,-2.5e3,{\"b\":null},true],\"c\":\"\\u00e4\\ud83d\\ude00\\n\xc3\xa4\"}";
    struct tokens tokens = { 0 };
    size_t wrong;
    for (size_t length = 0; length < strlen(whole); length++) {
        char *line = g_strndup(whole, length);
        g_assert_cmpint(tokens_read(&tokens, line, length, &wrong), ==, TOKENS_NONE);
        g_free(line);
    }
    tokens_clear(&tokens);
}

/* The place that is said to be wrong is the first that is: it is in the line, or right behind it. */
static void
test_wrong_place(void)
{
    static const struct {
        const char *line;
        size_t wrong;
    } places[] = {
        { "{\"a\":}", 5 },
        { "{\"a\":tru}", 5 },
        { "[1 2]", 3 },
        { "[1.x]", 3 },
        { "[01]", 2 },
        { "[\"\\x\"]", 2 },
        { "[\"\\u12\"]", 2 },
        { "[\"\\u0000\"]", 2 },
        { "[\"\\ud800\"]", 2 },
        { "[\"\\ud83d\\u0041\"]", 2 },
        { "[\"a\\", 3 },
        { "[\"ab\xff z\"]", 4 },
        { "[\"\t\"]", 2 },
        { "[\"a", 3 },
        { "", 0 },
    };
    struct tokens tokens = { 0 };
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
        size_t wrong;
        char *line = g_strdup(places[i].line);
        g_test_message("%s", line);
        g_assert_cmpint(tokens_read(&tokens, line, strlen(line), &wrong), ==, TOKENS_NONE);
        g_assert_cmpuint(wrong, ==, places[i].wrong);
        g_free(line);
    }
    tokens_clear(&tokens);
}

static void
test_values(void)
{
    char line[] = "{\"most\":9223372036854775807,\"least\":-9223372036854775808,\"more\":9223372036854775808,"
                  "\"text\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00z\",\"empty\":[],\"list\":[7,\"x\",[8]]}";
    struct tokens tokens = { 0 };
    size_t wrong;
    g_assert_cmpint(tokens_read(&tokens, line, strlen(line), &wrong), ==, TOKENS_ONE);
    struct record record = record_of(&tokens.all[0]);
    struct elements list = record_array(&record, "list");
    g_assert_cmpint(record_next_int(&record, "list", &list, 0, 9), ==, 7);
    g_assert_cmpstr(record_next_text(&record, "list", &list), ==, "x");
    struct elements inner = record_next_array(&record, "list", &list);
    g_assert_cmpint(record_next_int(&record, "list", &inner, 0, 9), ==, 8);
    g_assert_cmpuint(list.left, ==, 0);
    g_assert_cmpint(record_int(&record, "least"), ==, INT64_MIN);
    g_assert_cmpint(record_int(&record, "most"), ==, INT64_MAX);
    for (unsigned i = 0; i < 2; i++)
        g_assert_cmpstr(record_text(&record, "text"), ==, "a\"\\/\b\f\n\r\t\303\244\360\237\230\200z");
    g_assert_cmpuint(record_array(&record, "empty").left, ==, 0);
    g_assert_false(record_has(&record, "tex"));
    g_assert_null(record.wrong);
    record_int(&record, "more");
    record_int(&record, "none");
    g_assert_cmpstr(record.wrong, ==, "more");
    tokens_clear(&tokens);
}

/* Writes values as a line; false if they cannot be read back, and as the same line. */
static bool
comes_back(const struct members *members, const void *values, void *read, const char **wrong)
{
    struct tokens tokens = { 0 };
    struct line first = { .dumper.output_string = g_string_new(NULL) };
    struct line second = { .dumper.output_string = g_string_new(NULL) };
    line_write(&first, "x", members, values);
    char *text = g_strdup(first.dumper.output_string->str);
    size_t place;
    g_assert_cmpint(tokens_read(&tokens, text, strlen(text), &place), ==, TOKENS_ONE);
    struct record record = record_of(&tokens.all[0]);
    bool is_same = line_read(&record, members, read);
    *wrong = record.wrong;
    if (is_same) {
        line_write(&second, "x", members, read);
        g_assert_cmpstr(first.dumper.output_string->str, ==, second.dumper.output_string->str);
    }
    tokens_clear(&tokens);
    g_free(text);
    g_string_free(first.dumper.output_string, TRUE);
    g_string_free(second.dumper.output_string, TRUE);
    return is_same;
}

static void
set_value(const struct member *member, void *value, int64_t number, bool is_known)
{
    switch (member->type) {
    case MEMBER_UINT16:
        *(uint16_t *)value = UINT16_MAX;
        break;
    case MEMBER_UINT32:
        *(uint32_t *)value = is_known ? UINT32_MAX : 0;
        break;
    case MEMBER_UINT64:
        *(uint64_t *)value = is_known ? (uint64_t)(INT64_MAX - number) : 0;
        break;
    case MEMBER_AMOUNT:
        *(int64_t *)value = is_known ? number : -1;
        break;
    case MEMBER_TIME:
    case MEMBER_DIFFERENCE:
        *(int64_t *)value = is_known ? -number : NO_TIME;
        break;
    case MEMBER_TRUE:
        *(bool *)value = is_known;
        break;
    case MEMBER_TEXT:
    case MEMBER_PRINTED:
        *(const char **)value = is_known ? "\"ä\\" : "";
        break;
    case MEMBER_ENDPOINT:
    case MEMBER_ADDRESS:
        *(struct member_endpoint *)value = (struct member_endpoint){ { { 10, 0, 100, 255 }, 80, TRANSPORT_TCP }, false, !is_known };
        break;
    case MEMBER_STATISTIC:
        statistic_add(value, number);
        statistic_add(value, INT64_MAX);
        break;
    case MEMBER_MEAN:
        *(struct member_mean *)value = (struct member_mean){ 3, wide_of(7) };
        break;
    case MEMBER_STAGES:
        ((struct member_stages *)value)->parts_ns[0] = is_known ? 3 : -1;
        break;
    case MEMBER_SETTINGS:
        *(struct settings_line *)value = (struct settings_line){ "80", "", 1500, 0, "turns", is_known };
        break;
    case MEMBER_HISTOGRAM:
        *(struct histogram_line *)value = (struct histogram_line){ "log-linear", 7 };
        break;
    case MEMBER_TLS_TURN:
        *(unsigned *)value = 1;
        break;
    default:
        break;
    }
}

static void
clear_values(const struct members *members, char *values)
{
    for (unsigned i = 0; i < members->count; i++)
        if (members->all[i].type == MEMBER_STATISTIC)
            statistic_clear((struct statistic *)(void *)(values + members->all[i].offset));
    g_free(values);
}

/* All known, and none of what can be absent. */
static void
test_members(void)
{
    static const struct {
        const struct members *members;
        size_t bytes;
    } kinds[] = {
#define KIND(name, LIST) { &name##_members, sizeof(struct name##_line) },
        LINE_KINDS(KIND)
#undef KIND
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        for (unsigned known = 0; known < 2; known++) {
            char *values = g_malloc0(kinds[i].bytes), *read = g_malloc0(kinds[i].bytes);
            const char *wrong;
            for (unsigned number = 0; number < kinds[i].members->count; number++) {
                const struct member *member = &kinds[i].members->all[number];
                set_value(member, values + member->offset, number, known || member->wanted == MEMBER_ALWAYS);
            }
            g_assert_true(comes_back(kinds[i].members, values, read, &wrong));
            clear_values(kinds[i].members, values);
            clear_values(kinds[i].members, read);
        }
    }
}

/* A member that is missing, twice, of another type or out of its range is named. */
static void
test_wrong_members(void)
{
    static const char before[] = "{\"type\":\"unmatched\",\"connection\":1,\"client\":\"10.0.0.1\",\"client_port\":1,"
                                 "\"server\":\"::1\",\"server_port\":65535,\"frame\":";
    static const struct {
        const char *behind, *wrong;
    } each[] = {
        { "4294967295,\"time\":0,\"last_time\":0,\"bytes\":0,\"new\":[1]}", NULL },
        { "4294967296,\"time\":0,\"last_time\":0,\"bytes\":0}", "frame" },
        { "-1,\"time\":0,\"last_time\":0,\"bytes\":0}", "frame" },
        { "\"1\",\"time\":0,\"last_time\":0,\"bytes\":0}", "frame" },
        { "1,\"time\":4611686018427387905,\"last_time\":0,\"bytes\":0}", "time" },
        { "1,\"time\":0,\"bytes\":0}", "last_time" },
        { "1,\"time\":0,\"last_time\":0,\"bytes\":0,\"bytes\":0}", "bytes" },
        { "1,\"time\":0,\"last_time\":0,\"bytes\":0.5}", "bytes" },
        { "1,\"time\":0,\"last_time\":0,\"bytes\":0,\"client_port\":1}", "client_port" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(each); i++) {
        struct tokens tokens = { 0 };
        struct unmatched_line read;
        size_t place;
        char *line = g_strconcat(before, each[i].behind, NULL);
        g_assert_cmpint(tokens_read(&tokens, line, strlen(line), &place), ==, TOKENS_ONE);
        struct record record = record_of(&tokens.all[0]);
        g_assert_cmpint(line_read(&record, &unmatched_members, &read), ==, !each[i].wrong);
        g_assert_cmpstr(record.wrong, ==, each[i].wrong);
        tokens_clear(&tokens);
        g_free(line);
    }
}

void
tokens_tests_add(void)
{
    g_test_add_func("/tokens/grammar", test_grammar);
    g_test_add_func("/tokens/cut", test_cut);
    g_test_add_func("/tokens/wrong place", test_wrong_place);
    g_test_add_func("/tokens/values", test_values);
    g_test_add_func("/tokens/members", test_members);
    g_test_add_func("/tokens/wrong members", test_wrong_members);
}
