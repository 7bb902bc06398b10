/* test-tls-records.c
 * Where records end, however segments cut them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "core/request/tls_records.h"
#include "unit.h"

static void
test_records(void)
{
    enum { FIRST = TLS_HEADER_BYTES + 100, ALL = FIRST + TLS_HEADER_BYTES + 19 };
    uint8_t bytes[ALL] = { 23, 3, 3, 0, 100, [FIRST] = 23, 3, 3, 0, 19 };
    for (uint32_t cut = 1; cut < ALL; cut++) {
        struct tls_records records = tls_records_begin(1000);
        struct segment segment = { .payload = bytes, .payload_bytes = cut, .captured_bytes = cut };
        g_assert_true(tls_records_take(&records, &segment, 1000));
        struct record_count first = tls_records_complete(&records, 1000 + cut);
        segment.payload += cut;
        segment.payload_bytes = segment.captured_bytes = ALL - cut;
        g_assert_true(tls_records_take(&records, &segment, 1000 + cut));
        struct record_count rest = tls_records_complete(&records, 1000 + ALL);
        g_assert_cmpuint(first.most, ==, cut >= FIRST);
        g_assert_cmpuint(first.least + rest.least, ==, 1);
        g_assert_cmpuint(first.most + rest.most, ==, 2);
    }
    struct tls_records records = tls_records_begin(1000);
    struct segment segment = { .payload = bytes, .payload_bytes = FIRST, .captured_bytes = 4 };
    g_assert_false(tls_records_take(&records, &segment, 1000));
    records = tls_records_begin(1000);
    segment.captured_bytes = FIRST;
    g_assert_false(tls_records_take(&records, &segment, 1001));
    bytes[3] = 0xff;
    records = tls_records_begin(1000);
    g_assert_false(tls_records_take(&records, &segment, 1000));
}

void
tls_records_tests_add(void)
{
    g_test_add_func("/tls-records", test_records);
}
