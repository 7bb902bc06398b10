/* test-abi.c
 * With which releases of Wireshark a plugin works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>

#include "abi.h"

static void
test_releases(void)
{
    static const struct {
        struct wireshark_release built_for, runs_in;
        bool is_shared;
    } cases[] = {
        { { 4, 0, 17 }, { 4, 0, 17 }, true }, { { 4, 4, 5 }, { 4, 4, 19 }, true }, { { 4, 6, 4 }, { 4, 6, 9 }, true },
        { { 4, 6, 9 }, { 4, 6, 4 }, true },   { { 4, 6, 0 }, { 4, 6, 1 }, false }, { { 4, 6, 1 }, { 4, 6, 2 }, false },
        { { 4, 6, 0 }, { 4, 6, 9 }, false },  { { 4, 6, 1 }, { 4, 6, 1 }, true },  { { 4, 4, 1 }, { 4, 4, 2 }, true },
        { { 4, 4, 5 }, { 4, 6, 5 }, false },  { { 4, 0, 6 }, { 5, 0, 6 }, false },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(abi_is_shared(&cases[i].built_for, &cases[i].runs_in), ==, cases[i].is_shared);
        g_assert_cmpint(abi_is_shared(&cases[i].runs_in, &cases[i].built_for), ==, cases[i].is_shared);
    }
}

void
abi_tests_add(void)
{
    g_test_add_func("/abi/releases", test_releases);
}
