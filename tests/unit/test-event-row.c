/* test-event-row.c
 * Events as rows of JSON lines: each kind is read as it was written, and numbers that no writer writes are none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>

#include "table/event_row.h"

static void
test_written(void)
{
    for (unsigned kind = 0; kind < ROW_KINDS; kind++)
        for (unsigned marks = 0; marks < 1 << 12; marks++) {
            const struct event_row row = {
                .kind = (enum row_kind)kind, .marks = (uint16_t)marks, .key = 1, .bytes = 2, .text = "text"
            };
            const struct event event = event_row_read(&row);
            const struct event_row written = event_row_write(&event);
            const struct event again = event_row_read(&written);
            const struct event_row same = event_row_write(&again);
            g_assert_cmpint(written.kind, ==, row.kind);
            g_assert_cmpuint(written.marks & ~row.marks, ==, written.marks & MARK_LAST & ~row.marks);
            g_assert_cmpuint(same.marks, ==, written.marks);
            g_assert_cmpuint(same.key, ==, written.key);
            g_assert_cmpuint(same.bytes, ==, written.bytes);
        }
}

static void
test_beyond(void)
{
    static const uint64_t beyond[] = { 200, UINT32_MAX, (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 32) + 3, UINT64_MAX };
    for (unsigned i = 0; i < G_N_ELEMENTS(beyond); i++) {
        const struct event_row tls = { .kind = ROW_TLS, .key = beyond[i], .text = "" };
        const struct event_row stops = { .kind = ROW_STOPS, .bytes = beyond[i], .text = "" };
        const struct event_row claim = { .kind = ROW_CLAIM, .key = beyond[i], .text = "" };
        g_assert_cmpint(event_row_read(&tls).tls.step, ==, TLS_STEPS);
        g_assert_cmpint(event_row_read(&stops).stops.why, ==, STOP_REFUSED);
        g_assert_cmpint(event_row_read(&claim).claim.protocol, ==, PROTOCOL_COUNT - 1);
    }
}

void
event_row_tests_add(void)
{
    g_test_add_func("/event-row/written", test_written);
    g_test_add_func("/event-row/beyond", test_beyond);
}
