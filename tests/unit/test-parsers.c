/* test-parsers.c
 * The list of protocols: what every parser needs, what must not change, and that none takes what is another's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/protocol/parsers.h"
#include "exchanges.h"
#include "table/names.h"

static void
test_needed(void)
{
    for (unsigned i = 0; i < PARSERS; i++) {
        const struct parser *parser = parsers[i];
        const char *name = protocol_name(parser->protocol);
        g_test_message("%s", name);
        g_assert_true(*name);
        g_assert_true(parser->recognise && parser->recognise_answer && parser->may_begin && parser->take);
        g_assert_cmpuint(parser->least, >, 0);
        g_assert_cmpuint(parser->block, <=, UNIT_BYTES);
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
        g_assert_cmpstr(protocol_name(i), ==, words[i]);
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++)
        g_assert_true(*protocol_name(i));
    g_assert_cmpstr(protocol_name(PROTOCOL_COUNT), ==, "");
}

static bool
is_own(const struct exchange *exchange, const struct parser *parser)
{
    const char *name = protocol_name(parser->protocol);
    return strncmp(exchange->name, name, strlen(name)) == 0;
}

static bool
takes(const struct parser *parser, const struct text *asked, const struct text *answered)
{
    const uint8_t *bytes = (const uint8_t *)asked->bytes;
    if (!parser->recognise(bytes, asked->length))
        return false;
    return !parser->agrees || (parser->is_certain && parser->is_certain(bytes, asked->length, asked->length)) ||
           parser->agrees(bytes, asked->length, (const uint8_t *)answered->bytes, answered->length) == AGREEMENT_IS_ONE;
}

/* Returns whether the parser says for certain that the text is the other side's. */
static bool
reverses(const struct parser *parser, const struct text *text, bool from_client)
{
    bool is_client;
    return parser->tells_client &&
           parser->tells_client((const uint8_t *)text->bytes, text->length, text->length, &is_client) &&
           is_client != from_client;
}

/* What is said in one protocol is taken for no other, be it the first that is said or, from the middle, what follows;
 * nor for what its other side says. */
static void
test_apart(void)
{
    for (const struct exchange *exchange = exchanges; exchange->name; exchange++) {
        const struct text *const texts[] = { &exchange->first, &exchange->first_answer, &exchange->asked,
                                             &exchange->answered };
        for (unsigned i = 0; i < PARSERS; i++)
            for (unsigned said = 0; said < G_N_ELEMENTS(texts); said += 2) {
                g_test_message("%s, text %u, as %s", exchange->name, said, protocol_name(parsers[i]->protocol));
                g_assert_true(is_own(exchange, parsers[i]) || !takes(parsers[i], texts[said], texts[said + 1]));
                g_assert_false(reverses(parsers[i], texts[said], true));
                g_assert_false(reverses(parsers[i], texts[said + 1], false));
            }
    }
}

void
parsers_tests_add(void)
{
    g_test_add_func("/parsers/apart", test_apart);
    g_test_add_func("/parsers/needed", test_needed);
    g_test_add_func("/parsers/numbers", test_numbers);
}
