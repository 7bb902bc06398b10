/* test-tls-cursor.c
 * Where records begin and end, however segments cut them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "core/request/tls_cursor.h"
#include "unit.h"

enum { FIRST = TLS_HEADER_BYTES + 100, ALL = FIRST + TLS_HEADER_BYTES + 19, START = 1000 };

static const uint8_t records[ALL] = { 23, 3, 3, 0, 100, [FIRST] = 21, 3, 3, 0, 19 };

/* What a cursor has found. */
struct found {
    unsigned begun, ended;
    uint32_t bytes, captured, missing;
};

/* Takes the bytes from `begin` to `end`, of which so many are captured. */
static void
take(struct tls_cursor *cursor, uint32_t begin, uint32_t end, uint32_t captured, struct found *found)
{
    const struct segment segment = { .payload = records + begin,
                                     .payload_bytes = end - begin,
                                     .captured_bytes = captured };
    struct tls_part part;
    while (tls_cursor_next(cursor, &segment, START + begin, &part)) {
        const uint32_t first = cursor->type == 23 ? TLS_HEADER_BYTES : FIRST + TLS_HEADER_BYTES;
        g_assert_cmpuint(cursor->bytes, ==, cursor->type == 23 ? 100 : 19);
        if (part.bytes > 0)
            g_assert_cmpuint(begin + part.at + part.bytes + cursor->left, ==, first + cursor->bytes);
        found->begun += part.begins;
        found->ended += part.ends;
        found->bytes += part.bytes;
        found->captured += part.captured;
        found->missing += part.missing;
    }
}

static void
test_cuts(void)
{
    for (uint32_t cut = 1; cut < ALL; cut++) {
        struct tls_cursor cursor = { 0 };
        struct found found = { 0 };
        take(&cursor, 0, cut, cut, &found);
        g_assert_cmpuint(found.begun, ==, (cut >= TLS_HEADER_BYTES) + (cut >= FIRST + TLS_HEADER_BYTES));
        g_assert_cmpuint(found.ended, ==, cut >= FIRST);
        /* a part of it again */
        take(&cursor, cut / 2, ALL, ALL - cut / 2, &found);
        g_assert_true(!cursor.is_lost && found.begun == 2 && found.ended == 2);
        g_assert_true(found.bytes == 119 && found.captured == 119 && found.missing == 0);
    }
}

/* Missing bytes of a record are passed over, those of a header are not. */
static void
test_holes(void)
{
    for (uint32_t begin = 50; begin < ALL; begin++) {
        struct tls_cursor cursor = tls_cursor_begin(START);
        struct found found = { 0 };
        take(&cursor, 0, 50, 50, &found);
        take(&cursor, begin, ALL, ALL - begin, &found);
        g_assert_cmpuint(cursor.is_lost, ==, begin > FIRST);
        g_assert_cmpuint(found.missing, ==, MIN(begin, FIRST) - 50);
        g_assert_cmpuint(found.ended, ==, begin > FIRST ? 1 : 2);
    }
}

static void
test_snapped(void)
{
    for (uint32_t captured = 0; captured < ALL; captured++) {
        struct tls_cursor cursor = tls_cursor_begin(START);
        struct found found = { 0 };
        take(&cursor, 0, ALL, captured, &found);
        g_assert_cmpuint(cursor.is_lost, ==, captured < FIRST + TLS_HEADER_BYTES);
    }
}

static void
test_none(void)
{
    static const uint8_t wrong[][TLS_HEADER_BYTES] = {
        { 19, 3, 3, 0, 9 }, { 25, 3, 3, 0, 9 }, { 22, 2, 3, 0, 9 }, { 22, 3, 5, 0, 9 }, { 22, 3, 3, 0xff, 0 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        const struct segment segment = { .payload = wrong[i], .payload_bytes = 5, .captured_bytes = 5 };
        struct tls_cursor cursor = { 0 };
        struct tls_part part;
        g_assert_false(tls_cursor_next(&cursor, &segment, START, &part));
        g_assert_true(cursor.is_lost);
    }
}

void
tls_cursor_tests_add(void)
{
    g_test_add_func("/tls-cursor/cuts", test_cuts);
    g_test_add_func("/tls-cursor/holes", test_holes);
    g_test_add_func("/tls-cursor/snapped", test_snapped);
    g_test_add_func("/tls-cursor/none", test_none);
}
