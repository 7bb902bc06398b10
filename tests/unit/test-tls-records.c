/* test-tls-records.c
 * Where records end, however segments cut them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "core/request/tls_records.h"
#include "unit.h"

static void
count(void *data, uint32_t bytes)
{
    ++*(unsigned *)data;
    g_assert_cmpuint(bytes, ==, *(unsigned *)data == 1 ? 100 : 19);
}

static void
test_records(void)
{
    enum { FIRST = TLS_HEADER_BYTES + 100, ALL = FIRST + TLS_HEADER_BYTES + 19 };
    uint8_t bytes[ALL] = { 23, 3, 3, 0, 100, [FIRST] = 23, 3, 3, 0, 19 };
    for (uint32_t cut = 1; cut < ALL; cut++) {
        struct tls_records records = tls_records_begin(1000);
        struct segment segment = { .payload = bytes, .payload_bytes = cut, .captured_bytes = cut };
        unsigned ended = 0;
        g_assert_true(tls_records_take(&records, &segment, 1000, count, &ended));
        g_assert_cmpuint(ended, ==, cut >= FIRST);
        segment.payload += cut;
        segment.payload_bytes = segment.captured_bytes = ALL - cut;
        g_assert_true(tls_records_take(&records, &segment, 1000 + cut, count, &ended));
        g_assert_cmpuint(ended, ==, 2);
    }
    struct tls_records records = tls_records_begin(1000);
    struct segment segment = { .payload = bytes, .payload_bytes = FIRST, .captured_bytes = 4 };
    g_assert_false(tls_records_take(&records, &segment, 1000, NULL, NULL));
    records = tls_records_begin(1000);
    segment.captured_bytes = FIRST;
    g_assert_false(tls_records_take(&records, &segment, 1001, NULL, NULL));
    bytes[3] = 0xff;
    records = tls_records_begin(1000);
    g_assert_false(tls_records_take(&records, &segment, 1000, NULL, NULL));
    g_assert_true(tls_record_is_small(22) && !tls_record_is_small(23));
}

void
tls_records_tests_add(void)
{
    g_test_add_func("/tls-records", test_records);
}
