/* test-nearest.c
 * Which name is meant by one that there is not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>

#include "core/util/nearest.h"

static const char *const names[] = {
    "latency,servers", "latency,operations", "latency,hosts",        "latency,srt", "ca,servers",
    "latency.timeout", "latency.format",     "latency.fold_numbers", "--in-order",  "--format",
};

static void
check_questions(void)
{
    static const struct {
        const char *written, *meant;
    } cases[] = {
        { "latency,server", "latency,servers" },
        { "latency,serverss", "latency,servers" },
        { "latency,sevrers", "latency,servers" },
        { "Latency,Servers", "latency,servers" },
        { "latncy,servers", "latency,servers" },
        { "latency,opertaion", "latency,operations" },
        { "ca,server", "ca,servers" },
        { "latency,host", "latency,hosts" },
        { "latency,xyz", NULL },
        { "latency,", NULL },
        { "", NULL },
        { "nonsense", NULL },
        { "latency.timout", "latency.timeout" },
        { "latency.fold_number", "latency.fold_numbers" },
        { "--in-ordre", "--in-order" },
        { "--fomrat", "--format" },
        { "--colour", NULL },
        { "--format", NULL },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct nearest nearest = nearest_to(cases[i].written);
        for (unsigned j = 0; j < G_N_ELEMENTS(names); j++)
            nearest_offer(&nearest, names[j]);
        char *wanted = cases[i].meant ? g_strdup_printf(" Did you mean %s?", cases[i].meant) : g_strdup("");
        g_assert_cmpstr(nearest.question, ==, wanted);
        g_free(wanted);
    }
}

/* What has more letters than any name is near to none. */
static void
check_long(void)
{
    char *written = g_strnfill(NEAREST_ROOM, 'a'), *name = g_strnfill(NEAREST_ROOM - 1, 'a');
    *name = 'b';
    struct nearest nearest = nearest_to(written);
    nearest_offer(&nearest, name);
    g_assert_cmpstr(nearest.question, ==, "");
    nearest = nearest_to(written + 1);
    nearest_offer(&nearest, written);
    g_assert_cmpstr(nearest.question, ==, "");
    nearest_offer(&nearest, name);
    g_assert_true(g_str_has_suffix(nearest.question, "aaa?"));
    g_free(written);
    g_free(name);
}

void
nearest_tests_add(void)
{
    g_test_add_func("/nearest/questions", check_questions);
    g_test_add_func("/nearest/long", check_long);
}
