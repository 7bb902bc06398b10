/* test-ca-stream.c
 * Where messages begin in a stream with gaps and repetitions, and putting it in order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/ca_backlog.h"
#include "core/ca_message.h"

static void
test_stream(void)
{
    struct ca_stream stream = { .begun = false };
    g_assert_cmpint(ca_stream_place(&stream, 100), ==, CA_UNALIGNED);
    g_assert_true(ca_stream_take(&stream, 100, 116, true));
    g_assert_cmpint(ca_stream_place(&stream, 116), ==, CA_ALIGNED);
    g_assert_false(ca_stream_take(&stream, 100, 116, true)); /* a retransmission */
    g_assert_cmpint(ca_stream_place(&stream, 132), ==, CA_UNALIGNED);
    g_assert_true(ca_stream_take(&stream, 132, 148, true)); /* after a gap */
    g_assert_cmpint(ca_stream_place(&stream, 148), ==, CA_ALIGNED);
    g_assert_cmpint(ca_stream_place(&stream, 116), ==, CA_ALIGNED); /* the gap's beginning */
    g_assert_cmpint(ca_stream_place(&stream, 124), ==, CA_UNALIGNED);
    g_assert_true(ca_stream_take(&stream, 116, 132, true)); /* filled */
    g_assert_false(ca_stream_take(&stream, 116, 132, true));
    g_assert_true(ca_stream_take(&stream, 148, 160, false)); /* skipped: no message */
    g_assert_cmpint(ca_stream_place(&stream, 160), ==, CA_UNALIGNED);
}

static void
test_stream_wraps(void)
{
    struct ca_stream stream = { .begun = false };
    g_assert_true(ca_stream_take(&stream, UINT32_MAX - 7, 8, true));
    g_assert_cmpint(ca_stream_place(&stream, 8), ==, CA_ALIGNED);
    g_assert_false(ca_stream_take(&stream, UINT32_MAX - 7, 8, true));
    g_assert_true(ca_stream_take(&stream, 8, 24, true));
    for (uint32_t i = 0; i < 10; i++) /* more gaps than are remembered */
        g_assert_true(ca_stream_take(&stream, 100 + i * 32, 116 + i * 32, true));
    g_assert_false(ca_stream_take(&stream, 24, 40, true));
    g_assert_true(ca_stream_take(&stream, 116 + 8 * 32, 132 + 8 * 32, true));
}

/* With the handshake, what comes before the first bytes captured is a gap too. */
static void
test_stream_begins(void)
{
    struct ca_stream stream = { .has_isn = true };
    struct ca_hole missed[CA_STREAM_HOLES + 1];
    g_assert_true(ca_stream_may_wait(&stream, 50));
    g_assert_true(ca_stream_take(&stream, 50, 66, true));
    ca_stream_begin(&stream, 1);
    g_assert_true(ca_stream_misses(&stream, 1, 50));
    g_assert_false(ca_stream_misses(&stream, 50, 66));
    g_assert_cmpuint(ca_stream_missed(&stream, missed), ==, 2);
    g_assert_cmpuint(missed[0].start, ==, 1);
    g_assert_cmpuint(missed[0].end, ==, 50);
    g_assert_cmpuint(missed[1].start, ==, 66);
    ca_stream_begin(&stream, 1); /* again: nothing new */
    g_assert_cmpuint(ca_stream_missed(&stream, missed), ==, 2);
    g_assert_true(ca_stream_take(&stream, 1, 50, true));
    g_assert_cmpuint(ca_stream_missed(&stream, missed), ==, 1);
    g_assert_false(ca_stream_misses(&stream, 1, 66));
}

