/* test-spill buffer.c
 * Chains in more than the memory a spill buffer has, against copies of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "core/util/spill_buffer.h"

enum { CHAINS = 50, PIECES = 20000, PIECE_MOST = 5000 };

struct expected {
    struct chain chain;
    GByteArray *bytes;
};

static void
collect(void *data, const uint8_t *bytes, size_t length)
{
    g_byte_array_append(data, bytes, (unsigned)length);
}

static void
expect_same(struct spill_buffer *spill_buffer, const struct expected *expected)
{
    GByteArray *got = g_byte_array_new();
    chain_read(spill_buffer, &expected->chain, collect, got);
    g_assert_cmpmem(got->data, got->len, expected->bytes->data, expected->bytes->len);
    g_assert_true(chain_is_empty(&expected->chain) == (got->len == 0));
    g_byte_array_unref(got);
}

static void
append_random(struct spill_buffer *spill_buffer, struct expected *expected)
{
    static uint8_t piece[PIECE_MOST];
    uint32_t length = (uint32_t)g_test_rand_int_range(1, PIECE_MOST);
    memset(piece, g_test_rand_int_range(0, 256), length);
    chain_append(spill_buffer, &expected->chain, piece, length);
    g_byte_array_append(expected->bytes, piece, length);
}

static void
test_chains(void)
{
    FILE *file = tmpfile();
    struct spill_buffer *spill_buffer = spill_buffer_new(file);
    struct expected *chains = g_new0(struct expected, CHAINS);
    for (unsigned i = 0; i < CHAINS; i++)
        chains[i].bytes = g_byte_array_new();
    for (unsigned i = 0; i < PIECES; i++) {
        struct expected *expected = &chains[g_test_rand_int_range(0, CHAINS)];
        append_random(spill_buffer, expected);
        if (i % 1000 == 0) {
            expect_same(spill_buffer, expected);
            chain_clear(spill_buffer, &expected->chain);
            g_byte_array_set_size(expected->bytes, 0);
        }
    }
    g_assert_cmpint(fseeko(file, 0, SEEK_END), ==, 0);
    g_assert_cmpint(ftello(file), >, 0); /* else nothing was tested */
    for (unsigned i = 0; i < CHAINS; i++) {
        expect_same(spill_buffer, &chains[i]);
        chain_clear(spill_buffer, &chains[i].chain);
        expect_same(spill_buffer, &(struct expected){ chains[i].chain, g_byte_array_set_size(chains[i].bytes, 0) });
        g_byte_array_unref(chains[i].bytes);
    }
    g_assert_cmpint(spill_buffer_error(spill_buffer), ==, 0);
    g_free(chains);
    spill_buffer_free(spill_buffer);
    fclose(file);
}

/* A disk that is full is no crash, and is told. */
static void
test_full_disk(void)
{
    FILE *file = fopen("/dev/full", "w+b");
    if (!file) {
        g_test_skip("there is no /dev/full");
        return;
    }
    struct spill_buffer *spill_buffer = spill_buffer_new(file);
    struct expected expected = { .bytes = g_byte_array_new() };
    for (unsigned i = 0; i < PIECES; i++)
        append_random(spill_buffer, &expected);
    g_assert_cmpint(spill_buffer_error(spill_buffer), !=, 0);
    chain_read(spill_buffer, &expected.chain, collect, expected.bytes);
    chain_clear(spill_buffer, &expected.chain);
    g_byte_array_unref(expected.bytes);
    spill_buffer_free(spill_buffer);
    fclose(file);
}

void
spill_buffer_tests_add(void)
{
    g_test_add_func("/spool/chains", test_chains);
    g_test_add_func("/spool/full-disk", test_full_disk);
}
