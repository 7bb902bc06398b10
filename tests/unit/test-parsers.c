/* test-parsers.c
 * The list of protocols: what every parser needs, and what must not change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>

#include "core/protocol/parsers.h"
#include "table/names.h"

static void
test_needed(void)
{
    for (unsigned i = 0; i < PARSERS; i++) {
        const struct parser *parser = parsers[i];
        const char *name = framing_name(parser->kind);
        g_test_message("%s", name);
        g_assert_true(*name);
        g_assert_true(parser->recognise && parser->recognise_answer && parser->may_begin && parser->take);
        g_assert_cmpuint(parser->least, >, 0);
        g_assert_cmpuint(parser->block, <=, PIECE_BYTES);
        g_assert_true(parser->has_ids || !parser->interleaves);
        g_assert_true(parser->recognise_greeting || !parser->greeting_ends);
    }
}

/* JSON lines that somebody has kept have these numbers. */
static void
test_numbers(void)
{
    static const char *const words[] = { "turns", "http",       "memcached", "redis",   "ca",    "dns",       "http2",
                                         "pva",   "postgresql", "mysql",     "mongodb", "kafka", "zookeeper", "mqtt",
                                         "amqp",  "http3",      "fastcgi",   "nats",    "tds" };
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        g_assert_cmpstr(framing_name(i), ==, words[i]);
    for (unsigned i = 0; i < FRAMING_KINDS; i++)
        g_assert_true(*framing_name(i));
    g_assert_cmpstr(framing_name(FRAMING_KINDS), ==, "");
}

void
parsers_tests_add(void)
{
    g_test_add_func("/parsers/needed", test_needed);
    g_test_add_func("/parsers/numbers", test_numbers);
}