/* Twelve CREATE_CHANs in segments of 50 bytes that begin anywhere in them, in any order, some twice. */
static void
test_backlog(void)
{
    enum { MESSAGES = 12, BYTES = 32 * MESSAGES, SEGMENT = 50 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    uint8_t sent[BYTES] = { 0 };
    for (unsigned i = 0; i < MESSAGES; i++) {
        sent[32 * i + 1] = CA_CREATE_CHAN;
        sent[32 * i + 3] = 16;
        sent[32 * i + 11] = (uint8_t)i;
    }
    for (unsigned round = 0; round < 200; round++) {
        struct ca_stream stream = { .has_isn = true };
        struct ca_backlog backlog = { .first = NULL };
        uint32_t origin = (uint32_t)g_test_rand_int();
        unsigned seen = 0;
        ca_stream_begin(&stream, origin);
        while (stream.next != origin + BYTES) {
            uint32_t offset = (uint32_t)g_test_rand_int_range(0, (BYTES + SEGMENT - 1) / SEGMENT) * SEGMENT;
            uint32_t n = MIN(SEGMENT, BYTES - offset);
            uint32_t start, available, missed;
            if (ca_stream_misses(&stream, origin + offset, origin + offset + n))
                ca_backlog_add(&backlog, scope, origin + offset, sent + offset, n);
            while (ca_backlog_find(&backlog, &stream, &start, &available, &missed)) {
                uint8_t gathered[BYTES];
                g_assert_cmpuint(available, <=, BYTES);
                ca_backlog_gather(&backlog, start, gathered, available);
                g_assert_true(memcmp(gathered, sent + (start - origin), available) == 0);
                g_assert_cmpuint(ca_messages_whole(gathered, available, missed), >=, 32);
                g_assert_true(ca_stream_take(&stream, start, start + 32, true));
                seen++;
            }
            ca_backlog_prune(&backlog, scope, &stream);
        }
        g_assert_cmpuint(seen, ==, MESSAGES);
        g_assert_null(backlog.first);
        g_assert_cmpuint(backlog.bytes, ==, 0);
        g_assert_cmpuint(backlog.chunks, ==, 0);
    }
    wmem_destroy_allocator(scope);
}

static void
test_backlog_gap(void)
{
    static const uint8_t bytes[16] = { 0 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct ca_backlog backlog = { .first = NULL };
    struct ca_stream stream = { .begun = false };
    g_assert_false(ca_backlog_has_gap(&backlog, 0));
    ca_backlog_add(&backlog, scope, 0, bytes, 16);
    ca_backlog_add(&backlog, scope, 16, bytes, 16);
    g_assert_false(ca_backlog_has_gap(&backlog, 8));
    ca_backlog_add(&backlog, scope, 48, bytes, 16);
    g_assert_true(ca_backlog_has_gap(&backlog, 8));
    ca_stream_take(&stream, 0, 16, true);
    ca_stream_take(&stream, 48, 64, true);
    g_assert_true(ca_stream_fills(&stream, 16));
    g_assert_false(ca_stream_fills(&stream, 0));
    g_assert_false(ca_stream_fills(&stream, 64));
    ca_backlog_prune(&backlog, scope, &stream);
    g_assert_cmpuint(backlog.chunks, ==, 1);
    wmem_destroy_allocator(scope);
}

static void
test_backlog_gives_up(void)
{
    static const uint8_t garbage[24] = { 0xFF, 0xFF };
    static const uint8_t large[24] = { 0, CA_READ_NOTIFY, 0xFF, 0xFF, 0, 6, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0x10, 0, 0, 0, 2, 0, 0 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct ca_stream stream = { .begun = false };
    struct ca_backlog backlog = { .first = NULL };
    uint32_t start, available, missed;
    ca_stream_begin(&stream, 0);
    ca_backlog_add(&backlog, scope, 0, large, sizeof large); /* 1 MiB, more than is kept */
    g_assert_false(ca_backlog_find(&backlog, &stream, &start, &available, &missed));
    g_assert_cmpuint(stream.next, ==, 24 + (1 << 20));
    g_assert_true(stream.aligned);
    ca_backlog_add(&backlog, scope, stream.next, garbage, sizeof garbage);
    g_assert_false(ca_backlog_find(&backlog, &stream, &start, &available, &missed));
    g_assert_false(stream.aligned);
    for (unsigned i = 0; i < 2 * CA_BACKLOG_CHUNKS; i++)
        ca_backlog_add(&backlog, scope, i * 1000, garbage, sizeof garbage);
    g_assert_cmpuint(backlog.chunks, <=, CA_BACKLOG_CHUNKS);
    wmem_destroy_allocator(scope);
}

void
ca_stream_tests_add(void)
{
    g_test_add_func("/ca-stream/stream", test_stream);
    g_test_add_func("/ca-stream/wraps", test_stream_wraps);
    g_test_add_func("/ca-stream/begins", test_stream_begins);
    g_test_add_func("/ca-stream/backlog", test_backlog);
    g_test_add_func("/ca-stream/backlog-gap", test_backlog_gap);
    g_test_add_func("/ca-stream/backlog-gives-up", test_backlog_gives_up);
}
